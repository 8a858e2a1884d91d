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
  std::string name;              ///< the stem; if the reference has several files with this stem, the file's full name
  std::string reference, other;  ///< paths; empty: there is none of this stem
};

/// Pairs every catalogue of the reference with the new one of the same stem, ordered by stem. Among several new ones,
/// its own format comes first, then FITS, ECSV, VOTable, CSV and the rest. A stem that only the new directory has is a
/// pair without a reference. m31.fits beside m31.cat.fits, or another m31.cat.*, is the image and left out. Throws
/// Error{input} if a directory cannot be read or the reference has no catalogue.
std::vector<FilePair> pair_files(const std::string& reference, const std::string& other);

}  // namespace srcextract
