#pragma once

#include <cstdint>

#include "stages/deblend/island_levels.hpp"
#include "stages/deblend/level_tree.hpp"
#include "stages/deblend/scratch.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Conditions under which a branch of an island becomes a source.
struct BranchRule {
  std::int64_t least_pixels;  ///< least number of pixels of a node
  double contrast;            ///< least (flux of the branch above its level) / (flux of the island)
};

inline BranchRule branch_rule(const Settings& config) {
  return {config.detection.min_area < 3 ? config.detection.min_area : 3, config.deblend.contrast};
}

/// The branches of an island that become sources.
struct Cores {
  Scratch<std::uint8_t> level;  ///< per core: lowest level at which it is separate; empty: the island is not split
  Scratch<std::int32_t> owner;  ///< per pixel: its core, numbered from 0 by first pixels, or -1
  /// Per core: its index in SExtractor's order of an island's sources, from 0. Higher levels come first. Cores of one
  /// level are in depth-first order of the tree, siblings in raster order of their last pixels.
  Scratch<std::int32_t> place;
};

/// Finds the cores of an island.
class CoreFinder {
 public:
  /// Finds the cores from the tree. `levels` are those of the island. Fills Cores::place only if `places`.
  void find(const Island& island, const LevelTree& tree, const float* levels, const FluxUnit& unit,
            const BranchRule& rule, bool places, Cores& cores);

 private:
  struct Branch {
    std::int64_t flux;  ///< in FluxUnit units
    std::int32_t pixels;
    std::int32_t significant_children;
    bool whole;        ///< no part of the branch is a source of its own
    bool significant;  ///< the branch is significant at the level next to its parent's
  };

  void sum_pixels(const Island& island, const LevelTree& tree, const FluxUnit& unit);
  void sort_by_level(const LevelTree& tree);
  void judge_branches(const LevelTree& tree, const float* levels, const FluxUnit& unit, const BranchRule& rule);
  void choose_cores(const LevelTree& tree);
  void number_cores(const LevelTree& tree, Cores& cores);
  void find_ends(const LevelTree& tree);
  void place_cores(const LevelTree& tree, Cores& cores);

  Scratch<Branch> branch_;        ///< per node
  Scratch<std::int32_t> order_;   ///< nodes by level, the highest first
  Scratch<std::int32_t> core_;    ///< per node: the core that it belongs to, as a node, or -1
  Scratch<std::int32_t> number_;  ///< per node that is a core: the number of the core

  /// A node that is a core, or that contains cores.
  struct Sibling {
    std::int32_t node;
    std::int32_t level_of_parent;
    std::int32_t end;  ///< last pixel
  };
  Scratch<std::int32_t> end_;      ///< per node: its last pixel
  Scratch<std::int32_t> inside_;   ///< per node: number of cores in it, including itself
  Scratch<std::int32_t> next_;     ///< per node: index in in_tree_ for the next core in it
  Scratch<std::int32_t> in_tree_;  ///< cores in depth-first order of the tree
  Scratch<Sibling> siblings_;
};

}  // namespace srcextract
