#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/sky/mesh.hpp"

// The bicubic spline through the nodes of a mesh, as SExtractor's manual and source define it: along y first, then
// along x through what that gives in a row. It is not the natural spline: see `bend`. All of it is rounded alike on
// both back ends: along y in double and to float once, along a row in float.

namespace srcextract {

/// The elimination's pivots are T(1) = -1/4, T(i) = -1 / (T(i - 1) + 4); from here on they are equal to the last bit.
inline constexpr int distinct_pivots = 24;

struct Pivots {
  double of[distinct_pivots];

  SRCEXTRACT_HOST_DEVICE constexpr double at(std::int64_t i) const {
    return of[i < distinct_pivots ? i : distinct_pivots - 1];
  }
};

constexpr Pivots make_pivots() {
  Pivots pivots{};
  for (int i = 1; i < distinct_pivots; ++i) pivots.of[i] = -1 / (pivots.of[i - 1] + 4);
  return pivots;
}

/// One step of the elimination, down the nodes: what the node before left, and the node between its neighbours.
SRCEXTRACT_HOST_DEVICE inline double bend_down(double pivot, double rest, float before, float node, float after) {
  return pivot *
         (rest - 6 * (static_cast<double>(after) + static_cast<double>(before) - 2 * static_cast<double>(node)));
}

/// Six times what one step back up gives: from what the node after has, and what was left here.
SRCEXTRACT_HOST_DEVICE inline double bend_up(double pivot, double next, float rest) {
  return pivot * next + static_cast<double>(rest);
}

/// Sixths of the second derivatives at `count` nodes, which are `stride` apart, as are the results; at both ends 0.
inline void bend(const float* nodes, std::int64_t count, std::int64_t stride, float* out) {
  constexpr Pivots pivots = make_pivots();
  out[0] = 0;
  out[(count - 1) * stride] = 0;
  double rest = 0;
  for (std::int64_t i = 1; i < count - 1; ++i) {
    const float* const at = nodes + i * stride;
    rest = bend_down(pivots.at(i), rest, at[-stride], at[0], at[stride]);
    out[i * stride] = static_cast<float>(rest);
  }
  double next = 0;
  for (std::int64_t i = count - 2; i > 0; --i) {
    next = bend_up(pivots.at(i), next, out[i * stride]) / 6;
    out[i * stride] = static_cast<float>(next);
  }
}

/// Where row y is between the nodes of a column of meshes.
struct NodePlace {
  std::int64_t below;  ///< the node; -1 if there is one alone
  double p, q, bend, next_bend;

  SRCEXTRACT_HOST_DEVICE NodePlace(std::int64_t y, std::int64_t mesh, std::int64_t count) {
    const double place = static_cast<double>(y) / static_cast<double>(mesh) - 0.5;
    below = static_cast<std::int64_t>(place);
    if (below > count - 2) below = count - 2;
    q = place - static_cast<double>(below);
    p = 1 - q;
    bend = p * p * p - p;
    next_bend = q * q * q - q;
  }

  /// The node of that row of one column, whose nodes are `stride` apart.
  SRCEXTRACT_HOST_DEVICE float at(const float* nodes, const float* bends, std::int64_t stride) const {
    if (below < 0) return nodes[0];
    const float* const node = nodes + below * stride;
    const float* const node_bend = bends + below * stride;
    return static_cast<float>(p * static_cast<double>(node[0]) + q * static_cast<double>(node[stride]) +
                              bend * static_cast<double>(node_bend[0]) +
                              next_bend * static_cast<double>(node_bend[stride]));
  }
};

/// The node left of pixel x, of `count` in its row, or the last but one. In 32 bits, which a row fits in: a GPU divides
/// 64 as slowly as it does all the rest of this.
SRCEXTRACT_HOST_DEVICE inline std::int64_t node_before(std::int64_t x, std::int64_t mesh, std::int64_t count) {
  const auto place = static_cast<std::uint32_t>(2 * x + 1), side = static_cast<std::uint32_t>(mesh);
  const std::int64_t node = place < side ? 0 : (place - side) / (2 * side);
  return node < count - 2 ? node : count - 2;
}

/// Where pixels of a row are in meshes: (x + 0.5) / side. Of meshes of 2^n pixels the product is the same number,
/// sooner.
struct MeshScale {
  float side, inverse;  ///< inverse: 0 where it is not exact

  SRCEXTRACT_HOST_DEVICE explicit MeshScale(std::int64_t mesh)
      : side(static_cast<float>(mesh)), inverse((mesh & (mesh - 1)) == 0 ? 1.0F / side : 0.0F) {}

  SRCEXTRACT_HOST_DEVICE float at(float x) const { return inverse != 0 ? (x + 0.5F) * inverse : (x + 0.5F) / side; }
};

/// The piece of a row's spline between two nodes.
struct SplinePiece {
  float node, next_node, bend, next_bend;

  SRCEXTRACT_HOST_DEVICE SplinePiece(const float* nodes, const float* bends, std::int64_t before, std::int64_t stride)
      : node(nodes[before * stride]),
        next_node(nodes[(before + 1) * stride]),
        bend(bends[before * stride]),
        next_bend(bends[(before + 1) * stride]) {}

  /// How far pixel x is beyond the node `before`, in meshes.
  SRCEXTRACT_HOST_DEVICE static float beyond(float x, const MeshScale& scale, float before) {
    return scale.at(x) - 0.5F - before;
  }

  SRCEXTRACT_HOST_DEVICE float at(float q) const {
    const float p = 1.0F - q;
    return p * (node + (p * p - 1.0F) * bend) + q * (next_node + (q * q - 1.0F) * next_bend);
  }
};

/// The value at pixel x of the spline through `count` nodes of a row, which are `stride` apart.
SRCEXTRACT_HOST_DEVICE inline float spline_at(const float* nodes, const float* bends, std::int64_t count,
                                              std::int64_t stride, std::int64_t mesh, std::int64_t x) {
  if (count == 1) return nodes[0];
  const std::int64_t before = node_before(x, mesh, count);
  const float q = SplinePiece::beyond(static_cast<float>(x), MeshScale(mesh), static_cast<float>(before));
  return SplinePiece(nodes, bends, before, stride).at(q);
}

}  // namespace srcextract
