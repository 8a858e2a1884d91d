#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/sky/mesh.hpp"

// The bicubic spline through the nodes of a mesh, as SExtractor defines it: first along y, then along x through the
// results of an image row. The spline is not exactly the natural spline: see `bend`. CPU and GPU round alike: along y
// in double, with one rounding to float; along a row in float.
//
// Beside a step of the nodes the spline overshoots, and half a mesh from the edges of the image it is extrapolated. A
// map that is `bounded` is the spline limited to the range of the nodes on both sides, first along y, then along x.
// Beyond the outermost nodes it goes on along the straight line through two nodes if that rises, to at most twice the
// outermost node. It does not fall: noise that is too low makes sources.

namespace srcextract {

/// Number of stored pivots of the elimination, T(1) = -1/4 and T(i) = -1 / (T(i - 1) + 4). Pivots from this index on
/// equal the last stored pivot to the last bit.
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

/// One forward step of the tridiagonal elimination along the nodes. `rest` is the result of the previous step; `before`
/// and `after` are the values of the nodes next to `node`.
SRCEXTRACT_HOST_DEVICE inline double bend_down(double pivot, double rest, float before, float node, float after) {
  return pivot *
         (rest - 6 * (static_cast<double>(after) + static_cast<double>(before) - 2 * static_cast<double>(node)));
}

/// One backward step of the elimination; returns six times the final result at a node. `next` is the final result at
/// the next node, and `rest` is the result of the forward step at this node.
SRCEXTRACT_HOST_DEVICE inline double bend_up(double pivot, double next, float rest) {
  return pivot * next + static_cast<double>(rest);
}

/// Computes a sixth of the second derivative at each of `count` nodes; 0 at both ends. The backward step uses a sixth
/// of the derivative at the next node where the natural spline needs the derivative itself; SExtractor does the same.
/// Nodes and results are `stride` elements apart.
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

/// Limits `value` to the range of the values `a` and `b`.
SRCEXTRACT_HOST_DEVICE inline float value_between(float value, float a, float b) {
  const float least = a < b ? a : b, most = a < b ? b : a;
  return value < least ? least : value > most ? most : value;
}

/// The value of a bounded map at the part q of the way from the node `a` to `b`, where the spline has `value`.
SRCEXTRACT_HOST_DEVICE inline float bounded_value(float value, float a, float b, float q) {
  if (q >= 0.0F && q <= 1.0F) return value_between(value, a, b);
  const float line = a + q * (b - a), outer = q < 0.0F ? a : b;
  return value_between(line, outer, 2.0F * outer);
}

/// The position of image row y between two rows of nodes, and the weights of the spline along y there.
struct NodePlace {
  std::int64_t below;  ///< index of the row of nodes before y, at least 0 and at most count - 2; -1 if there is only
                       ///< one row of nodes
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

  /// The value in this image row at one column of nodes. Elements of both arrays are `stride` apart.
  SRCEXTRACT_HOST_DEVICE float at(const float* nodes, const float* bends, std::int64_t stride, bool bounded) const {
    if (below < 0) return nodes[0];
    const float* const node = nodes + below * stride;
    const float* const node_bend = bends + below * stride;
    const auto value = static_cast<float>(p * static_cast<double>(node[0]) + q * static_cast<double>(node[stride]) +
                                          bend * static_cast<double>(node_bend[0]) +
                                          next_bend * static_cast<double>(node_bend[stride]));
    return bounded ? bounded_value(value, node[0], node[stride], static_cast<float>(q)) : value;
  }
};

/// The index of the node left of pixel x, at least 0 and at most count - 2; -1 if count is 1. The index is computed in
/// 32 bits, since a 64-bit division on a GPU takes as long as the rest of the evaluation.
SRCEXTRACT_HOST_DEVICE inline std::int64_t node_before(std::int64_t x, std::int64_t mesh, std::int64_t count) {
  const auto place = static_cast<std::uint32_t>(2 * x + 1), side = static_cast<std::uint32_t>(mesh);
  const std::int64_t node = place < side ? 0 : (place - side) / (2 * side);
  return node < count - 2 ? node : count - 2;
}

/// Converts a pixel's coordinate x in a row to units of meshes: (x + 0.5) / side. If the side is a power of two,
/// multiplication by the inverse gives the same float faster.
struct MeshScale {
  float side, inverse;  ///< inverse: 0 unless the side is a power of two

  SRCEXTRACT_HOST_DEVICE explicit MeshScale(std::int64_t mesh)
      : side(static_cast<float>(mesh)), inverse((mesh & (mesh - 1)) == 0 ? 1.0F / side : 0.0F) {}

  SRCEXTRACT_HOST_DEVICE float at(float x) const { return inverse != 0 ? (x + 0.5F) * inverse : (x + 0.5F) / side; }
};

/// The piece of a row's spline between two nodes: values and sixths of the second derivatives at both nodes.
struct SplinePiece {
  float node, next_node, bend, next_bend;

  SRCEXTRACT_HOST_DEVICE SplinePiece(const float* nodes, const float* bends, std::int64_t before, std::int64_t stride)
      : node(nodes[before * stride]),
        next_node(nodes[(before + 1) * stride]),
        bend(bends[before * stride]),
        next_bend(bends[(before + 1) * stride]) {}

  SRCEXTRACT_HOST_DEVICE static float beyond(float x, const MeshScale& scale, float before) {
    return scale.at(x) - 0.5F - before;
  }

  SRCEXTRACT_HOST_DEVICE float at(float q) const {
    const float p = 1.0F - q;
    return p * (node + (p * p - 1.0F) * bend) + q * (next_node + (q * q - 1.0F) * next_bend);
  }

  SRCEXTRACT_HOST_DEVICE float at(float q, bool bounded) const {
    return bounded ? bounded_value(at(q), node, next_node, q) : at(q);
  }
};

/// The value at pixel x of the spline through `count` nodes of a row. `bends` has a sixth of the second derivative at
/// each node. Elements of both arrays are `stride` apart. `mesh` is the width of a mesh in pixels.
SRCEXTRACT_HOST_DEVICE inline float spline_at(const float* nodes, const float* bends, std::int64_t count,
                                              std::int64_t stride, std::int64_t mesh, std::int64_t x, bool bounded) {
  if (count == 1) return nodes[0];
  const std::int64_t before = node_before(x, mesh, count);
  const float q = SplinePiece::beyond(static_cast<float>(x), MeshScale(mesh), static_cast<float>(before));
  return SplinePiece(nodes, bends, before, stride).at(q, bounded);
}

}  // namespace srcextract
