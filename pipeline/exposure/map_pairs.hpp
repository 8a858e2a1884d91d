#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/image/fits_image.hpp"

namespace srcextract {

/// The keys of a configuration section that name the file and HDUs of its maps, and their values.
struct MapKeys {
  std::string file_key, hdu_key;
  const std::string& file;
  const HduNames& hdus;

  /// The key that an error message asks the user to change.
  const std::string& key() const { return hdus == "auto" ? file_key : hdu_key; }
};

inline MapKeys keys_of(const WeightsConfig& config) {
  return {"weights.file", "weights.hdu", config.file, config.hdu};
}
inline MapKeys keys_of(const MaskConfig& config) {
  return {"mask.file", "mask.hdu", config.file, config.hdu};
}
/// The keys of all maps of flags.
std::vector<MapKeys> keys_of(const FlagsConfig& config);
inline MapKeys keys_of(const GivenSkyConfig& config) {
  return {"background.level", "background.level_hdu", config.level, config.level_hdu};
}

/// A map with a value for each pixel of an image, not opened yet; nullopt if the image has no such map.
using SelectedMap = std::optional<SelectedImage>;

struct SelectedMaps {
  SelectedMap weights = {}, mask = {}, level = {};
  std::vector<SelectedMap> flags = {};
};

/// Finds the maps that the configuration names for each selected image of `file`. Maps belong to images as follows:
/// - in the image's own file: by EXTVER, if all images have different EXTVERs and all maps have an EXTVER
/// - in another file: by EXTNAME and EXTVER, else by EXTVER
/// - in all other cases: by the order of the HDUs
/// A map that the configuration names as a single HDU belongs to all images. Before that, images that were selected by
/// a pattern and are maps themselves are removed from `images`.
/// Throws Error{input} that begins with the place of the key and lists the HDUs: if an image has no map or several, if
/// the numbers of maps and images differ, or if no image is left. Throws Error{memory} if the gzipped map files inflate
/// to more than `most_inflated` bytes. Reduces `most_inflated` by the inflated size of these files.
std::vector<SelectedMaps> pair_maps(FitsImages& file, std::vector<SelectedImage>& images, const Config& config,
                                    std::int64_t& most_inflated);

/// Opens the files that the configuration names for maps of an image in memory. Adds these maps to `maps`, which may
/// already contain maps that the caller gave.
///
/// Throws the errors of pair_maps(). Throws Error{config}, which begins with the place of the key, in two cases. Either
/// the configuration names an HDU of the image's own file for a map, or it names a file for a map that the caller gave.
void add_maps_of_files(SelectedMaps& maps, const SelectedImage& image, const Config& config,
                       std::int64_t& most_inflated);

/// Paths of the separate files that the configuration names for maps. The image's own file is not included.
std::vector<std::string> files_of_maps(const Config& config);

}  // namespace srcextract
