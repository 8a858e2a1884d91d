#pragma once

#include <cstdint>
#include <vector>

#include "stages/deblend/deblend.hpp"
#include "stages/deblend/pieces.hpp"
#include "stages/detect/runs_by_source.hpp"

namespace srcextract {

/// Number of islands that a thread takes at a time.
inline constexpr std::int64_t islands_per_piece = 64;

/// An island that is split into several sources.
struct SplitIsland {
  std::int32_t label;
  float threshold;  ///< lowest threshold of its pixels, minus the sky
  std::int64_t first_piece, first_core;
};

/// All split islands, in the order of their labels.
struct SplitIslands {
  std::vector<SplitIsland> islands;
  std::vector<Piece> pieces;  ///< island by island; each with its core, counted over all islands, or -1
  /// per core, island by island: lowest level at which it is separate, minus the sky
  std::vector<float> core_level;
  std::vector<std::int32_t> core_place;  ///< per core: Cores::place; empty if CLEAN does not run
};

/// Splits islands into cores and pixels outside of cores. The device's steps (shared_islands.hpp) are not used on the
/// host. On one CPU core they would take two to six times as long, mostly for the trees.
SplitIslands split_islands(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs, const Components<Cpu>& components,
                           const Settings& config, const Cpu& where);

}  // namespace srcextract
