#pragma once

#include <cstdint>
#include <string>

#include "stages/catalogue/declared_columns.hpp"
#include "stages/core/pixel_source.hpp"
#include "stages/core/runs.hpp"
#include "stages/settings/flags.hpp"

namespace srcextract {

/// A map of flags for an image. Each map pixel is an integer of up to 32 bits, read as an unsigned number.
struct FlagMap {
  PixelSource pixels;
  std::uint64_t bits = ~std::uint64_t{0};  ///< mask of the bits that are used; other bits are ignored
  FlagType type = FlagType::bit_or;
  std::string keys = "flags";  ///< prefix of the configuration keys, used in error messages
};

/// The combined flags of a source in one map, and the number of pixels that contributed to these flags.
struct FlagTally {
  std::int64_t flags = 0;
  std::int64_t pixels = 0;
};

/// Columns for the first flag map. Columns of further maps have the suffixes _1, _2 ..., as Astropy renames
/// SExtractor's IMAFLAGS_ISO(n).
inline constexpr ColumnOf<FlagTally> flag_map_columns[] = {
    {columns::imaflags_iso, "", "meta.code", "Flags of its pixels, by the map of flags", usual_group,
     [](const FlagTally& tally) { return tally.flags; }},
    {"NIMAFLAGS_ISO", "", "meta.number;instr.pixel", "Number of its pixels that IMAFLAGS_ISO is of", usual_group,
     [](const FlagTally& tally) { return tally.pixels; }},
};

/// Returns the reason why a map of this format cannot hold flags, as a phrase that follows "the map"; empty if it can.
std::string flags_problem(const PixelFormat& format);

/// Adds the columns of one map to `sources`. IMAFLAGS_ISO combines the flags of each source's pixels; pixels without
/// flags (value 0) are ignored. FlagType selects how:
/// - OR or AND of all flags;
/// - the least or the largest of the flags;
/// - the most frequent flags; if several are equally frequent, the first in raster order.
///
/// NIMAFLAGS_ISO is the number of pixels with any flag (for OR and AND), or with exactly the value of IMAFLAGS_ISO.
/// Both are 0 if no pixel has a flag. BLANK pixels of the map have no flag. label[i] is the catalogue row, from 1, of
/// the source of run i (consecutive pixels of a row), or 0.
///
/// Runs on the host also if the image is on a GPU. The host reads only the pixels of sources, while a GPU would first
/// need a copy of the whole map. The map is read once, in pieces of at most a few MB. Throws Error{input} if the type
/// is the most frequent flags and the sources have too many different pairs of source and value. Counting so many pairs
/// would take many times the memory of the image.
void flag_sources(const FlagMap& map, const Runs<Cpu>& runs, const Buffer<std::int32_t, Cpu>& label, Sources& sources,
                  const Cpu& where);

}  // namespace srcextract
