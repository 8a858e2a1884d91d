#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/image/fits_image.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// The keys of a configuration section that locate its maps, and their values.
struct MapKeys {
  std::string file_key, hdu_key;
  const std::string& file;
  const HduNames& hdus;

  /// The key that an error message tells the user to change.
  const std::string& key() const { return hdus == "auto" ? file_key : hdu_key; }
};

inline MapKeys keys_of(const WeightsConfig& config) {
  return {"weights.file", "weights.hdu", config.file, config.hdu};
}
inline MapKeys keys_of(const MaskConfig& config) {
  return {"mask.file", "mask.hdu", config.file, config.hdu};
}
/// The keys of all flag maps.
std::vector<MapKeys> keys_of(const FlagsConfig& config);
inline MapKeys keys_of(const GivenSkyConfig& config) {
  return {"background.level", "background.level_hdu", config.level, config.level_hdu};
}

/// Returns f(); prefixes an Error that it throws with the place of the keys.
template <class F>
auto said_at_map(const MapKeys& keys, const Config& config, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw Error(error.kind(), config.place_of(keys.key()) + ": " + error.what());
  }
}

/// A map with a value for every pixel of an image, not yet opened; empty if there is none.
using SelectedMap = std::optional<SelectedImage>;

struct SelectedMaps {
  SelectedMap weights = {}, mask = {}, level = {};
  std::vector<SelectedMap> flags = {};
};

/// Finds the maps that the configuration names for each image selected of `file`. Maps are paired with images:
/// - in the image's own file: by EXTVER, if all images have different ones and all maps have one
/// - in another file: by EXTNAME and EXTVER, else by EXTVER
/// - otherwise: by the order of the HDUs
/// A map that is named as one HDU serves all images. Images that a pattern selected and that are maps of others are
/// first removed from `images`. Throws Error{input} that begins with the place of the key and names the HDUs: an image
/// has no map, or several; the numbers of maps and images differ; no image is left. Throws Error{memory} if the gzipped
/// map files have more than `most_inflated` bytes, which is reduced by their size.
std::vector<SelectedMaps> pair_maps(FitsImages& file, std::vector<SelectedImage>& images, const Config& config,
                                    std::int64_t& most_inflated);

/// Opens map files that the configuration names, for an image in memory, and adds them to `maps`, which already has the
/// caller's maps. Throws the errors of pair_maps(). Throws Error{config} that begins with the place of the key for a
/// map in an HDU of the image's own file. Also throws it if the configuration names a file for a map that the caller
/// gave.
void add_maps_of_files(SelectedMaps& maps, const SelectedImage& image, const Config& config,
                       std::int64_t& most_inflated);

/// The files other than the image's own that the configuration names for maps.
std::vector<std::string> files_of_maps(const Config& config);

}  // namespace srcextract
