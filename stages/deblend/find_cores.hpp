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
  /// Of each: its place in the order in which SExtractor has the sources of an island, from 0: from the highest level
  /// to the lowest; at one level by where the branches that they are on end, from the trunk on, of which each ends with
  /// its last pixel in raster order.
  Scratch<std::int32_t> place;
};

/// Finds them.
class CoreFinder {
 public:
  /// `levels` are those of the island; `places`: whether those of the cores are asked for.
  void find(const Island& island, const LevelTree& tree, const float* levels, const FluxUnit& unit,
            const BranchRule& rule, bool places, Cores& cores);

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
  void find_ends(const LevelTree& tree);
  void place_cores(const LevelTree& tree, Cores& cores);

  Scratch<Branch> branch_;        ///< of each node
  Scratch<std::int32_t> order_;   ///< of the nodes: from the highest level to the lowest
  Scratch<std::int32_t> core_;    ///< of each node: the branch which it is part of that becomes a source, or -1
  Scratch<std::int32_t> number_;  ///< of each such branch

  /// A node that is a core or holds some.
  struct Limb {
    std::int32_t node;
    std::int32_t level_of_parent;
    std::int32_t end;  ///< its last pixel
  };
  Scratch<std::int32_t> end_;      ///< of each node: its last pixel
  Scratch<std::int32_t> inside_;   ///< of each node: the cores in it, itself included
  Scratch<std::int32_t> next_;     ///< of each node: the place of the next of those
  Scratch<std::int32_t> in_tree_;  ///< the cores, limb by limb
  Scratch<Limb> limbs_;
};

}  // namespace srcextract
