#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/chain/extraction.hpp"
#include "sextractor/translation.hpp"
#include "stages/catalogue/vignets.hpp"

namespace srcextract {

/// Whether a column is one of SExtractor's columns of associations, VECTOR_ASSOC or NUMBER_ASSOC.
bool is_of_association(std::string_view column);

/// For each source: the number of list entries near the source, and the numbers copied from these entries. With
/// ASSOC_TYPE FIRST, the number is at most 1. With MEAN and MAG_MEAN, the number is 0 unless the sum of the weights is
/// positive.
struct Associations {
  std::vector<std::int32_t> number;
  std::vector<std::vector<double>> vector;  ///< one vector for each number of VECTOR_ASSOC, with one element per source
};

/// A list of positions (the file ASSOC_NAME) with which sources are associated as the settings ASSOC_* ask, as in
/// SExtractor.
class AssociationList {
 public:
  /// Reads the list. `request` must outlive this object. Throws Error{config} if the file does not exist, if a column
  /// that ASSOC_PARAMS names is missing, or if a value of that column is no number.
  explicit AssociationList(const sextractor::Request& request);

  /// Associates sources at the pixel positions x, y; the centre of the first pixel is (1, 1). If the list has sky
  /// coordinates (ASSOCCOORD_TYPE WORLD), `header` converts the coordinates to pixels. Throws Error{input} if `header`
  /// has no celestial WCS.
  Associations of(const std::vector<double>& x, const std::vector<double>& y, const std::string& header) const;

  /// For each source, whether ASSOCSELEC_TYPE keeps the source in the catalogue. Empty: all sources are kept.
  std::vector<bool> kept(const Associations& associations) const;

  const std::string& path() const { return path_; }

 private:
  struct Place {
    double x, y, magnitude;
    std::vector<double> data;
  };

  void read();
  /// Chooses the columns of the list that are copied to VECTOR_ASSOC. `columns` is the number of columns of the list.
  void choose_columns(std::size_t columns);
  Place parse(std::string_view line, std::size_t line_number) const;
  std::int32_t associate(const std::vector<Place>& places, double x, double y, std::vector<double>& data) const;

  const sextractor::Request* request_;
  std::string path_, type_;
  std::size_t size_;  ///< number of values of VECTOR_ASSOC
  std::size_t columns_ = 0;
  /// Columns of the list, from 0, in the order of VECTOR_ASSOC; at most size_ columns.
  std::vector<std::size_t> copied_;
  std::vector<Place> places_;
};

/// Removes the rows of sources that are not kept, renumbers the remaining sources, and sets the labels of removed
/// sources to 0.
void keep_rows(const std::vector<bool>& kept, Extraction& extraction, Vignets& vignets, Associations& associations);

}  // namespace srcextract
