#pragma once

#include <cstdint>

#include "stages/core/atomics.hpp"

namespace srcextract {

/// The tree of level_tree.hpp over pixels of an image, as many threads make it at once without locks, island by island
/// or all together (as Blin, Carlinet, Lemaitre, Lacassagne & Geraud 2022, IEEE TPDS 33, do on a GPU).
///
/// A pixel's parent is of its own level, earlier in raster order and in the same node, or of a lower one and in a node
/// that contains it. Whoever puts a parent in the place of another goes on to join the two, so once all threads are
/// done nothing is lost; and what a node is follows from the levels alone: its root, the pixel without a parent of its
/// level, is the first of those.
struct SharedTree {
  const std::uint8_t* level;
  std::int32_t* parent;

  /// The root of the pixel's node, as far as it is known by now. On the way there paths are halved.
  SRCEXTRACT_HOST_DEVICE std::int32_t find(std::int32_t pixel) const {
    const std::uint8_t own = level[pixel];
    for (;;) {
      const std::int32_t to = shared_load(&parent[pixel]);
      if (to == pixel || level[to] != own) return pixel;
      const std::int32_t next = shared_load(&parent[to]);
      if (next == to || level[next] != own) return to;
      shared_replace(&parent[pixel], to, next);
      pixel = next;
    }
  }

  /// Joins two pixels that touch: walks down from both nodes, the higher one first, and sorts the one way to the root
  /// into the other, until they meet.
  SRCEXTRACT_HOST_DEVICE void join(std::int32_t a, std::int32_t b) const {
    for (;;) {
      a = find(a);
      b = find(b);
      if (a == b) return;
      if (level[a] < level[b] || (level[a] == level[b] && a < b)) {
        const std::int32_t higher = b;
        b = a;
        a = higher;
      }
      const std::int32_t to = shared_load(&parent[a]);
      if (to == a) {  // the root of what was joined so far
        if (shared_replace(&parent[a], a, b) == a) return;
      } else if (level[to] >= level[b]) {
        a = to;  // also where another thread has given it a parent of its level
      } else if (shared_replace(&parent[a], to, b) == to) {
        a = b;
        b = to;
      }
    }
  }

  /// Once all are joined: the root of the pixel's node, and of a root that of its node's parent, become its parent.
  SRCEXTRACT_HOST_DEVICE std::int32_t settle(std::int32_t pixel) const {
    const std::int32_t root = find(pixel);
    const std::int32_t to = shared_load(&parent[pixel]);
    if (to != pixel) shared_store(&parent[pixel], root != pixel ? root : find(to));
    return root;
  }

  /// Below: once all are settled.
  SRCEXTRACT_HOST_DEVICE std::int32_t node_of(std::int32_t pixel) const {
    const std::int32_t to = parent[pixel];
    return level[to] == level[pixel] ? to : pixel;
  }
};

}  // namespace srcextract
