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

/// Base name of an image's outputs: its name, "night1/a.fits", without .fits, .fit or .fts and a following .fz or .gz,
/// in any case. A name without such an ending is unchanged.
std::string image_stem(const std::string& name);

/// Paths of the outputs of a PSF that is made from an image.
struct PsfPaths {
  std::string model, stars, picture;  ///< empty: not asked for
};

/// Paths of all outputs of one image.
struct OutputPaths {
  std::vector<std::pair<CatalogFormat, std::string>> catalogs;
  std::string segmentation;  ///< empty: not asked for
  std::string picture;       ///< empty: not asked for
  std::string page;          ///< path of the report for a browser; empty: not asked for
  std::vector<std::pair<CheckImage, std::string>> check_images;
  std::vector<std::pair<AlertFormat, std::string>> alerts;
  std::vector<std::pair<ComponentTable, std::string>> components;  ///< by format: the ending tells it
  std::vector<std::pair<ComponentRegions, std::string>> regions;   ///< of the Gaussians
  PsfPaths psf;
  std::string report;  ///< the run.json

  std::vector<std::string> all() const;
};

/// `name` is ImageFile::name; `hdu` is part of the names if several HDUs of the file are extracted.
OutputPaths output_paths(const std::string& directory, const std::string& name, std::optional<int> hdu,
                         const OutputConfig& config);

/// Paths of the files that `srcextract inject` writes: a table of S/N ranges, a table of injected Gaussians, and a
/// record. Table formats are those of output.formats.
struct InjectionPaths {
  std::vector<std::string> bins, rows;
  std::string record;

  std::vector<std::string> all() const;
};
InjectionPaths injection_paths(const std::string& directory, const std::string& name, std::optional<int> hdu,
                               const OutputConfig& config);

/// Whether a file name is that of a FITS file which this program wrote, and which is no image to extract: `a.cat.fits`,
/// `a.seg.fits`, `a.background.fits.gz`.
bool is_output_name(const std::string& name);

/// Throws Error{config} if two files would have the same outputs; the message names both files and says what to try. If
/// all HDUs of a file are extracted, its output names may continue with .hdu and a number. `describe` is the name of
/// file i in messages.
void require_distinct_outputs(const ImageFiles& files, const std::function<std::string(std::size_t)>& describe);

}  // namespace srcextract
