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

/// Whether a column is SExtractor's of associations: VECTOR_ASSOC, NUMBER_ASSOC.
bool is_of_association(std::string_view column);

/// Per source: how many places of a list are near it, and the numbers that the list has of them.
struct Associations {
  std::vector<std::int32_t> number;
  std::vector<std::vector<double>> vector;  ///< one for each number of VECTOR_ASSOC
};

/// A list of places (ASSOC_NAME), and how sources are associated with them (ASSOC_*), as in SExtractor.
class AssociationList {
 public:
  /// Reads the list. Throws Error{config} that begins with the place of a setting if there is no such file, if it lacks
  /// a column that ASSOC_PARAMS names, or if such a column holds no number.
  explicit AssociationList(const sextractor::Request& request);

  /// The associations of sources at the pixels x, y; the centre of the first pixel is (1, 1). `header` tells the pixels
  /// of places on the sky (ASSOCCOORD_TYPE WORLD). Throws Error{input} if it has no sky.
  Associations of(const std::vector<double>& x, const std::vector<double>& y, const std::string& header) const;

  /// Which sources ASSOCSELEC_TYPE keeps; empty: all.
  std::vector<bool> kept(const Associations& associations) const;

  const std::string& path() const { return path_; }

 private:
  struct Place {
    double x, y, magnitude;
    std::vector<double> data;
  };

  void read();
  /// Sets which columns of the list become numbers of VECTOR_ASSOC.
  void choose_columns(std::size_t columns);
  Place parse(std::string_view line, std::size_t line_number) const;
  std::int32_t associate(const std::vector<Place>& places, double x, double y, std::vector<double>& data) const;

  const sextractor::Request* request_;
  std::string path_, type_;
  std::size_t size_;  ///< how many numbers VECTOR_ASSOC has
  std::size_t columns_ = 0;
  std::vector<std::size_t> copied_;  ///< columns of the list, in the order of VECTOR_ASSOC; at most size_
  std::vector<Place> places_;
};

/// Removes the rows of sources that are not kept, renumbers the others, and clears the labels of the removed.
void keep_rows(const std::vector<bool>& kept, Extraction& extraction, Vignets& vignets, Associations& associations);

}  // namespace srcextract
