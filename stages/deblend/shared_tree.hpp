#pragma once

#include <cstdint>

#include "stages/core/atomics.hpp"

namespace srcextract {

/// Builds level trees (level_tree.hpp) by many threads concurrently, without locks. The trees of all islands (connected
/// sets of foreground pixels) of an image may be built at the same time (as Blin, Carlinet, Lemaitre, Lacassagne &
/// Geraud 2022, IEEE TPDS 33, do on a GPU).
///
/// A pixel's parent is one of these:
/// - an earlier pixel, in raster order, of the same level and node;
/// - a pixel of lower level, in a node that contains the pixel;
/// - the pixel itself, if it is not yet joined with a pixel of lower level or an earlier pixel of its node.
///
/// A thread that replaces a parent then joins the old parent with the new parent, so no connection is lost. The root of
/// a node is its first pixel that has the node's level. Nodes and roots depend only on the levels of pixels, not on the
/// order in which threads work.
struct SharedTree {
  const std::uint8_t* level;
  std::int32_t* parent;

  /// Returns the root of the pixel's node, considering only the joins made so far. Halves the path to the root, so that
  /// later searches are shorter.
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

  /// Joins the nodes of two pixels that touch. Follows the parents of both nodes towards the root, the node of higher
  /// level first, and merges the two paths until they meet.
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
        a = to;  // also correct if another thread has just set a parent of the level of b
      } else if (shared_replace(&parent[a], to, b) == to) {
        a = b;
        b = to;
      }
    }
  }

  /// Sets the pixel's parent to the root of its node. If the pixel is that root, sets its parent to the root of the
  /// parent node. Returns the root of the pixel's node. May be called only after all joins.
  SRCEXTRACT_HOST_DEVICE std::int32_t settle(std::int32_t pixel) const {
    const std::int32_t root = find(pixel);
    const std::int32_t to = shared_load(&parent[pixel]);
    if (to != pixel) shared_store(&parent[pixel], root != pixel ? root : find(to));
    return root;
  }

  /// Returns the root of the pixel's node. May be called only after settle() of all pixels.
  SRCEXTRACT_HOST_DEVICE std::int32_t node_of(std::int32_t pixel) const {
    const std::int32_t to = parent[pixel];
    return level[to] == level[pixel] ? to : pixel;
  }
};

}  // namespace srcextract
