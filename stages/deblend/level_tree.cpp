#include "stages/deblend/level_tree.hpp"

#include <utility>

#include "stages/deblend/island_levels.hpp"
#include "stages/deblend/touching_rows.hpp"
#include "stages/detect/adjacency.hpp"

namespace srcextract {

/// Returns the pixel that represents the node (LevelTree) of `pixel`: the first pixel, in raster order, that has the
/// node's level. Halves the path to that pixel, so that later searches are shorter.
std::int32_t LevelTreeBuilder::find(std::int32_t pixel) {
  const std::uint8_t level = level_[pixel];
  for (;;) {
    const std::int32_t parent = parent_[pixel];
    if (parent == pixel || level_[parent] != level) return pixel;
    const std::int32_t next = parent_[parent];
    if (next == parent || level_[next] != level) return parent;
    parent_[pixel] = next;
    pixel = next;
  }
}

/// Joins the nodes of two pixels that touch. Follows the parents of both nodes towards the root, the node of higher
/// level first, and merges the two paths until they meet.
void LevelTreeBuilder::join(std::int32_t a, std::int32_t b) {
  a = find(a);
  b = find(b);
  while (a != b) {
    if (level_[a] < level_[b] || (level_[a] == level_[b] && a < b)) std::swap(a, b);
    const std::int32_t parent = parent_[a];
    if (parent == a) {  // a is the root of the pixels joined so far
      parent_[a] = b;
      return;
    }
    const std::int32_t below = find(parent);
    if (level_[below] >= level_[b]) {
      parent_[a] = below;
      a = below;
    } else {
      parent_[a] = b;
      a = b;
      b = below;
    }
  }
}

/// Joins the pixels [begin, end) of a run (stretch of foreground pixels of a row), with the same result as a join() of
/// each pixel with the previous pixel. Keeps only the path from the root to the previous pixel's node, since the next
/// pixel's node is attached to a node of this path.
void LevelTreeBuilder::join_run(std::int32_t begin, std::int32_t end) {
  std::int32_t way[most_levels];  // nodes on the path from the root to the previous pixel, with ascending levels
  int length = 0;
  for (std::int32_t pixel = begin; pixel < end; ++pixel) {
    const std::uint8_t level = level_[pixel];
    std::int32_t higher = pixel;
    while (length > 0 && level_[way[length - 1]] > level) higher = way[--length];
    if (length > 0 && level_[way[length - 1]] == level) {
      parent_[pixel] = way[length - 1];
    } else {
      parent_[pixel] = length > 0 ? way[length - 1] : pixel;
      way[length++] = pixel;
    }
    if (higher != pixel) parent_[higher] = way[length - 1];
  }
}

void LevelTreeBuilder::number_nodes(LevelTree& tree) {
  const auto pixels = static_cast<std::int32_t>(parent_.size());
  tree.nodes.clear();
  tree.node_of.make_room(parent_.size());
  for (std::int32_t pixel = 0; pixel < pixels; ++pixel) {
    const std::int32_t parent = parent_[pixel];  // an earlier pixel, if both pixels have the same level
    if (parent == pixel || level_[parent] != level_[pixel]) {
      tree.node_of[pixel] = static_cast<std::int32_t>(tree.nodes.size());
      tree.nodes.push_back({parent, level_[pixel]});
    } else {
      tree.node_of[pixel] = tree.node_of[parent];
    }
  }
  for (LevelTree::Node& node : tree.nodes) node.parent = tree.node_of[node.parent];
}

void LevelTreeBuilder::build(const Island& island, std::int32_t reach, LevelTree& tree) {
  level_ = island.level.begin();
  parent_.make_room(island.pixels());
  std::int64_t above = 0;
  for (std::int64_t run = 0; run < island.runs.size(); ++run) {
    const Run& here = island.runs[run];
    join_run(island.first[run], island.first[run + 1]);
    while (island.runs[above].y < here.y - 1 ||
           (island.runs[above].y == here.y - 1 && island.runs[above].end + reach <= here.begin))
      ++above;
    for (std::int64_t i = above; island.runs[i].y < here.y && touch(here, island.runs[i], reach); ++i) {
      const Run& there = island.runs[i];
      const TouchingRows rows{here, there, island.first[run] - here.begin, island.first[i] - there.begin, level_};
      const std::int32_t end = rows.end(reach);
      for (std::int32_t x = rows.begin(reach); x < end; ++x)
        rows.join(x, reach, [this](std::int32_t a, std::int32_t b) { join(a, b); });
    }
  }
  number_nodes(tree);
}

}  // namespace srcextract
