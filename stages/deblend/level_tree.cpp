#include "stages/deblend/level_tree.hpp"

#include <algorithm>
#include <utility>

#include "stages/detect/adjacency.hpp"

namespace srcextract {

/// The pixel that stands for the node of this one: the first of those of its level, in raster order. On the way there
/// paths are halved.
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

/// Joins two pixels that touch: walks down from both nodes, the higher one first, and sorts the one way to the root
/// into the other, until they meet.
void LevelTreeBuilder::join(std::int32_t a, std::int32_t b) {
  a = find(a);
  b = find(b);
  while (a != b) {
    if (level_[a] < level_[b] || (level_[a] == level_[b] && a < b)) std::swap(a, b);
    const std::int32_t parent = parent_[a];
    if (parent == a) {  // the root of what was joined so far
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

/// Pixels that share a side. A pair need not be joined if pixels that are no lower join it: here those to the left of
/// both.
void LevelTreeBuilder::join_row_above(const Island& island, std::int64_t run, std::int64_t above) {
  const Run &here = island.runs[run], &there = island.runs[above];
  const std::int32_t to_here = island.first[run] - here.begin, to_there = island.first[above] - there.begin;
  const std::int32_t end = std::min(here.end, there.end);
  for (std::int32_t x = std::max(here.begin, there.begin); x < end; ++x) {
    const std::int32_t pixel = to_here + x, up = to_there + x;
    const bool both_left = x > here.begin && x > there.begin;
    const std::uint8_t level = std::min(level_[pixel], level_[up]);
    if (!both_left || level_[pixel - 1] < level || level_[up - 1] < level) join(pixel, up);
  }
}

/// Pixels that share sides or corners. What joins a pair here touches both: the pixel to the left, or the one above.
void LevelTreeBuilder::join_corners(const Island& island, std::int64_t run, std::int64_t above) {
  const Run &here = island.runs[run], &there = island.runs[above];
  const std::int32_t to_here = island.first[run] - here.begin, to_there = island.first[above] - there.begin;
  const std::int32_t end = std::min(here.end, there.end + 1);
  for (std::int32_t x = std::max(here.begin, there.begin - 1); x < end; ++x) {
    const std::int32_t pixel = to_here + x, up = to_there + x;
    const std::uint8_t level = level_[pixel];
    const int left = x > here.begin ? level_[pixel - 1] : -1;
    const int over = x >= there.begin && x < there.end ? level_[up] : -1;
    if (over >= 0 && left < std::min<int>(level, over)) join(pixel, up);
    if (x > there.begin) {
      const int corner = std::min(level, level_[up - 1]);
      if (left < corner && over < corner) join(pixel, up - 1);
    }
    if (x + 1 < there.end && over < std::min(level, level_[up + 1])) join(pixel, up + 1);
  }
}

void LevelTreeBuilder::number_nodes(LevelTree& tree) {
  const auto pixels = static_cast<std::int32_t>(parent_.size());
  tree.nodes.clear();
  tree.node_of.make_room(parent_.size());
  for (std::int32_t pixel = 0; pixel < pixels; ++pixel) {
    const std::int32_t root = find(pixel);  // no later than the pixel
    if (root == pixel) {
      tree.node_of[pixel] = static_cast<std::int32_t>(tree.nodes.size());
      tree.nodes.push_back({parent_[pixel], level_[pixel]});
    } else {
      tree.node_of[pixel] = tree.node_of[root];
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
    for (std::int32_t pixel = island.first[run]; pixel < island.first[run + 1]; ++pixel) {
      parent_[pixel] = pixel;
      if (pixel > island.first[run]) join(pixel, pixel - 1);
    }
    while (island.runs[above].y < here.y - 1 ||
           (island.runs[above].y == here.y - 1 && island.runs[above].end + reach <= here.begin))
      ++above;
    for (std::int64_t i = above; island.runs[i].y < here.y && touch(here, island.runs[i], reach); ++i) {
      if (reach == 0) {
        join_row_above(island, run, i);
      } else {
        join_corners(island, run, i);
      }
    }
  }
  number_nodes(tree);
}

}  // namespace srcextract
