#pragma once

#include <string>
#include <vector>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

enum class FlagType { bit_or, bit_and, min, max, most };

/// A map of flags, and what it says of the pixels of a source.
struct FlagMapConfig {
  std::string file;                    ///< that holds the map; empty: that of the image
  HduNames hdu;                        ///< as those of the mask
  FlagType type = FlagType::bit_or;    ///< how the flags of its pixels become one
  std::vector<std::string> bits = {};  ///< that count: numbers, or names that the map's header gives them; empty: all

  bool operator==(const FlagMapConfig&) const = default;
};

/// The first map, and those after it.
struct FlagsConfig : FlagMapConfig {
  std::vector<FlagMapConfig> further = {};

  bool operator==(const FlagsConfig&) const = default;
};

inline bool has_flags(const FlagMapConfig& config) {
  return !config.file.empty() || config.hdu != "auto";
}

}  // namespace srcextract
