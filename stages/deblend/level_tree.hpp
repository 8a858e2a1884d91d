#pragma once

#include <cstdint>

#include "stages/core/runs.hpp"
#include "stages/deblend/scratch.hpp"

namespace srcextract {

/// An island as deblending processes it: the values of its pixels in one array, in raster order.
struct Island {
  Scratch<Run> runs;            ///< in raster order
  Scratch<std::int32_t> first;  ///< per run: index of its first pixel in `value`; one more element is the end
  Scratch<float> value;         ///< per pixel, above the sky
  Scratch<std::uint8_t> level;  ///< per pixel: the highest level that its value exceeds

  std::int32_t pixels() const { return first.back(); }
};

/// Tree of the connected sets of an island above each of its levels (the max-tree of Salembier, Oliveras & Garrido
/// 1998, IEEE TIP 7, 555). A node is one such set. Its level is the highest one at which the set has the same pixels.
/// The parent of a node is the next larger set that contains it. The tree depends only on the levels of the pixels.
struct LevelTree {
  struct Node {
    std::int32_t parent;  ///< the root is its own parent
    std::uint8_t level;
  };

  Scratch<Node> nodes;            ///< in raster order of each node's first pixel at its level
  Scratch<std::int32_t> node_of;  ///< per pixel: the smallest node that contains it
};

/// Builds the tree in one pass over the pixels, joining each pixel with its earlier neighbours (Wilkinson et al. 2008,
/// IEEE PAMI 30, 1800). Time is near linear for islands of any shape.
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
  Scratch<std::int32_t> parent_;  ///< per pixel: a pixel of the same level in its node, or a pixel of the parent node
};

}  // namespace srcextract
