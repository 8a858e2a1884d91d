#pragma once

#include <string>
#include <vector>

#include "io/files/output_file.hpp"
#include "io/fits/image_cards.hpp"
#include "stages/catalogue/catalog_format.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/catalogue/table.hpp"
#include "stages/catalogue/vignets.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// What a catalogue says of one of several bands.
struct BandFacts {
  std::string name, file;             ///< of the band, and of the file that its image is in
  std::vector<std::string> settings;  ///< of the configuration for it alone, dotted.key=value
};

/// What stands beside the rows in a catalogue: only what follows from the pixels and the configuration, so that two
/// runs give the same bytes.
struct CatalogMetadata {
  std::string version;                ///< of srcextract
  std::string config_yaml;            ///< dump_config
  std::string pixel_unit = "count";   ///< of the pixels' values (io/wcs/pixel_unit.hpp)
  std::string sum_unit = "count";     ///< of their sums
  ImageFacts image = {};              ///< what the image says of itself, and its sky; not in CSV
  std::string detection_image = {};   ///< name of the file in which sources were found; empty: that of the image
  std::string positions = {};         ///< name of the file that says where light was measured; empty: none does
  std::vector<BandFacts> bands = {};  ///< in which light was measured; empty: in the image alone
  std::string detection_unit = {};    ///< of the pixels of the image in which sources were found; empty: pixel_unit
  /// Header of the image as FITS_LDAC has it (io/catalog/ldac_head.hpp); empty: one of no image.
  std::string head = {};
};

/// File name extension of a format: ".cat.fits", ".cat.ldac", ".cat.ecsv", ".cat.csv", ".cat.txt", ".cat.vot",
/// ".cat.xml", ".reg", ".crtf".
const char* extension(CatalogFormat format);

/// Writes the catalogue; the caller commits the file. FITS: a binary table in the first extension with TUNIT,
/// TCOMM and TUCD for every column. ldac, ascii_head: SExtractor's FITS_LDAC and ASCII_HEAD (io/catalog/row_sink.hpp).
/// ECSV 1.0 as astropy reads it. CSV: a header line of names. votable, votable_text: VOTable 1.4, its rows in BINARY2
/// or TABLEDATA; units as VOUnits 1.0 has them, text in unicodeChar with U+FFFD for what XML cannot hold. reg: DS9
/// ellipses of 3 A x 3 B in image coordinates, numbered; crtf: the same as CASA Region Text Format 0. Columns of one
/// common name (FLUX_APER, FLUX_APER_1 ...) are one column of vectors in FITS, ldac, VOTables, and in an ECSV or
/// ascii_head that has rows, and columns of their own in CSV; VIGNET, where there are `vignets`, is one of pictures in
/// FITS, ldac, VOTables and in such an ECSV, and a vector in such an ascii_head. Columns of `carried`, of as many rows,
/// come last. Floating columns of the text formats read back to the same bits. Throws Error{output}.
[[nodiscard]] OutputFile write_catalog(const std::string& path, CatalogFormat format, const Sources& sources,
                                       const CatalogMetadata& metadata, const Cpu& where = {},
                                       const Vignets& vignets = {}, const Table& carried = {});

}  // namespace srcextract
