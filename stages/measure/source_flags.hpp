#pragma once

#include <cstdint>
#include <string>

#include "stages/catalogue/declared_columns.hpp"
#include "stages/core/pixel_source.hpp"
#include "stages/core/runs.hpp"
#include "stages/settings/flags.hpp"

namespace srcextract {

/// A map of flags for an image. Values are integers of up to 32 bits, read as unsigned numbers.
struct FlagMap {
  PixelSource pixels;
  std::uint64_t bits = ~std::uint64_t{0};  ///< bits that count
  FlagType type = FlagType::bit_or;
  std::string keys = "flags";  ///< prefix of the configuration keys, for messages
};

/// The flags of a source according to a map, and how many of its pixels they come from.
struct FlagTally {
  std::int64_t flags = 0;
  std::int64_t pixels = 0;
};

/// Columns for a map of flags. Columns of further maps are NAME_1, NAME_2 ..., as Astropy renames SExtractor's
/// IMAFLAGS_ISO(n).
inline constexpr ColumnOf<FlagTally> flag_map_columns[] = {
    {columns::imaflags_iso, "", "meta.code", "Flags of its pixels, by the map of flags", usual_group,
     [](const FlagTally& tally) { return tally.flags; }},
    {"NIMAFLAGS_ISO", "", "meta.number;instr.pixel", "Number of its pixels that IMAFLAGS_ISO is of", usual_group,
     [](const FlagTally& tally) { return tally.pixels; }},
};

/// Why a map of this format cannot hold flags, as a phrase to follow "the map"; empty if it can.
std::string flags_problem(const PixelFormat& format);

/// Adds the columns of one map to `sources`. They combine the flags, other than 0, of each source's pixels. The value
/// depends on the type:
/// - OR or AND of all flags;
/// - the least or the largest of the flags;
/// - the most frequent of the flags; of equally frequent ones the first in raster order.
///
/// The count is the number of pixels with any flag (OR, AND), or with that value. Both are 0 if no pixel has a flag.
/// BLANK pixels of the map have no flag. `label` has for every run the row of its source in the catalogue, from 1, or
/// 0.
///
/// Runs on the host for both back ends. Only the pixels of sources are looked at, while a device would need all of the
/// map to cross the bus first. The map is read once, in pieces of a few MB. Throws Error{input} if the type is the most
/// frequent one and the map has too many different values, unlike a map of flags. Counting them would take many times
/// the memory of the image.
void flag_sources(const FlagMap& map, const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, Sources& sources,
                  const Cpu& where);

}  // namespace srcextract
