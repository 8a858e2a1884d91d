#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "io/image/fits_image.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

/// Where a section of the configuration says that its maps are.
struct MapKeys {
  std::string file_key, hdu_key;
  const std::string& file;
  const HduNames& hdus;

  /// The key to change.
  const std::string& key() const { return hdus == "auto" ? file_key : hdu_key; }
};

inline MapKeys keys_of(const WeightsConfig& config) {
  return {"weights.file", "weights.hdu", config.file, config.hdu};
}
inline MapKeys keys_of(const MaskConfig& config) {
  return {"mask.file", "mask.hdu", config.file, config.hdu};
}
/// Of every map of flags.
std::vector<MapKeys> keys_of(const FlagsConfig& config);
inline MapKeys keys_of(const GivenSkyConfig& config) {
  return {"background.level", "background.level_hdu", config.level, config.level_hdu};
}

/// What f() returns; an Error that it throws begins with the place of the keys.
template <class F>
auto said_at_map(const MapKeys& keys, const Config& config, F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw Error(error.kind(), config.place_of(keys.key()) + ": " + error.what());
  }
}

/// A map that says something of every pixel of an image, not yet opened; nothing if there is none.
using SelectedMap = std::optional<SelectedImage>;

struct SelectedMaps {
  SelectedMap weights = {}, mask = {}, level = {};
  std::vector<SelectedMap> flags = {};
};

/// Which maps the configuration names for each of the images, which were selected of `file`. Of the
/// image's own file they are paired by EXTVER, if all images have different ones and all maps have one; those of
/// another file by EXTNAME and EXTVER, or by EXTVER; and what nothing pairs by the order of the HDUs. A map that is
/// named as one HDU serves all images. Images that were selected by a pattern and are maps of others are taken out
/// first. Throws Error{input} that begins with the place of the key and names the HDUs, if an image is without its map,
/// if there are several for it, if there are as many maps as images in no way, or if no image is left; Error{memory} if
/// the gzipped ones of their files have more than `most_inflated` bytes, from which it takes what they do have.
std::vector<SelectedMaps> pair_maps(FitsImages& file, std::vector<SelectedImage>& images, const Config& config,
                                    std::int64_t& most_inflated);

/// Adds to the maps that come with an image, which is in no file, those that the configuration names in files. Throws
/// what pair_maps() throws, and Error{config} that begins with the place of the key if it names an HDU of the image's
/// own file, or a file for what has come.
void add_maps_of_files(SelectedMaps& maps, const SelectedImage& image, const Config& config,
                       std::int64_t& most_inflated);

/// The files other than the image's own that the configuration names for maps.
std::vector<std::string> files_of_maps(const Config& config);

}  // namespace srcextract
