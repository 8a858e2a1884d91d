#pragma once

#include <cstdint>
#include <vector>

#include "stages/deblend/deblend.hpp"
#include "stages/deblend/pieces.hpp"
#include "stages/detect/runs_by_source.hpp"

namespace srcextract {

/// Number of islands (connected sets of foreground pixels) that a thread handles at a time.
inline constexpr std::int64_t islands_per_piece = 64;

/// An island that is split into several sources.
struct SplitIsland {
  std::int32_t label;
  float threshold;  ///< lowest detection threshold of the island's pixels, minus the sky
  std::int64_t first_piece, first_core;
};

/// All split islands, in the order of their labels.
struct SplitIslands {
  std::vector<SplitIsland> islands;
  /// Island by island. Piece::owner is the index of a core (part that becomes a source) among the cores of all islands,
  /// or -1 outside of cores.
  std::vector<Piece> pieces;
  /// Per core, island by island: the lowest level at which the core is not connected to another core, minus the sky.
  std::vector<float> core_level;
  std::vector<std::int32_t> core_place;  ///< per core: Cores::place; empty if CLEAN does not run
};

/// Splits islands into cores and pixels outside of cores. The host does not use the device's steps
/// (shared_islands.hpp), because on one CPU core these take two to six times as long, mostly to build the trees.
SplitIslands split_islands(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs, const Components<Cpu>& components,
                           const Settings& config, const Cpu& where);

}  // namespace srcextract
