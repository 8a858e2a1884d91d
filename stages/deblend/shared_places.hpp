#pragma once

#include <algorithm>
#include <cstdint>

#include "stages/deblend/shared_cores.hpp"
#include "stages/deblend/shared_steps.hpp"

namespace srcextract {

/// Steps that find the position of each core in SExtractor's order (Cores::place), from 0 in every island, after every
/// pixel has its core. A fork is a node that has cores in at least two of its children. Children are ordered by their
/// last pixels. Each child of a fork stores the number of cores in earlier children. The sum of these numbers on a
/// core's path to the root is the core's index in depth-first order. At last the cores of an island are sorted by
/// level, the highest first. Cores of one level stay in depth-first order.
struct SharedPlaces {
  SRCEXTRACT_STEP(clear)
  SRCEXTRACT_STEP(find_own_ends)
  SRCEXTRACT_STEP(find_ends)
  SRCEXTRACT_STEP(find_children)
  SRCEXTRACT_STEP(count_inside)
  SRCEXTRACT_STEP(note_before)
  SRCEXTRACT_STEP(line_up)
  SRCEXTRACT_STEP(take_place)

  /// Data of a node, kept in the memory that held its flux.
  struct Subtree {
    std::int32_t inside;  ///< number of cores in the node, including itself
    std::int32_t end;     ///< last pixel; later, for a child of a fork: cores in its earlier siblings
  };
  static_assert(sizeof(Subtree) == sizeof(std::int64_t));

  SharedIslands all;
  Subtree* subtrees;      ///< per pixel
  std::uint64_t* key;     ///< per child of a fork: number of the fork, and last pixel of the child
  std::int32_t* child;    ///< per child of a fork: its node
  std::uint32_t* before;  ///< per child of a fork, after sorting: cores in the child; later in all earlier children
  std::int64_t* child_count;
  std::int64_t child_room;
  std::uint64_t* core_key;  ///< per core: sort key, made of the first core of its island and
                            ///< the level, highest first
  std::int32_t* core;       ///< per core_key: its core
  std::int32_t* place;      ///< per core: Cores::place
  int pixel_bits;           ///< bits of a pixel number

  static constexpr int level_bits = 8, levels = 1 << level_bits;

  SRCEXTRACT_HOST_DEVICE void clear(std::int64_t run) const {
    for_each_pixel(run, [&](const IslandState&, std::int32_t pixel) { subtrees[pixel] = {0, -1}; });
  }

  SRCEXTRACT_HOST_DEVICE void find_own_ends(std::int64_t run) const {
    for_each_pixel(run, [&](const IslandState&, std::int32_t pixel) {
      shared_raise(&subtrees[all.tree().node_of(pixel)].end, pixel);
    });
  }

  /// Passes the last pixel of each node on to its ancestors, up to one with a later last pixel. Also counts the cores
  /// in each node.
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

/// Returns the position of every core in its island (Cores::place). A core for which there was no room has none.
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

/// Steps that give CLEAN its data about cores: the source number of each core, and the source's position in its island.
/// `label` first has the number of the core of each core run; it is changed to the number of the source.
struct SharedCoreNumbers {
  SRCEXTRACT_STEP(number)
  SRCEXTRACT_STEP(set_place)

  std::int64_t island_room, source_room;
  const std::int32_t* first;    ///< per owner: its first piece; owners are whole islands, then cores
  const std::uint32_t* before;  ///< per piece: number of sources that begin before it
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
