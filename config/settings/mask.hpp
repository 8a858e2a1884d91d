#pragma once

#include <string>
#include <vector>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

enum class GoodPixels { zero, nonzero };

/// Which pixels are left out, by a map of their quality.
struct MaskConfig {
  std::string file;               ///< that holds the map; empty: that of the image
  HduNames hdu;                   ///< as those of the weights; of the image's own file `auto` means no mask
  std::vector<std::string> bits;  ///< numbers, or names that the map's header gives them; empty: all
  GoodPixels good = GoodPixels::zero;

  bool operator==(const MaskConfig&) const = default;
};

inline bool has_mask(const MaskConfig& config) {
  return !config.file.empty() || config.hdu != "auto";
}

}  // namespace srcextract
