#pragma once

#include <string>
#include <vector>

namespace srcextract {

/// The name of a catalogue file without its format endings. First .gz is removed, then one of .fits .fit .fts .ldac
/// .parquet .ecsv .csv .vot .xml .cat .txt .asc .dat, then .cat. Empty if the file is no catalogue: without one of
/// these endings, a label map (.seg.fits), or hidden.
std::string catalog_stem(const std::string& file_name);

/// Two catalogues, one from each of two directories, that are compared with each other.
struct FilePair {
  std::string name;  ///< the stem (catalog_stem); the reference's file name, if several files of the reference have the
                     ///< same stem
  std::string reference, other;  ///< paths; empty if that directory has no catalogue of this stem
};

/// Pairs every catalogue in the directory `reference` with the catalogue in `other` of the same stem (catalog_stem).
/// The pairs are ordered by stem.
///
/// If several files in `other` have the stem, the format of the reference is preferred, then FITS, Parquet, ECSV,
/// VOTable, CSV and the rest. A stem that only `other` has makes a pair without a reference. A file m31.fits beside any
/// file m31.cat.* is an image and is left out.
///
/// Throws Error{input} if a directory cannot be read, or if `reference` has no catalogue.
std::vector<FilePair> pair_files(const std::string& reference, const std::string& other);

}  // namespace srcextract
