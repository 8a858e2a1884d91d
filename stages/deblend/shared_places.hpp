#pragma once

#include <algorithm>
#include <cstdint>

#include "stages/deblend/shared_cores.hpp"
#include "stages/deblend/shared_steps.hpp"

namespace srcextract {

/// Steps that find each core's index in SExtractor's order of an island's cores (Cores::place), from 0 in every island.
/// Cores are the parts of an island that become sources. SharedCores::own() must have set the core of every pixel. In
/// the level tree, a fork is a node that has cores in at least two of its children. Children are ordered by their last
/// pixels. Each child of a fork stores the number of cores in earlier children. The sum of these numbers on the path
/// from a core to the root is the core's index in depth-first order of the tree. Finally the cores of an island are
/// sorted by level, the highest first. Cores of equal level stay in depth-first order.
struct SharedPlaces {
  SRCEXTRACT_STEP(clear)
  SRCEXTRACT_STEP(find_own_ends)
  SRCEXTRACT_STEP(find_ends)
  SRCEXTRACT_STEP(find_children)
  SRCEXTRACT_STEP(count_inside)
  SRCEXTRACT_STEP(note_before)
  SRCEXTRACT_STEP(line_up)
  SRCEXTRACT_STEP(take_place)

  /// Data of a node. The members overwrite the node's flux (SharedIslands::Nodes::flux), which is no longer needed.
  struct Subtree {
    std::int32_t inside;  ///< number of cores in the node, counting the node itself if it is a core
    /// Last pixel of the node. After note_before(), if the node is a child of a fork: number of cores in its earlier
    /// siblings.
    std::int32_t end;
  };
  static_assert(sizeof(Subtree) == sizeof(std::int64_t));

  SharedIslands all;
  Subtree* subtrees;  ///< per pixel
  /// Per child of a fork: the fork's root pixel (high bits), and the child's last pixel (low bits).
  std::uint64_t* key;
  std::int32_t* child;  ///< per child of a fork: the child's root pixel
  /// Per child of a fork, in the order of the sorted keys: number of cores in the child; after the running sums, number
  /// of cores in all earlier children.
  std::uint32_t* before;
  std::int64_t* child_count;
  std::int64_t child_room;
  /// Per core: sort key. The high bits are the first core of the island; the low bits descend with the core's level.
  std::uint64_t* core_key;
  std::int32_t* core;   ///< per element of core_key: index of the core
  std::int32_t* place;  ///< per core: Cores::place
  int pixel_bits;       ///< number of bits of a pixel's number

  static constexpr int level_bits = 8, levels = 1 << level_bits;

  SRCEXTRACT_HOST_DEVICE void clear(std::int64_t run) const {
    for_each_pixel(run, [&](const IslandState&, std::int32_t pixel) { subtrees[pixel] = {0, -1}; });
  }

  SRCEXTRACT_HOST_DEVICE void find_own_ends(std::int64_t run) const {
    for_each_pixel(run, [&](const IslandState&, std::int32_t pixel) {
      shared_raise(&subtrees[all.tree().node_of(pixel)].end, pixel);
    });
  }

  /// Raises the last pixel of each node's ancestors to the node's last pixel, up to the first ancestor with a later
  /// last pixel. Also counts the cores in each node.
  SRCEXTRACT_HOST_DEVICE void find_ends(std::int64_t run) const {
    for_each_node(run, [&](const IslandState&, std::int32_t node) {
      const std::int32_t end = shared_load(&subtrees[node].end);
      for (std::int32_t at = node; all.parent[at] != at;) {
        at = all.parent[at];
        if (shared_load(&subtrees[at].end) >= end) break;
        shared_raise(&subtrees[at].end, end);
      }
      if (!SharedCores(all).is_core(node)) return;
      for (std::int32_t at = node;; at = all.parent[at]) {
        shared_add(&subtrees[at].inside, 1);
        if (all.parent[at] == at) break;
      }
    });
  }

  SRCEXTRACT_HOST_DEVICE void find_children(std::int64_t run) const {
    for_each_node(run, [&](const IslandState&, std::int32_t node) {
      if (!is_child(node)) return;
      const std::int64_t at = shared_add(child_count, std::int64_t{1});
      if (at >= child_room) return;
      key[at] = first_key(all.parent[node]) | static_cast<std::uint32_t>(subtrees[node].end);
      child[at] = node;
    });
  }

  SRCEXTRACT_HOST_DEVICE void count_inside(std::int64_t i) const {
    before[i] = static_cast<std::uint32_t>(subtrees[child[i]].inside);
  }

  SRCEXTRACT_HOST_DEVICE void note_before(std::int64_t i) const {
    const std::uint64_t first = key[i] >> pixel_bits << pixel_bits;
    std::int64_t begin = 0, end = i;
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (key[middle] < first) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    subtrees[child[i]].end = static_cast<std::int32_t>(before[i] - before[begin]);
  }

  SRCEXTRACT_HOST_DEVICE void line_up(std::int64_t run) const {
    for_each_node(run, [&](const IslandState& island, std::int32_t node) {
      if (!SharedCores(all).is_core(node)) return;
      std::int64_t at = island.first_core;
      for (std::int32_t on_way = node; all.parent[on_way] != on_way; on_way = all.parent[on_way])
        if (is_child(on_way)) at += subtrees[on_way].end;
      if (at >= all.core_room || all.nodes.children[node] >= all.core_room) return;
      const int level = all.level[all.parent[node]] + 1;
      core_key[at] =
          static_cast<std::uint64_t>(island.first_core) * levels + static_cast<std::uint64_t>(levels - 1 - level);
      core[at] = all.nodes.children[node];
    });
  }

  SRCEXTRACT_HOST_DEVICE void take_place(std::int64_t i) const {
    if (core[i] < 0) return;
    place[core[i]] = static_cast<std::int32_t>(i - static_cast<std::int64_t>(core_key[i] / levels));
  }

 private:
  SRCEXTRACT_HOST_DEVICE std::uint64_t first_key(std::int32_t fork) const {
    return static_cast<std::uint64_t>(fork) << pixel_bits;
  }

  SRCEXTRACT_HOST_DEVICE bool is_child(std::int32_t node) const {
    const std::int32_t inside = subtrees[node].inside, fork = all.parent[node];
    return inside > 0 && fork != node && subtrees[fork].inside > inside;
  }

  template <class Body>
  SRCEXTRACT_HOST_DEVICE void for_each_pixel(std::int64_t run, const Body& body) const {
    const IslandState* const island = all.divided(run);
    if (island == nullptr) return;
    all.for_each_pixel(run, 0, 1, [&](std::int32_t pixel, std::int32_t) { body(*island, pixel); });
  }

  template <class Body>
  SRCEXTRACT_HOST_DEVICE void for_each_node(std::int64_t run, const Body& body) const {
    for_each_pixel(run, [&](const IslandState& island, std::int32_t pixel) {
      if (all.tree().node_of(pixel) == pixel) body(island, pixel);
    });
  }
};

/// Returns Cores::place of every core. Elements are meaningless for cores that lie beyond the end of the buffers.
template <class Where, class Machine>
Buffer<std::int32_t, Where> find_places(const SharedIslands& all, const Machine& machine) {
  const std::int64_t cores = all.core_room, child_room = 2 * cores;
  auto key = machine.template filled<std::uint64_t>(child_room, 0xff);
  auto child = machine.template filled<std::int32_t>(child_room, 0xff);
  Buffer<std::uint32_t, Where> before(child_room + 1, machine.where());
  auto child_count = machine.template filled<std::int64_t>(1, 0);
  auto core_key = machine.template filled<std::uint64_t>(cores, 0xff);
  auto core = machine.template filled<std::int32_t>(cores, 0xff);
  auto place = machine.template filled<std::int32_t>(cores, 0);
  SharedPlaces places{all,
                      reinterpret_cast<SharedPlaces::Subtree*>(all.nodes.flux),
                      key.data(),
                      child.data(),
                      before.data(),
                      child_count.data(),
                      child_room,
                      core_key.data(),
                      core.data(),
                      place.data(),
                      bits_below(all.shape.count() + 1)};
  const SharedCount runs{all.row_begin + all.shape.height, all.run_room}, children{child_count.data(), child_room};
  machine.template over<SharedPlaces::clear_step>(runs, places);
  machine.template over<SharedPlaces::find_own_ends_step>(runs, places);
  machine.template over<SharedPlaces::find_ends_step>(runs, places);
  machine.template over<SharedPlaces::find_children_step>(runs, places);
  machine.sort(key, child, 2 * places.pixel_bits);
  places.key = key.data();
  places.child = child.data();
  machine.template over<SharedPlaces::count_inside_step>(children, places);
  machine.make_running_sums(before, children);
  machine.template over<SharedPlaces::note_before_step>(children, places);
  machine.template over<SharedPlaces::line_up_step>(runs, places);
  machine.sort(core_key, core, bits_below(cores + 1) + SharedPlaces::level_bits);
  places.core_key = core_key.data();
  places.core = core.data();
  machine.template over<SharedPlaces::take_place_step>({nullptr, cores}, places);
  return place;
}

/// Steps that prepare the data of cores for CLEAN: the number of the source that each core became, and the source's
/// index in SExtractor's order of its island. At first `label` has for each run the core's index plus 1, or 0; number()
/// replaces it by the source's number.
struct SharedCoreNumbers {
  SRCEXTRACT_STEP(number)
  SRCEXTRACT_STEP(set_place)

  std::int64_t island_room, source_room;
  /// Per owner: index of its first piece (part of a run after cutting). Owners 0 to island_room - 1 are islands that
  /// stay whole; owner island_room + k is core k.
  const std::int32_t* first;
  const std::uint32_t* before;  ///< per piece: number of sources whose first piece is earlier
  const std::int32_t* owner_place;
  std::int64_t owner_room, piece_room;
  std::int32_t* label;
  std::int32_t* place;

  SRCEXTRACT_HOST_DEVICE std::int64_t number_of(std::int64_t owner) const {
    const std::int64_t piece = first[owner];
    const std::int64_t number = piece < piece_room ? before[piece] : source_room;
    return number < source_room ? number : -1;
  }
  SRCEXTRACT_HOST_DEVICE void number(std::int64_t run) const {
    label[run] = label[run] > 0 && label[run] <= owner_room
                     ? static_cast<std::int32_t>(number_of(island_room + label[run] - 1) + 1)
                     : 0;
  }
  SRCEXTRACT_HOST_DEVICE void set_place(std::int64_t core) const {
    const std::int64_t number = number_of(island_room + core);
    if (number >= 0) place[number] = owner_place[core];
  }
};

}  // namespace srcextract
