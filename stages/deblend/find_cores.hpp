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
  double contrast;            ///< least ratio of the branch's flux above its level to the flux of the island
};

inline BranchRule branch_rule(const Settings& config) {
  return {config.detection.min_area < 3 ? config.detection.min_area : 3, config.deblend.contrast};
}

/// The branches of an island that become sources.
struct Cores {
  Scratch<std::uint8_t> level;  ///< per core: lowest level above which it is separate; empty: the island stays whole
  Scratch<std::int32_t> owner;  ///< per pixel: its core, from 0 in raster order of first pixels; or -1
  /// Per core: its place from 0 in SExtractor's order of the sources of an island. Higher levels come first. Cores of
  /// one level follow the tree depth first, with siblings in raster order of their last pixel.
  Scratch<std::int32_t> place;
};

/// Finds the cores of an island.
class CoreFinder {
 public:
  /// `levels` are those of the island. `places` asks for Cores::place.
  void find(const Island& island, const LevelTree& tree, const float* levels, const FluxUnit& unit,
            const BranchRule& rule, bool places, Cores& cores);

 private:
  struct Branch {
    std::int64_t flux;  ///< in FluxUnit units
    std::int32_t pixels;
    std::int32_t significant_children;
    bool whole;        ///< no part of the branch has become a source
    bool significant;  ///< at the level next to its parent's
  };

  void sum_pixels(const Island& island, const LevelTree& tree, const FluxUnit& unit);
  void sort_by_level(const LevelTree& tree);
  void judge_branches(const LevelTree& tree, const float* levels, const FluxUnit& unit, const BranchRule& rule);
  void choose_cores(const LevelTree& tree);
  void number_cores(const LevelTree& tree, Cores& cores);
  void find_ends(const LevelTree& tree);
  void place_cores(const LevelTree& tree, Cores& cores);

  Scratch<Branch> branch_;        ///< per node
  Scratch<std::int32_t> order_;   ///< nodes, from the highest level to the lowest
  Scratch<std::int32_t> core_;    ///< per node: the core that it is part of, given as a node, or -1
  Scratch<std::int32_t> number_;  ///< per node that is a core: its number

  /// A node that is a core or contains cores.
  struct Sibling {
    std::int32_t node;
    std::int32_t level_of_parent;
    std::int32_t end;  ///< last pixel
  };
  Scratch<std::int32_t> end_;      ///< per node: its last pixel
  Scratch<std::int32_t> inside_;   ///< per node: number of cores in it, itself included
  Scratch<std::int32_t> next_;     ///< per node: place in in_tree_ of its next core
  Scratch<std::int32_t> in_tree_;  ///< the cores in depth-first order of the tree
  Scratch<Sibling> siblings_;
};

}  // namespace srcextract
