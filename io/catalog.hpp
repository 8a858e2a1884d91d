#pragma once

#include <string>
#include <vector>

#include "stages/core/catalog_format.hpp"
#include "stages/core/sources.hpp"

namespace srcextract {

/// What stands beside the rows in a catalogue: only what follows from the pixels and the configuration, so that two
/// runs give the same bytes.
struct CatalogMetadata {
  std::string version;      ///< of srcextract
  std::string config_yaml;  ///< dump_config
};

/// File name extension of a format: ".cat.fits", ".cat.ecsv", ".cat.csv", ".reg".
const char* extension(CatalogFormat format);

/// Writes the catalogue, atomically (io/output_file.hpp). FITS: a binary table in the first extension with TUNIT,
/// TCOMM and TUCD for every column. ECSV 1.0 as astropy reads it. CSV: a header line of names. reg: DS9 ellipses of
/// 3 A x 3 B in image coordinates, numbered. Floating columns of the text formats read back to the same bits.
/// Throws Error{output}.
void write_catalog(const std::string& path, CatalogFormat format, const Sources& sources,
                   const CatalogMetadata& metadata);

}  // namespace srcextract
