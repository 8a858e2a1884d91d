#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/settings/output.hpp"
#include "stages/catalogue/catalog_format.hpp"
#include "survey/inputs/image_files.hpp"

namespace srcextract {

/// What the names of an image's outputs begin with: its own, "night1/a.fits", without .fits, .fit or .fts, and without
/// the .fz or .gz after it, in any case. A name without such an ending stays as it is.
std::string image_stem(const std::string& name);

/// Where everything made from one image goes.
struct OutputPaths {
  std::vector<std::pair<CatalogFormat, std::string>> catalogs;
  std::string segmentation;  ///< empty: not asked for
  std::string picture;       ///< empty: not asked for
  std::vector<std::pair<CheckImage, std::string>> check_images;
  std::string report;  ///< the run.json

  std::vector<std::string> all() const;
};

/// `name` is ImageFile::name; `hdu` is part of the names if several HDUs of the file are extracted.
OutputPaths output_paths(const std::string& directory, const std::string& name, std::optional<int> hdu,
                         const OutputConfig& config);

/// True of `a.cat.fits`, `a.seg.fits` and `a.background.fits.gz`: FITS files that this program wrote, and that are no
/// images to extract.
bool is_output_name(const std::string& name);

/// Throws Error{config} that names both and says what to try if two files would have the same outputs. Names of a file
/// all of whose HDUs are extracted may go on with .hdu and a number. `describe` is what messages call file i.
void require_distinct_outputs(const ImageFiles& files, const std::function<std::string(std::size_t)>& describe);

}  // namespace srcextract
