#pragma once

#include <cstdint>
#include <limits>

#include "cuda/device/warp.hpp"
#include "stages/photometry/lanes.hpp"

namespace srcextract {

static_assert(warp_size == lane_count);

/// HostLanes for a warp, all of whose lanes call everything together and learn the same.
class WarpLanes {
 public:
  /// `bins` in shared memory, most_bins of the warp's own.
  __device__ explicit WarpLanes(unsigned long long* bins) : bins_(bins) {}

  /// A lane a column, and the tree by shuffles: addition does not mind which of two comes first, so that all lanes have
  /// the bits of the first.
  template <int N, class F>
  __device__ Sums<N> sum(const ApertureBox& box, const F& f) const {
    Sums<N> own{};
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y) {
      for (std::int32_t x = box.x_begin + lane(); x < box.x_end; x += lane_count) {
        const Sums<N> pixel = f(x, y);
        for (int k = 0; k < N; ++k) own.of[k] += pixel.of[k];
      }
    }
    for (int k = 0; k < N; ++k)
      for (int half = lane_count / 2; half > 0; half /= 2) own.of[k] += __shfl_xor_sync(all_lanes, own.of[k], half);
    return own;
  }

  template <class F>
  __device__ double max(const ApertureBox& box, const F& f) const {
    double largest = -std::numeric_limits<double>::max();
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y) {
      for (std::int32_t x = box.x_begin + lane(); x < box.x_end; x += lane_count) {
        const double value = f(x, y);
        if (value > largest) largest = value;
      }
    }
    for (int half = lane_count / 2; half > 0; half /= 2) {
      const double other = __shfl_xor_sync(all_lanes, largest, half);
      if (other > largest) largest = other;
    }
    return largest;
  }

  template <class F>
  __device__ const std::int64_t* bins(int count, const ApertureBox& box, const F& f) const {
    __syncwarp();
    for (int i = lane(); i < count; i += lane_count) bins_[i] = 0;
    __syncwarp();
    const auto add = [this](int bin, std::int64_t value) {
      atomicAdd(&bins_[bin], static_cast<unsigned long long>(value));
    };
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y)
      for (std::int32_t x = box.x_begin + lane(); x < box.x_end; x += lane_count) f(x, y, add);
    __syncwarp();
    return reinterpret_cast<const std::int64_t*>(bins_);
  }

 private:
  unsigned long long* bins_;
};

}  // namespace srcextract
