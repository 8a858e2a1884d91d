#pragma once

#include "stages/sky/mesh_spline.hpp"

namespace srcextract {

/// Computes bend(), the second derivatives of a spline at its nodes (stages/sky/mesh_spline.hpp), in one thread. Loads
/// 16 numbers at a time: waiting for 16 loads takes no longer than waiting for one.
__device__ inline void bend_nodes(const float* nodes, std::int64_t count, std::int64_t stride, float* out) {
  constexpr Pivots pivots = make_pivots();
  constexpr int together = 16;
  out[0] = 0;
  if (count == 1) return;
  out[(count - 1) * stride] = 0;
  float before = nodes[0], node = nodes[stride];
  double rest = 0;
  for (std::int64_t i = 1; i < count - 1; i += together) {
    float after[together];
#pragma unroll
    for (int k = 0; k < together; ++k) after[k] = i + k < count - 1 ? nodes[(i + k + 1) * stride] : 0;
#pragma unroll
    for (int k = 0; k < together; ++k) {
      if (i + k >= count - 1) break;
      rest = bend_down(pivots.at(i + k), rest, before, node, after[k]);
      out[(i + k) * stride] = static_cast<float>(rest);
      before = node;
      node = after[k];
    }
  }
  double next = 0;
  for (std::int64_t i = count - 2; i > 0; i -= together) {
    float rests[together];
#pragma unroll
    for (int k = 0; k < together; ++k) rests[k] = i - k > 0 ? out[(i - k) * stride] : 0;
#pragma unroll
    for (int k = 0; k < together; ++k) {
      if (i - k <= 0) break;
      next = bend_up(pivots.at(i - k), next, rests[k]) / 6;
      out[(i - k) * stride] = static_cast<float>(next);
    }
  }
}

}  // namespace srcextract
