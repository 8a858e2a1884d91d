#pragma once

#include <cstdint>

#include "stages/core/atomics.hpp"

namespace srcextract {

/// Builds the trees of level_tree.hpp over the pixels of an image, by many threads at once without locks. All islands
/// may be built at once (as Blin, Carlinet, Lemaitre, Lacassagne & Geraud 2022, IEEE TPDS 33, do on a GPU).
///
/// A pixel's parent is one of these:
/// - an earlier pixel, in raster order, of the same level and node;
/// - a pixel of lower level, in a node that contains the pixel.
///
/// A thread that replaces a parent goes on to join the old parent and the new one, so no connection is lost. The root
/// of a node is its first pixel at the node's level; its parent has a lower level. Nodes and roots depend only on the
/// levels, not on the order of threads.
struct SharedTree {
  const std::uint8_t* level;
  std::int32_t* parent;

  /// Finds the root of the pixel's node, as far as pixels are joined so far. Halves the path to it, so that later
  /// searches are shorter.
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

  /// Joins the nodes of two pixels that touch. Walks from both nodes towards their roots, the higher one first, and
  /// merges the two paths until they meet.
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
      if (to == a) {  // a is the root of the pixels joined so far
        if (shared_replace(&parent[a], a, b) == a) return;
      } else if (level[to] >= level[b]) {
        a = to;  // also if another thread has just set a parent of this level
      } else if (shared_replace(&parent[a], to, b) == to) {
        a = b;
        b = to;
      }
    }
  }

  /// Call it after all joins. Sets the pixel's parent to the root of its node; the parent of a root becomes the root of
  /// the parent node. Returns the root of the pixel's node.
  SRCEXTRACT_HOST_DEVICE std::int32_t settle(std::int32_t pixel) const {
    const std::int32_t root = find(pixel);
    const std::int32_t to = shared_load(&parent[pixel]);
    if (to != pixel) shared_store(&parent[pixel], root != pixel ? root : find(to));
    return root;
  }

  /// Returns the root of the pixel's node. All pixels must be settled.
  SRCEXTRACT_HOST_DEVICE std::int32_t node_of(std::int32_t pixel) const {
    const std::int32_t to = parent[pixel];
    return level[to] == level[pixel] ? to : pixel;
  }
};

}  // namespace srcextract
