#pragma once

#include <string>
#include <vector>

#include "stages/core/hdu_names.hpp"

namespace srcextract {

enum class FlagType { bit_or, bit_and, min, max, most };

/// A map of flags, and how the flags of a source's pixels are combined.
struct FlagMapConfig {
  std::string file;                    ///< the map's file; empty: the image's
  HduNames hdu;                        ///< as MaskConfig::hdu
  FlagType type = FlagType::bit_or;    ///< how the flags of a source's pixels are combined
  std::vector<std::string> bits = {};  ///< flags that are used: bit numbers, or names in the map's header; empty: all

  bool operator==(const FlagMapConfig&) const = default;
};

/// The first flag map, and further ones.
struct FlagsConfig : FlagMapConfig {
  std::vector<FlagMapConfig> further = {};

  bool operator==(const FlagsConfig&) const = default;
};

inline bool has_flags(const FlagMapConfig& config) {
  return !config.file.empty() || config.hdu != "auto";
}

}  // namespace srcextract
