#pragma once

#include <string>
#include <vector>

#include "io/files/output_file.hpp"
#include "io/fits/image_cards.hpp"
#include "stages/catalogue/catalog_format.hpp"
#include "stages/catalogue/parquet_compression.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/catalogue/table.hpp"
#include "stages/catalogue/vignets.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Facts about one band (image) in a multi-band catalogue.
struct BandFacts {
  std::string name, file;             ///< name of the band, and path of its image
  std::vector<std::string> settings;  ///< settings that apply only to this band, as dotted.key=value
};

/// Metadata of a catalogue. All of it follows from the input files, the options and the version of srcextract, so that
/// the same input always gives the same bytes.
struct CatalogMetadata {
  std::string version;               ///< version of srcextract
  std::string config_yaml;           ///< configuration as YAML, from dump_config()
  std::string pixel_unit = "count";  ///< unit of pixel values (io/wcs/pixel_unit.hpp)
  std::string sum_unit = "count";    ///< unit of sums over pixels
  ImageFacts image = {};             ///< header values and sky of the image; written to FITS, ECSV, VOTable and Parquet
  std::string detection_image = {};  ///< path of the detection image; empty if sources were detected in
                                     ///< the measured image
  std::string positions = {};  ///< path of the table of positions that were measured; empty if sources were detected
  std::vector<BandFacts> bands = {};  ///< bands that were measured; empty without --band
  std::string detection_unit = {};    ///< pixel unit of the detection image; empty: the same as pixel_unit
  ParquetCompression parquet_compression = ParquetCompression::none;
  /// Cards of the image for FITS_LDAC (io/catalog/ldac_head.hpp). If empty, a FITS_LDAC catalogue gets the header of an
  /// image without pixels.
  std::string head = {};
};

/// Returns the file name ending of a format, such as ".cat.fits" for fits and ".reg" for reg.
std::string extension(CatalogFormat format);

/// Writes the catalogue; the caller commits the file. Formats:
/// - fits: a binary table in the first extension, with TUNIT, TCOMM and TUCD for every column that has a unit, a
/// description or a UCD.
/// - ldac, ascii_head: SExtractor's FITS_LDAC and ASCII_HEAD (row_sink.hpp).
/// - ecsv: ECSV 1.0, as astropy reads it.
/// - csv: a line of column names, then the rows.
/// - votable, votable_text: VOTable 1.4, with rows in BINARY2 or TABLEDATA. Units follow VOUnits 1.0. Text is
/// unicodeChar, with U+FFFD in place of characters that XML cannot hold.
/// - parquet: see row_sink.hpp.
/// - reg: DS9 ellipses with semi-axes of 3 A and 3 B in image coordinates, labelled with NUMBER; crtf: the same in CASA
/// Region Text Format 0.
///
/// Columns with a common name (FLUX_APER, FLUX_APER_1 ...) are joined to one column of vectors, except in CSV, and in
/// ECSV and ascii_head without rows. `vignets`, if there are any, become the column VIGNET of images where columns are
/// joined, and are left out elsewhere. The columns of `carried`, which has as many rows as `sources`, come last.
/// Floating-point numbers in text formats read back to the same bits. Throws Error{output} or Error{storage}.
[[nodiscard]] OutputFile write_catalog(const std::string& path, CatalogFormat format, const Sources& sources,
                                       const CatalogMetadata& metadata, const Cpu& where = {},
                                       const Vignets& vignets = {}, const Table& carried = {});

}  // namespace srcextract
