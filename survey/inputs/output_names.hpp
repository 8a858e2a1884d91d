#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stages/catalogue/catalog_format.hpp"
#include "stages/settings/output.hpp"
#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// Base name of an image's outputs: ImageFile::name ("night1/a.fits") without .fits, .fit or .fts and a following .fz
/// or .gz, in upper or lower case. A name without one of these endings is unchanged.
std::string image_stem(const std::string& name);

/// Paths of the output files of a PSF that is fitted to an image's stars.
struct PsfPaths {
  std::string model, stars, picture;  ///< empty: not written
};

struct OutputPaths {
  std::vector<std::pair<CatalogFormat, std::string>> catalogs;
  std::string segmentation;  ///< empty: not written
  std::string picture;       ///< empty: not written
  std::string page;          ///< path of the HTML report; empty: not written
  std::vector<std::pair<CheckImage, std::string>> check_images;
  std::vector<std::pair<AlertFormat, std::string>> alerts;
  std::vector<std::pair<ComponentTable, std::string>> components;  ///< one for each table and each table format; the
                                                                   ///< ending of the path is that of the format
  std::vector<std::pair<ComponentRegions, std::string>> regions;   ///< region files of the fitted Gaussians
  PsfPaths psf;
  std::string report;  ///< path of the .run.json, a record of the extraction; empty: not written

  std::vector<std::string> all() const;
};

/// `name` is ImageFile::name. If several HDUs of the file are extracted, `hdu` is the number of the HDU and becomes
/// part of the paths; else it is unset.
OutputPaths output_paths(const std::string& directory, const std::string& name, std::optional<int> hdu,
                         const OutputConfig& config);

/// Paths of the files that `srcextract inject` writes: tables of S/N ranges, tables of injected Gaussians, and a JSON
/// record. There is one table in each table format of output.formats.
struct InjectionPaths {
  std::vector<std::string> bins, rows;
  std::string record;

  std::vector<std::string> all() const;
};
InjectionPaths injection_paths(const std::string& directory, const std::string& name, std::optional<int> hdu,
                               const OutputConfig& config);

/// Whether a file name is that of a FITS output of this program, such as `a.cat.fits`, `a.seg.fits` or
/// `a.background.fits.gz`. Such a file in an input directory is no image to extract.
bool is_output_name(const std::string& name);

/// Throws Error{config} if two files would have the same output paths; the message names both files and gives advice.
/// If several HDUs of a file may be extracted, all names that continue its base name with .hdu and a number count too.
/// describe(i) is the name of file i in messages.
void require_distinct_outputs(const ImageFiles& files, const std::function<std::string(std::size_t)>& describe);

}  // namespace srcextract
