#pragma once

#include <string>
#include <vector>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

enum class GoodPixels { zero, nonzero };

/// Masking of pixels by a quality map.
struct MaskConfig {
  std::string file;               ///< the map's file; empty: the image's
  HduNames hdu;                   ///< as WeightsConfig::hdu; `auto` without a file means no mask
  std::vector<std::string> bits;  ///< bits that are used: numbers, or names in the map's header; empty: all
  GoodPixels good = GoodPixels::zero;

  bool operator==(const MaskConfig&) const = default;
};

inline bool has_mask(const MaskConfig& config) {
  return !config.file.empty() || config.hdu != "auto";
}

}  // namespace srcextract
