#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// The name of a catalogue file without its format endings: .gz, then .fits .fit .fts .ldac .parquet .ecsv .csv .vot
/// .xml .cat .txt .asc .dat, then .cat. Empty if the name is no catalogue's: without such an ending, a label map
/// (.seg.fits), or hidden.
std::string catalog_stem(const std::string& file_name);

/// Files of two directories that belong together.
struct FilePair {
  std::string name;              ///< the stem; the reference's full file name, if several of its files share the stem
  std::string reference, other;  ///< paths; empty: that side has no catalogue of this stem
};

/// Pairs every catalogue of the reference with the new catalogue of the same stem, ordered by stem. If there are
/// several new ones, the reference's format comes first, then FITS, Parquet, ECSV, VOTable, CSV and the rest. A stem
/// that only the new directory has makes a pair without a reference. m31.fits beside m31.cat.fits, or beside another
/// m31.cat.*, is an image and is left out. Throws Error{input} if a directory cannot be read or the reference has no
/// catalogue.
std::vector<FilePair> pair_files(const std::string& reference, const std::string& other);

}  // namespace srcextract
