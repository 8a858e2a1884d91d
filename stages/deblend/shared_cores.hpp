#pragma once

#include "stages/deblend/shared_islands.hpp"

namespace srcextract {

/// Steps that find the cores (parts that become sources) of all islands in their level trees (find_cores.hpp). The
/// steps of SharedIslands, which build the trees, must come first. The parameters `run`, `lane` and `lanes` are as in
/// SharedIslands.
class SharedCores {
 public:
  SRCEXTRACT_HOST_DEVICE explicit SharedCores(const SharedIslands& all) : all_(all), tree_(all.tree()) {}

  /// Sums that a thread collects before it adds them to memory.
  struct Carried {
    CarriedSum<std::int64_t> of_island, of_node;
    CarriedSum<std::int32_t> pixels;
  };

  /// Calls SharedTree::settle() for all pixels. Sums the flux of each island, and the flux and number of pixels of each
  /// node without its descendants. Counts the children of each node.
  SRCEXTRACT_HOST_DEVICE void sum(std::int64_t run, int lane, int lanes, Carried& carried) const {
    IslandState* const island = all_.dividing(run);
    if (island == nullptr) return;
    const float* const row = all_.row_of(all_.found, run);
    all_.for_each_pixel(run, lane, lanes, [&](std::int32_t pixel, std::int32_t x) {
      const std::int32_t root = tree_.settle(pixel);
      const std::int64_t flux = island->unit.count(all_.above_sky(row[x]));
      carried.of_island.add(&island->flux, flux);
      carried.of_node.add(&all_.nodes.flux[root], flux);
      carried.pixels.add(&all_.nodes.pixels[root], 1);
      const std::int32_t to = shared_load(&all_.parent[pixel]);
      if (root != pixel || to == pixel) return;
      shared_or(&all_.nodes.state[to], is_parent);
      shared_add(&all_.nodes.children[to], 1);
    });
  }

  /// Adds the flux and pixels of descendants to each node, from the leaves to the root. Decides whether each node is
  /// significant at the level one above its parent's. The thread that handles a node's last child then handles the
  /// node.
  SRCEXTRACT_HOST_DEVICE void judge(std::int64_t run, int lane, int lanes) const {
    IslandState* const island = all_.dividing(run);
    if (island == nullptr) return;
    all_.for_each_pixel(run, lane, lanes, [&](std::int32_t pixel, std::int32_t) {
      if (tree_.node_of(pixel) != pixel || (shared_load(&all_.nodes.state[pixel]) & is_parent) != 0) return;
      for (std::int32_t node = pixel; node >= 0;) node = judge_node(*island, node);
    });
  }

  /// Counts the cores of each island. A core is counted for the run that contains its root pixel.
  SRCEXTRACT_HOST_DEVICE void count(std::int64_t run, int lane, int lanes) const {
    IslandState* const island = all_.divided(run);
    if (island == nullptr) return;
    all_.for_each_pixel(run, lane, lanes, [&](std::int32_t pixel, std::int32_t) {
      if (tree_.node_of(pixel) == pixel && is_core(pixel)) shared_add(&island->cores, 1);
    });
  }

  /// Reserves consecutive numbers for the cores of an island. The order of islands is arbitrary.
  SRCEXTRACT_HOST_DEVICE void place(std::int64_t island) const {
    IslandState& state = all_.islands[island];
    if (state.divided == 0) return;
    shared_add(all_.divided_count, 1);
    state.first_core = shared_add(all_.core_count, state.cores);
  }

  SRCEXTRACT_HOST_DEVICE void number(std::int64_t run, int lane, int lanes) const {
    IslandState* const island = all_.divided(run);
    if (island == nullptr) return;
    all_.for_each_pixel(run, lane, lanes, [&](std::int32_t pixel, std::int32_t) {
      if (tree_.node_of(pixel) != pixel || !is_core(pixel)) return;
      const std::int32_t core = island->first_core + shared_add(&island->numbered, 1);
      all_.nodes.children[pixel] = core;
      if (core >= all_.core_room) return;
      const int level = all_.level[all_.parent[pixel]] + 1;
      all_.cores[core] = {static_cast<std::int32_t>(island - all_.islands),
                          std::numeric_limits<std::int32_t>::max(),
                          0,
                          0,
                          ordered_key(-std::numeric_limits<float>::infinity()),
                          all_.levels_of(*island)[level]};
    });
  }

  /// Writes the core of every pixel into Nodes::pixels, and finds the first pixel of every core.
  SRCEXTRACT_HOST_DEVICE void own(std::int64_t run, int lane, int lanes) const {
    if (all_.divided(run) == nullptr) return;
    all_.for_each_pixel(run, lane, lanes, [&](std::int32_t pixel, std::int32_t) {
      const std::int32_t core = core_of(pixel);
      all_.nodes.pixels[pixel] = core;
      if (core >= 0) shared_lower(&all_.cores[core].first, pixel);
    });
  }

  /// Whether a node is a core. May be called only after judge() for all runs.
  SRCEXTRACT_HOST_DEVICE bool is_core(std::int32_t node) const {
    const std::int32_t to = all_.parent[node];
    const std::uint32_t state = all_.nodes.state[node];
    return to != node && significant_children(all_.nodes.state[to]) >= 2 && (state & has_source) == 0 &&
           (state & is_significant_branch) != 0;
  }

 private:
  /// Bits of SharedIslands::Nodes::state. The bits from `significant_child` on are the number of the node's significant
  /// children.
  static constexpr std::uint32_t is_parent = 1, has_source = 2, is_significant_branch = 4, significant_child = 8;

  SRCEXTRACT_HOST_DEVICE static std::uint32_t significant_children(std::uint32_t state) {
    return state / significant_child;
  }

  /// Decides whether a node is significant, and adds its flux and pixels to its parent. Returns the parent if all of
  /// the parent's children are now handled, else -1.
  SRCEXTRACT_HOST_DEVICE std::int32_t judge_node(IslandState& island, std::int32_t node) const {
    const SharedIslands::Nodes& nodes = all_.nodes;
    std::uint32_t state = shared_load(&nodes.state[node]);
    if (significant_children(state) >= 2) state |= has_source;
    const std::int32_t to = all_.parent[node];
    if (to == node) {
      island.divided = (state & has_source) != 0 ? 1 : 0;
      return -1;
    }
    const std::int64_t flux = shared_load(&nodes.flux[node]);
    const std::int32_t pixels = shared_load(&nodes.pixels[node]);
    shared_add(&nodes.flux[to], flux);
    shared_add(&nodes.pixels[to], pixels);
    if (pixels >= all_.rules.branch.least_pixels) {
      const double least = static_cast<double>(island.unit.flux(island.flux)) * all_.rules.branch.contrast;
      const float level = all_.levels_of(island)[all_.level[to] + 1];
      if (is_significant(island.unit.flux(flux), level, pixels, least)) {
        state |= is_significant_branch;
        shared_add(&nodes.state[to], significant_child);
      }
      if ((state & has_source) != 0) shared_or(&nodes.state[to], has_source);
    }
    shared_store(&nodes.state[node], state);
    order_memory();
    if (shared_add(&nodes.children[to], -1) != 1) return -1;
    order_memory();
    return to;
  }

  /// Returns the index of the core of a pixel; -1 if the pixel is in no core, or if the core lies beyond the end of the
  /// buffer.
  SRCEXTRACT_HOST_DEVICE std::int32_t core_of(std::int32_t pixel) const {
    for (std::int32_t node = tree_.node_of(pixel);; node = all_.parent[node]) {
      if (is_core(node)) return all_.nodes.children[node] < all_.core_room ? all_.nodes.children[node] : -1;
      if (all_.parent[node] == node) return -1;
    }
  }

  SharedIslands all_;
  SharedTree tree_;
};

}  // namespace srcextract
