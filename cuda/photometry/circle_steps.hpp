#pragma once

#include <cstdint>

#include "cuda/device/warp.hpp"
#include "stages/photometry/lanes.hpp"

namespace srcextract {

static_assert(warp_size == lane_count);

/// Positions of the 32 lanes of a warp while they step together through the bounding box of a circle, row by row. In
/// each step, the lanes cover `columns` columns and 32 / columns rows.
struct CircleSteps {
  static constexpr int most = 24;

  std::int32_t x, y;    ///< position of lane 0 at step 0
  std::int32_t in_row;  ///< number of steps from left to right, before the next step begins below
  int columns;          ///< number of columns that the lanes cover in one step: 8, 16 or 32

  __device__ std::int32_t x_at(int step, int of) const {
    return x + (in_row == 1 ? 0 : step % in_row * columns) + (of & (columns - 1));
  }
  __device__ std::int32_t y_at(int step, int of) const {
    return y + (in_row == 1 ? step : step / in_row) * (lane_count / columns) + of / columns;
  }
};

/// The position of this lane; go_on() proceeds to the next step.
class CircleWalk {
 public:
  std::int32_t x, y;

  __device__ explicit CircleWalk(const CircleSteps& steps)
      : x(steps.x_at(0, lane())), y(steps.y_at(0, lane())), steps_(steps) {}
  __device__ void go_on() {
    x += steps_.columns;
    if (++in_row_ < steps_.in_row) return;
    in_row_ = 0;
    x -= steps_.in_row * steps_.columns;
    y += lane_count / steps_.columns;
  }

 private:
  const CircleSteps& steps_;
  int in_row_ = 0;
};

}  // namespace srcextract
