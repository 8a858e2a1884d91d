#pragma once

#include <cstdint>

#include "stages/deblend/island_levels.hpp"
#include "stages/deblend/level_tree.hpp"
#include "stages/deblend/scratch.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

/// Conditions under which a branch of an island (connected set of foreground pixels) becomes a source. A branch is a
/// node of the level tree (level_tree.hpp) with all its descendants.
struct BranchRule {
  std::int64_t least_pixels;  ///< least number of pixels of the branch
  /// Least ratio of two fluxes: the branch's flux above its level, and the island's flux above the sky.
  double contrast;
};

inline BranchRule branch_rule(const Settings& config) {
  return {config.detection.min_area < 3 ? config.detection.min_area : 3, config.deblend.contrast};
}

/// The branches of an island that become sources.
struct Cores {
  /// Per core: index of the lowest level at which the core is not connected to another core. Empty if the island is not
  /// split.
  Scratch<std::uint8_t> level;
  /// Per pixel: index of its core, or -1. Cores are numbered from 0 in raster order of their first pixels.
  Scratch<std::int32_t> owner;
  /// Per core: its index, from 0, in the order in which SExtractor lists the sources of an island. Higher levels come
  /// first. Cores of equal level are in depth-first order of the tree. There, siblings are in raster order of their
  /// last pixels.
  Scratch<std::int32_t> place;
};

class CoreFinder {
 public:
  /// Finds the cores in the level tree of an island. `levels` must come from fill_levels() for this island. Fills
  /// Cores::place only if `places`.
  void find(const Island& island, const LevelTree& tree, const float* levels, const FluxUnit& unit,
            const BranchRule& rule, bool places, Cores& cores);

 private:
  struct Branch {
    std::int64_t flux;  ///< sum of pixel values minus the sky, counted in the unit of FluxUnit
    std::int32_t pixels;
    std::int32_t significant_children;
    bool whole;        ///< no descendant of the node is a core
    bool significant;  ///< the branch is significant at the level one above its parent's
  };

  void sum_pixels(const Island& island, const LevelTree& tree, const FluxUnit& unit);
  void sort_by_level(const LevelTree& tree);
  void judge_branches(const LevelTree& tree, const float* levels, const FluxUnit& unit, const BranchRule& rule);
  void choose_cores(const LevelTree& tree);
  void number_cores(const LevelTree& tree, Cores& cores);
  void find_ends(const LevelTree& tree);
  void place_cores(const LevelTree& tree, Cores& cores);

  Scratch<Branch> branch_;        ///< per node
  Scratch<std::int32_t> order_;   ///< indices of nodes, sorted by level, the highest first
  Scratch<std::int32_t> core_;    ///< per node: index of the node that is the core to which this node belongs, or -1
  Scratch<std::int32_t> number_;  ///< per node that is a core: index of the core in Cores; else -1

  /// A node, other than the root, that is a core or contains cores.
  struct Sibling {
    std::int32_t node;
    std::int32_t level_of_parent;
    std::int32_t end;  ///< index of the node's last pixel in raster order
  };
  Scratch<std::int32_t> end_;      ///< per node: index of its last pixel in raster order
  Scratch<std::int32_t> inside_;   ///< per node: number of cores in the node, counting the node itself if it is a core
  Scratch<std::int32_t> next_;     ///< per node: index in in_tree_ at which the node's next core will be stored
  Scratch<std::int32_t> in_tree_;  ///< indices of cores in depth-first order of the tree
  Scratch<Sibling> siblings_;
};

}  // namespace srcextract
