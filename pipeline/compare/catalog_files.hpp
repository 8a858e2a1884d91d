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
  /// The stem (catalog_stem), or the reference's file name if several of its files have the same stem. Directories
  /// between the compared one and the file stand in front, as in "night1/m31".
  std::string name;
  std::string reference, other;  ///< paths; empty if that directory has no catalogue of this stem
};

/// Pairs every catalogue in the directory `reference`, or below it, with the catalogue in `other` that has the same
/// place and stem (catalog_stem). The pairs are ordered by place and stem. Hidden directories, directories of HATS
/// (.hats), and the lists of failures of a survey are left out. Links to directories are followed.
///
/// If several files in `other` have the stem, the format of the reference is preferred, then FITS, Parquet, ECSV,
/// VOTable, CSV and the rest. A stem that only `other` has makes a pair without a reference. A file m31.fits beside any
/// file m31.cat.* is an image and is left out.
///
/// Throws Error{input} if a directory cannot be read, or if `reference` has no catalogue.
std::vector<FilePair> pair_files(const std::string& reference, const std::string& other);

}  // namespace srcextract
