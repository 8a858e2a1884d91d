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

/// Levels of an image's extraction, in pixel values.
struct PieceFacts {
  double level = 0, noise = 0, threshold = 0;  ///< sky level, sky noise, and detection threshold above the sky level
};

/// The results of one image of a file that may have several images.
struct CatalogPiece {
  int hdu = 0;
  int extension = 1;  ///< EXT_NUMBER, as SExtractor counts: images of two axes or more, from 1; 1 for a named HDU
  std::string name, header;  ///< the image's name and header
  Sources sources;
  Vignets vignets;
  CatalogMetadata metadata;
  Associations associations = {};
  PieceFacts facts = {};
  std::optional<Failure> without_sky = {};  ///< why the image has no sources; empty if the image shows a sky
};

/// Throws Error{input} if `parameters` names a column of sky coordinates and `header` has no celestial WCS. Columns
/// such as FWHM_WORLD need none where `has_scale`: PIXEL_SCALE is given. `image` is the image's name in the message.
/// Needs no pixels, and can be called before the extraction.
void require_sky_of(const std::string& image, const std::string& header, bool has_scale,
                    const std::vector<sextractor::Parameter>& parameters);

/// The catalogue rows of one image, arranged by a list of columns: in the list's order, with SExtractor's names and the
/// listed number of values. Missing values are 0. Refers to the piece and the list, which must outlive this object.
class ArrangedRows {
 public:
  /// `extension` is the value of EXT_NUMBER. Throws Error{input} if the image lacks a listed column.
  ArrangedRows(const CatalogPiece& piece, const std::vector<sextractor::Parameter>& parameters, int extension);
  ArrangedRows(const ArrangedRows&) = delete;
  ArrangedRows& operator=(const ArrangedRows&) = delete;

  void drop_rows() { rows_.count = 0; }

  const CatalogRows& rows() const { return rows_; }

 private:
  void add_association(const sextractor::Parameter& parameter, const Associations& associations);
  void add(const CatalogRows& all, const sextractor::Parameter& parameter, const CatalogPiece& piece);

  CatalogRows rows_;
  std::vector<std::int16_t> extension_;
  std::vector<double> no_value_;
  std::vector<std::int64_t> no_flags_;
};

/// Writes the images of one file as one catalogue of type CATALOG_TYPE; the caller commits the output file. At least
/// one image must show a sky. Throws Error{output}, and Error{input} if an image lacks a column of `parameters`.
[[nodiscard]] OutputFile write_named_catalogue(const std::string& path, const std::string& type,
                                               const std::vector<CatalogPiece>& pieces,
                                               const std::vector<sextractor::Parameter>& parameters, const Cpu& where);

}  // namespace srcextract
