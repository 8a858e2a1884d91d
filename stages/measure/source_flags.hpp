#pragma once

#include <cstdint>
#include <string>

#include "config/settings/flags.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/core/pixel_source.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// A map of flags for an image, integers of up to 32 bits, taken as unsigned and never as real numbers.
struct FlagMap {
  PixelSource pixels;
  std::uint64_t bits = ~std::uint64_t{0};  ///< that count
  FlagType type = FlagType::bit_or;
  std::string keys = "flags";  ///< of the configuration, for messages
};

/// Why pixels of that format are no flags, to be said after "the map"; empty if they are.
std::string flags_problem(const PixelFormat& format);

/// Adds to sources.map_flags what the next map says, from the flags of each source's pixels that are not 0: the OR or
/// the AND of their bits, the least, the largest, or the most frequent of them, of equally frequent ones the first in
/// raster order; and how many pixels have any (OR, AND), or that one. Both are 0 where no pixel has a flag. What is
/// BLANK in the map has none. `label` has the row of the catalogue, from 1, for every run, or 0.
///
/// It runs on the host for both back ends: of the map the pixels of sources alone are looked at, and on a device all of
/// it would have to cross the bus first. It is read once, in pieces, so that a few MB of it are in memory. Throws
/// Error{input} if the most frequent are wanted of a map that has another value for every other pixel, as no flags
/// have: to count them would take many times the memory of the image.
void flag_sources(const FlagMap& map, const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, Sources& sources,
                  const Cpu& where);

}  // namespace srcextract
