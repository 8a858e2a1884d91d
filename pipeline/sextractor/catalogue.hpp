#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"
#include "pipeline/log/failure.hpp"
#include "pipeline/sextractor/association.hpp"
#include "sextractor/parameters.hpp"

namespace srcextract {

/// Facts about the extraction of an image, in pixel values.
struct PieceFacts {
  double level = 0, noise = 0, threshold = 0;  ///< of the sky, and the threshold above its level
};

/// The results of one image of a file, for its catalogue.
struct CatalogPiece {
  int hdu = 0;
  std::string name, header;  ///< of the image
  Sources sources;
  Vignets vignets;
  CatalogMetadata metadata;
  Associations associations = {};
  PieceFacts facts = {};
  std::optional<Failure> without_sky = {};  ///< why it has no sources; empty if the image shows a sky
};

/// Throws Error{input} if `parameters` names a column on the sky and the header gives no positions there. `image` is
/// the image's name for the message. Needs no pixels, so it can be asked before the work.
void require_sky_of(const std::string& image, const std::string& header,
                    const std::vector<sextractor::Parameter>& parameters);

/// The rows of a piece arranged by a list of columns: in the list's order, with SExtractor's names and the listed
/// number of values. Missing values are zeros. Points into the piece and the list.
class ArrangedRows {
 public:
  /// `extension` is the value of EXT_NUMBER. Throws Error{input} if the image lacks a column.
  ArrangedRows(const CatalogPiece& piece, const std::vector<sextractor::Parameter>& parameters, int extension);
  ArrangedRows(const ArrangedRows&) = delete;
  ArrangedRows& operator=(const ArrangedRows&) = delete;

  /// Removes all rows.
  void drop_rows() { rows_.count = 0; }

  const CatalogRows& rows() const { return rows_; }

 private:
  /// Adds NUMBER_ASSOC or VECTOR_ASSOC.
  void add_association(const sextractor::Parameter& parameter, const Associations& associations);
  void add(const CatalogRows& all, const sextractor::Parameter& parameter, const CatalogPiece& piece);

  CatalogRows rows_;
  std::vector<std::int16_t> extension_;
  std::vector<double> no_value_;
  std::vector<std::int64_t> no_flags_;
};

/// Writes the pieces of one file, in its order, as one catalogue of type CATALOG_TYPE; the caller commits it. At least
/// one piece must show a sky. Throws Error{output}, and Error{input} as ArrangedRows does.
[[nodiscard]] OutputFile write_named_catalogue(const std::string& path, const std::string& type,
                                               const std::vector<CatalogPiece>& pieces,
                                               const std::vector<sextractor::Parameter>& parameters, const Cpu& where);

}  // namespace srcextract
