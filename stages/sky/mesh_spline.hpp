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
};

constexpr Pivots make_pivots() {
  Pivots pivots{};
  for (int i = 1; i < distinct_pivots; ++i) pivots.of[i] = -1 / (pivots.of[i - 1] + 4);
  return pivots;
}

/// Sixths of the second derivatives at `count` nodes, which are `stride` apart, as are the results; at both ends 0.
SRCEXTRACT_HOST_DEVICE inline void bend(const float* nodes, std::int64_t count, std::int64_t stride, float* out) {
  constexpr Pivots pivots = make_pivots();
  const auto pivot = [&](std::int64_t i) { return pivots.of[i < distinct_pivots ? i : distinct_pivots - 1]; };
  const auto node = [&](std::int64_t i) { return static_cast<double>(nodes[i * stride]); };
  out[0] = 0;
  if (count == 1) return;
  out[(count - 1) * stride] = 0;
  double rest = 0;
  for (std::int64_t i = 1; i < count - 1; ++i) {
    rest = pivot(i) * (rest - 6 * (node(i + 1) + node(i - 1) - 2 * node(i)));
    out[i * stride] = static_cast<float>(rest);
  }
  double next = 0;
  for (std::int64_t i = count - 2; i > 0; --i) {
    next = (pivot(i) * next + static_cast<double>(out[i * stride])) / 6;
    out[i * stride] = static_cast<float>(next);
  }
}

/// The nodes of one column of meshes at row y, of `count` along y, `stride` apart.
SRCEXTRACT_HOST_DEVICE inline float node_in_row(const float* nodes, const float* bends, std::int64_t count,
                                                std::int64_t stride, std::int64_t mesh, std::int64_t y) {
  if (count == 1) return nodes[0];
  const double place = static_cast<double>(y) / static_cast<double>(mesh) - 0.5;
  auto below = static_cast<std::int64_t>(place);
  if (below > count - 2) below = count - 2;
  const double q = place - static_cast<double>(below), p = 1 - q;
  const float* const at = nodes + below * stride;
  const float* const bend_at = bends + below * stride;
  return static_cast<float>(p * static_cast<double>(at[0]) + q * static_cast<double>(at[stride]) +
                            (p * p * p - p) * static_cast<double>(bend_at[0]) +
                            (q * q * q - q) * static_cast<double>(bend_at[stride]));
}

/// The node left of pixel x, of `count` in its row, or the last but one. In 32 bits, which a row fits in: a GPU divides
/// 64 as slowly as it does all the rest of this.
SRCEXTRACT_HOST_DEVICE inline std::int64_t node_before(std::int64_t x, std::int64_t mesh, std::int64_t count) {
  const auto place = static_cast<std::uint32_t>(2 * x + 1), side = static_cast<std::uint32_t>(mesh);
  const std::int64_t node = place < side ? 0 : (place - side) / (2 * side);
  return node < count - 2 ? node : count - 2;
}

/// The piece of a row's spline between two nodes.
struct SplinePiece {
  float node, next_node, bend, next_bend, mesh, number;

  SRCEXTRACT_HOST_DEVICE SplinePiece(const float* nodes, const float* bends, std::int64_t before, std::int64_t side,
                                     std::int64_t stride)
      : node(nodes[before * stride]),
        next_node(nodes[(before + 1) * stride]),
        bend(bends[before * stride]),
        next_bend(bends[(before + 1) * stride]),
        mesh(static_cast<float>(side)),
        number(static_cast<float>(before)) {}

  SRCEXTRACT_HOST_DEVICE float at(float x) const {
    const float q = (x + 0.5F) / mesh - 0.5F - number, p = 1.0F - q;
    return p * (node + (p * p - 1.0F) * bend) + q * (next_node + (q * q - 1.0F) * next_bend);
  }
};

/// The value at pixel x of the spline through `count` nodes of a row, which are `stride` apart.
SRCEXTRACT_HOST_DEVICE inline float spline_at(const float* nodes, const float* bends, std::int64_t count,
                                              std::int64_t stride, std::int64_t mesh, std::int64_t x) {
  if (count == 1) return nodes[0];
  return SplinePiece(nodes, bends, node_before(x, mesh, count), mesh, stride).at(static_cast<float>(x));
}

}  // namespace srcextract
