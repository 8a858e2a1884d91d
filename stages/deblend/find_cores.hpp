#pragma once

#include <cstdint>

#include "config/config.hpp"
#include "stages/deblend/island_levels.hpp"
#include "stages/deblend/level_tree.hpp"
#include "stages/deblend/scratch.hpp"

namespace srcextract {

/// What makes a branch of an island a source.
struct BranchRule {
  std::int64_t least_pixels;  ///< of a node
  double contrast;            ///< of its flux above the level to that of the island
};

inline BranchRule branch_rule(const Config& config) {
  return {config.detection.min_area < 3 ? config.detection.min_area : 3, config.deblend.contrast};
}

/// The branches of an island that become sources.
struct Cores {
  Scratch<std::uint8_t> level;  ///< of each: that above which it is one by itself; none: the island stays whole
  Scratch<std::int32_t> owner;  ///< of each pixel: its core, from 0 in raster order of their first pixel, or -1
};

/// Finds them.
class CoreFinder {
 public:
  /// `levels` are those of the island.
  void find(const Island& island, const LevelTree& tree, const float* levels, const FluxUnit& unit,
            const BranchRule& rule, Cores& cores);

 private:
  struct Branch {
    std::int64_t flux;  ///< in units
    std::int32_t pixels;
    std::int32_t significant_sons;
    bool whole;        ///< nothing in it has become a source
    bool significant;  ///< where it joins its parent
  };

  void sum_pixels(const Island& island, const LevelTree& tree, const FluxUnit& unit);
  void sort_by_level(const LevelTree& tree);
  void judge_branches(const LevelTree& tree, const float* levels, const FluxUnit& unit, const BranchRule& rule);
  void choose_cores(const LevelTree& tree);
  void number_cores(const LevelTree& tree, Cores& cores);

  Scratch<Branch> branch_;        ///< of each node
  Scratch<std::int32_t> order_;   ///< of the nodes: from the highest level to the lowest
  Scratch<std::int32_t> core_;    ///< of each node: the branch which it is part of that becomes a source, or -1
  Scratch<std::int32_t> number_;  ///< of each such branch
};

}  // namespace srcextract
