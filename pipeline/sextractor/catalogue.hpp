#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "io/catalog/catalog_rows.hpp"
#include "pipeline/log/failure.hpp"
#include "sextractor/parameters.hpp"

namespace srcextract {

/// What was extracted from one image of a file, as a catalogue has it.
struct CatalogPiece {
  int hdu = 0;
  std::string name, header;  ///< of the image
  Sources sources;
  Vignets vignets;
  CatalogMetadata metadata;
  std::optional<Failure> without_sky = {};  ///< why it has no sources; none: it shows a sky
};

/// The rows of a piece as a list of columns asks for them: in its order, by SExtractor's names, and as many values of
/// each as it says, zeros where fewer were measured. Points into the piece and the list.
class ArrangedRows {
 public:
  /// `extension` is the value of EXT_NUMBER. Throws Error{input} if the image does not have a column.
  ArrangedRows(const CatalogPiece& piece, const std::vector<sextractor::Parameter>& parameters, int extension);
  ArrangedRows(const ArrangedRows&) = delete;
  ArrangedRows& operator=(const ArrangedRows&) = delete;

  /// No row is left.
  void drop_rows() { rows_.count = 0; }

  const CatalogRows& rows() const { return rows_; }

 private:
  void add(const CatalogRows& all, const sextractor::Parameter& parameter, const CatalogPiece& piece);

  CatalogRows rows_;
  std::vector<std::int16_t> extension_;
  std::vector<double> no_value_;
  std::vector<std::int64_t> no_flags_;
};

/// Writes the pieces, those of one file in its order, of which one at least shows a sky, as one catalogue of the type
/// CATALOG_TYPE; the caller commits it. Throws Error{output}, and Error{input} as ArrangedRows does.
[[nodiscard]] OutputFile write_named_catalogue(const std::string& path, const std::string& type,
                                               const std::vector<CatalogPiece>& pieces,
                                               const std::vector<sextractor::Parameter>& parameters, const Cpu& where);

}  // namespace srcextract
