#include "stages/deblend/find_cores.hpp"

#include <algorithm>
#include <utility>

namespace srcextract {

/// Sums the flux and the number of pixels of each node of the level tree (level_tree.hpp), over the pixels that have
/// the node's own level. Pixels of descendants are not included.
void CoreFinder::sum_pixels(const Island& island, const LevelTree& tree, const FluxUnit& unit) {
  branch_.make_room(tree.nodes.size());
  std::fill(branch_.begin(), branch_.end(), Branch{0, 0, 0, true, false});
  for (std::int64_t pixel = 0; pixel < island.pixels(); ++pixel) {
    Branch& branch = branch_[tree.node_of[pixel]];
    branch.flux += unit.count(island.value[pixel]);
    ++branch.pixels;
  }
}

void CoreFinder::sort_by_level(const LevelTree& tree) {
  std::int32_t next[most_levels] = {};
  for (const LevelTree::Node& node : tree.nodes) ++next[node.level];
  std::int32_t before = 0;
  for (int level = most_levels - 1; level >= 0; --level) before += std::exchange(next[level], before);
  order_.make_room(tree.nodes.size());
  for (std::int32_t node = 0; node < tree.nodes.size(); ++node) order_[next[tree.nodes[node].level]++] = node;
}

/// Adds the flux and pixels of descendants to each node, from the highest level down. Decides whether each node is
/// significant at the lowest level at which the node is not connected to its siblings: one above the parent's level.
void CoreFinder::judge_branches(const LevelTree& tree, const float* levels, const FluxUnit& unit,
                                const BranchRule& rule) {
  std::int64_t flux = 0;
  for (const Branch& branch : branch_) flux += branch.flux;
  const double least = static_cast<double>(unit.flux(flux)) * rule.contrast;
  for (const std::int32_t node : order_) {
    Branch& branch = branch_[node];
    branch.whole = branch.whole && branch.significant_children < 2;
    const std::int32_t to = tree.nodes[node].parent;
    if (to == node) continue;
    Branch& parent = branch_[to];
    parent.flux += branch.flux;
    parent.pixels += branch.pixels;
    if (branch.pixels < rule.least_pixels) continue;
    branch.significant = is_significant(unit.flux(branch.flux), levels[tree.nodes[to].level + 1], branch.pixels, least);
    parent.significant_children += branch.significant ? 1 : 0;
    parent.whole = parent.whole && branch.whole;
  }
}

void CoreFinder::choose_cores(const LevelTree& tree) {
  core_.make_room(tree.nodes.size());
  for (std::int64_t i = order_.size() - 1; i >= 0; --i) {
    const std::int32_t node = order_[i], parent = tree.nodes[node].parent;
    const Branch& branch = branch_[node];
    const bool is_core =
        parent != node && branch_[parent].significant_children >= 2 && branch.whole && branch.significant;
    const std::int32_t within = parent == node ? -1 : core_[parent];
    core_[node] = is_core ? node : within;
  }
}

void CoreFinder::number_cores(const LevelTree& tree, Cores& cores) {
  number_.make_room(tree.nodes.size());
  std::fill(number_.begin(), number_.end(), -1);
  cores.level.clear();
  cores.owner.make_room(tree.node_of.size());
  for (std::int64_t pixel = 0; pixel < tree.node_of.size(); ++pixel) {
    const std::int32_t core = core_[tree.node_of[pixel]];
    cores.owner[pixel] = -1;
    if (core < 0) continue;
    if (number_[core] < 0) {
      number_[core] = static_cast<std::int32_t>(cores.level.size());
      cores.level.push_back(static_cast<std::uint8_t>(tree.nodes[tree.nodes[core].parent].level + 1));
    }
    cores.owner[pixel] = number_[core];
  }
}

/// Finds the last pixel of each node, and counts the cores in the node.
void CoreFinder::find_ends(const LevelTree& tree) {
  end_.make_room(tree.nodes.size());
  inside_.make_room(tree.nodes.size());
  std::fill(inside_.begin(), inside_.end(), 0);
  for (std::int32_t pixel = 0; pixel < tree.node_of.size(); ++pixel) end_[tree.node_of[pixel]] = pixel;
  for (const std::int32_t node : order_) {
    const std::int32_t parent = tree.nodes[node].parent;
    if (core_[node] == node) inside_[node] = 1;
    if (parent == node) continue;
    end_[parent] = std::max(end_[parent], end_[node]);
    inside_[parent] += inside_[node];
  }
}

void CoreFinder::place_cores(const LevelTree& tree, Cores& cores) {
  find_ends(tree);
  siblings_.clear();
  for (std::int32_t node = 0; node < tree.nodes.size(); ++node) {
    const std::int32_t parent = tree.nodes[node].parent;
    if (inside_[node] > 0 && parent != node) siblings_.push_back({node, tree.nodes[parent].level, end_[node]});
  }
  // The order lets the loop below handle parents before their children, and siblings in the order of their last pixels.
  std::sort(siblings_.begin(), siblings_.end(), [](const Sibling& a, const Sibling& b) {
    return a.level_of_parent != b.level_of_parent ? a.level_of_parent < b.level_of_parent : a.end < b.end;
  });
  next_.make_room(tree.nodes.size());
  next_[order_.back()] = 0;  // order_.back() is the root, whose level is the lowest
  in_tree_.make_room(cores.level.size());
  for (const Sibling& sibling : siblings_) {
    std::int32_t& next = next_[tree.nodes[sibling.node].parent];
    next_[sibling.node] = next;
    if (core_[sibling.node] == sibling.node) in_tree_[next] = number_[sibling.node];
    next += inside_[sibling.node];
  }
  std::int32_t before[most_levels + 1] = {};
  for (const std::uint8_t level : cores.level) ++before[level];
  std::int32_t higher = 0;
  for (int level = most_levels - 1; level >= 0; --level) higher += std::exchange(before[level], higher);
  cores.place.make_room(cores.level.size());
  for (const std::int32_t core : in_tree_) cores.place[core] = before[cores.level[core]]++;
}

void CoreFinder::find(const Island& island, const LevelTree& tree, const float* levels, const FluxUnit& unit,
                      const BranchRule& rule, bool places, Cores& cores) {
  sum_pixels(island, tree, unit);
  sort_by_level(tree);
  judge_branches(tree, levels, unit, rule);
  cores.level.clear();
  if (branch_[order_.back()].whole) return;  // order_.back() is the root, whose level is the lowest
  choose_cores(tree);
  number_cores(tree, cores);
  if (places) place_cores(tree, cores);
}

}  // namespace srcextract
