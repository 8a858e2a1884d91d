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

/// Facts about one band in a multi-band catalogue.
struct BandFacts {
  std::string name, file;             ///< name of the band, and file of its image
  std::vector<std::string> settings;  ///< settings of this band alone, dotted.key=value
};

/// Metadata of a catalogue. It depends on pixels and configuration alone, so that two runs write the same bytes.
struct CatalogMetadata {
  std::string version;               ///< version of srcextract
  std::string config_yaml;           ///< configuration from dump_config
  std::string pixel_unit = "count";  ///< unit of pixel values (io/wcs/pixel_unit.hpp)
  std::string sum_unit = "count";    ///< unit of sums of pixels
  ImageFacts image = {};             ///< header values and sky of the image; written to FITS, ECSV, VOTable and Parquet
  std::string detection_image = {};  ///< file of the detection image; empty: sources were detected in the measured
                                     ///< image
  std::string positions = {};        ///< file of the table of positions to measure; empty: sources were detected
  std::vector<BandFacts> bands = {};  ///< the measured bands; empty: the image alone
  std::string detection_unit = {};    ///< pixel unit of the detection image; empty: the same as pixel_unit
  ParquetCompression parquet_compression = ParquetCompression::none;
  /// Header of the image for FITS_LDAC (io/catalog/ldac_head.hpp); empty: a header without an image is written.
  std::string head = {};
};

/// File name extension of a format: ".cat.fits" for fits, ".reg" for reg.
std::string extension(CatalogFormat format);

/// Writes the catalogue; the caller commits the file. Formats:
/// - FITS: a binary table in the first extension, with TUNIT, TCOMM and TUCD for every column.
/// - ldac, ascii_head: SExtractor's FITS_LDAC and ASCII_HEAD (row_sink.hpp).
/// - ECSV 1.0, as astropy reads it.
/// - CSV: a header line of names.
/// - votable, votable_text: VOTable 1.4, with rows in BINARY2 or TABLEDATA. Units follow VOUnits 1.0. Text is
///   unicodeChar, with U+FFFD for characters that XML cannot hold.
/// - Parquet: see row_sink.hpp.
/// - reg: DS9 ellipses of 3 A x 3 B in image coordinates, numbered; crtf: the same as CASA Region Text Format 0.
///
/// Columns of one common name (FLUX_APER, FLUX_APER_1 ...) form one column of vectors, with two exceptions: CSV, and
/// ECSV and ascii_head without rows. VIGNET, if there are `vignets`, is a column of pictures, absent where columns stay
/// separate. Columns of `carried`, with as many rows, come last. Floating-point columns of the text formats read back
/// to the same bits. Throws Error{output}.
[[nodiscard]] OutputFile write_catalog(const std::string& path, CatalogFormat format, const Sources& sources,
                                       const CatalogMetadata& metadata, const Cpu& where = {},
                                       const Vignets& vignets = {}, const Table& carried = {});

}  // namespace srcextract
