#pragma once

#include <cstdint>
#include <string>

#include "config/config.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// Whether the noise of a map holds the photons of sources, and how this is known. Without a map, `reason` is empty.
struct PhotonsOfMap {
  bool included = false;
  std::string reason = {};
};

/// Decides weights.photons for a frame with a map; `weights` and `gain` are the frame's. With `auto`, reads rows of the
/// frame and its map on the host, so both back ends decide alike. Between bright pixels and fainter ones beside them,
/// compares the rise of the map's variance with light / gain: the median ratio is 1 for a map with photons, 0 without.
/// Without a gain, with weights.scale_gain, in SExtractor's place, or with few bright pixels, a map holds no photons.
///
/// `name` is the frame's name in messages. `together`: number of rows of the frame or its maps that are decompressed
/// together. The caller calls forget_reads() of the frame and its maps. Throws the errors of reading.
PhotonsOfMap find_map_photons(const std::string& name, const Exposure& frame, std::int64_t together,
                              const WeightsConfig& weights, double gain, const Config& config);

}  // namespace srcextract
