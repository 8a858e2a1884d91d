#pragma once

#include <string>
#include <vector>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

enum class GoodPixels { zero, nonzero };

/// A map of pixel quality by which pixels are masked.
struct MaskConfig {
  std::string file;               ///< the map's file; empty: the image's file
  HduNames hdu;                   ///< HDUs of the map, as WeightsConfig::hdu; `auto` without a file: there is no map
  std::vector<std::string> bits;  ///< bits of the map that are used: numbers from 0, or names in the map's header;
                                  ///< empty: all
  GoodPixels good = GoodPixels::zero;

  bool operator==(const MaskConfig&) const = default;
};

inline bool has_mask(const MaskConfig& config) {
  return !config.file.empty() || config.hdu != "auto";
}

}  // namespace srcextract
