#pragma once

#include <string>
#include <vector>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

enum class FlagType { bit_or, bit_and, min, max, most };

/// A map of integer flags, one for each pixel of the image.
struct FlagMapConfig {
  std::string file;                    ///< the map's file; empty: the image's file
  HduNames hdu;                        ///< HDUs of the map, as MaskConfig::hdu
  FlagType type = FlagType::bit_or;    ///< how the flags of a source's pixels are combined
  std::vector<std::string> bits = {};  ///< flag bits that are used: numbers from 0, or names in the map's header;
                                       ///< empty: all

  bool operator==(const FlagMapConfig&) const = default;
};

/// All flag maps: the first is the base class, the others are in `further`.
struct FlagsConfig : FlagMapConfig {
  std::vector<FlagMapConfig> further = {};

  bool operator==(const FlagsConfig&) const = default;
};

inline bool has_flags(const FlagMapConfig& config) {
  return !config.file.empty() || config.hdu != "auto";
}

}  // namespace srcextract
