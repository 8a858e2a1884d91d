#pragma once

#include <cstdint>

#include "stages/core/runs.hpp"
#include "stages/deblend/scratch.hpp"

namespace srcextract {

/// An island: a connected set of foreground pixels, before it is split. The arrays hold only the island's pixels, in
/// raster order.
struct Island {
  Scratch<Run> runs;  ///< runs (stretches of foreground pixels of a row) in raster order
  /// Per run: index of its first pixel in `value`; the last element is the number of pixels.
  Scratch<std::int32_t> first;
  Scratch<float> value;         ///< per pixel: its value minus the sky
  Scratch<std::uint8_t> level;  ///< per pixel: index of the highest level that its value exceeds, or 0 if there is none

  std::int32_t pixels() const { return first.back(); }
};

/// Tree of the connected sets of an island above each of its levels (the max-tree of Salembier, Oliveras & Garrido
/// 1998, IEEE TIP 7, 555). A node is one of these sets. The level of a node is the highest level at which the set has
/// the same pixels. The parent of a node is the next larger set that contains the node. The tree depends only on the
/// levels of the pixels.
struct LevelTree {
  struct Node {
    std::int32_t parent;  ///< the root is its own parent
    std::uint8_t level;
  };

  Scratch<Node> nodes;            ///< in raster order of each node's first pixel that has the node's level
  Scratch<std::int32_t> node_of;  ///< per pixel: index of the smallest node that contains the pixel
};

/// Builds the tree in one pass over the pixels, joining each pixel with its earlier neighbours (Wilkinson et al. 2008,
/// IEEE PAMI 30, 1800). The time is almost proportional to the number of pixels, for any shape of the island.
class LevelTreeBuilder {
 public:
  /// `reach` is 0 if only sides connect pixels, 1 if corners do too (stages/detect/adjacency.hpp).
  void build(const Island& island, std::int32_t reach, LevelTree& tree);

 private:
  std::int32_t find(std::int32_t pixel);
  void join(std::int32_t a, std::int32_t b);
  void join_run(std::int32_t begin, std::int32_t end);
  void number_nodes(LevelTree& tree);

  const std::uint8_t* level_ = nullptr;
  /// Per pixel: an earlier pixel of the same level and node, or a pixel of the parent node. The root's first pixel is
  /// its own parent.
  Scratch<std::int32_t> parent_;
};

}  // namespace srcextract
