#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// Number `i`, from 0, of the pseudo-random sequence SplitMix64 (Steele, Lea & Flood 2014).
SRCEXTRACT_HOST_DEVICE inline std::uint64_t splitmix64(std::int64_t i) {
  std::uint64_t z = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/// The same number scaled to a fraction, from 0 to below 1.
inline double splitmix64_fraction(std::int64_t i) {
  return static_cast<double>(splitmix64(i) >> 11) * 0x1p-53;
}

}  // namespace srcextract
