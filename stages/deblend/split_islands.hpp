#pragma once

#include <cstdint>
#include <vector>

#include "stages/deblend/deblend.hpp"
#include "stages/deblend/pieces.hpp"
#include "stages/detect/runs_by_source.hpp"

namespace srcextract {

/// Islands are handed out to threads in pieces of this many.
inline constexpr std::int64_t islands_per_piece = 64;

/// An island that is several sources.
struct SplitIsland {
  std::int32_t label;
  float threshold;  ///< the lowest of its pixels, above the sky
  std::int64_t first_piece, first_core;
};

/// All of those, in the order of their labels.
struct SplitIslands {
  std::vector<SplitIsland> islands;
  std::vector<Piece> pieces;      ///< island by island; the owner is a core, counted over all islands, or -1
  std::vector<float> core_level;  ///< of every core, island by island: above which it is one by itself, above the sky
  std::vector<std::int32_t> core_place;  ///< and its place among those of the island (Cores::place), if it is cleaned
};

/// Divides the sources into cores and what is in none.
SplitIslands split_islands(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs, const Components<Cpu>& components,
                           const Config& config, const Cpu& where);

}  // namespace srcextract
