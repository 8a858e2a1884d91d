#pragma once

#include <cstdint>

#include "stages/core/runs.hpp"
#include "stages/deblend/scratch.hpp"

namespace srcextract {

/// An island as it is worked on: its pixels one after the other, in raster order.
struct Island {
  Scratch<Run> runs;            ///< in raster order
  Scratch<std::int32_t> first;  ///< of each run: its first pixel among those of the island; and the end
  Scratch<float> value;         ///< of each pixel, above the sky
  Scratch<std::uint8_t> level;  ///< of each pixel: the highest that it is above

  std::int32_t pixels() const { return first.back(); }
};

/// What is connected in an island above each of its levels, as a tree (the max-tree of Salembier, Oliveras & Garrido
/// 1998, IEEE TIP 7, 555): a node is such a component, at the highest level at which its pixels are the same, and its
/// parent is the first larger one that contains it. The tree depends on the levels of the pixels alone.
struct LevelTree {
  struct Node {
    std::int32_t parent;  ///< the root: itself
    std::uint8_t level;
  };

  Scratch<Node> nodes;            ///< in raster order of the first pixel at their own level
  Scratch<std::int32_t> node_of;  ///< of each pixel: the highest that it is in
};

/// Makes the tree in one pass over the pixels, each of which is joined with its neighbours before it (Wilkinson et al.
/// 2008, IEEE PAMI 30, 1800): near linear, however the island is shaped.
class LevelTreeBuilder {
 public:
  /// `reach` as in stages/detect/adjacency.hpp.
  void build(const Island& island, std::int32_t reach, LevelTree& tree);

 private:
  std::int32_t find(std::int32_t pixel);
  void join(std::int32_t a, std::int32_t b);
  void join_run(std::int32_t begin, std::int32_t end);
  void number_nodes(LevelTree& tree);

  const std::uint8_t* level_ = nullptr;
  Scratch<std::int32_t> parent_;  ///< of a pixel: one of the same level in the same node, or of the node's parent
};

}  // namespace srcextract
