#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// The name of a catalogue file without what says its format: .gz, then .fits .fit .fts .ldac .parquet .ecsv .csv .vot
/// .xml .cat .txt .asc .dat, then .cat. Empty if the name is not that of a catalogue: without such an ending, a label
/// map
/// (.seg.fits), or hidden.
std::string catalog_stem(const std::string& file_name);

/// Files of two directories that belong together.
struct FilePair {
  std::string name;              ///< the stem; where the reference has several files of it, this one's name
  std::string reference, other;  ///< paths; empty: there is none of this stem
};

/// Pairs every catalogue of the reference with the new one of its stem, in the order of the stems: with that of its own
/// format, else with the first of FITS, ECSV, VOTable, CSV and the rest. A stem that only the new directory has is one
/// pair, without a reference. m31.fits beside m31.cat.fits, or another m31.cat.*, is the image and left out. Throws
/// Error{input} if a directory cannot be read or the reference has no catalogue.
std::vector<FilePair> pair_files(const std::string& reference, const std::string& other);

}  // namespace srcextract
