#include "stages/measure/least_variance.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "stages/core/parallel.hpp"

namespace srcextract {

namespace {

/// Other threads have runs of the same source; the least of them does not depend on the order.
void lower(float& least, float value) {
  const std::atomic_ref shared(least);
  float seen = shared.load(std::memory_order_relaxed);
  while (value < seen && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

Buffer<float, Cpu> least_variance(const Image<float, Cpu>& variance, const Runs<Cpu>& runs,
                                  const Components<Cpu>& components, const Cpu& where) {
  constexpr std::int64_t rows_per_piece = 64;
  Buffer<float, Cpu> least(components.counts->kept, where);
  std::fill(least.begin(), least.end(), std::numeric_limits<float>::infinity());
  parallel_for(runs.shape.height, rows_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = runs.row_begin[begin]; i < runs.row_begin[end]; ++i) {
      if (components.label[i] <= 0) continue;
      const Run& run = runs.runs[i];
      const float* const row = variance.pixels.data() + run.y * variance.shape.width;
      lower(least[components.label[i] - 1], *std::min_element(row + run.begin, row + run.end));
    }
  });
  return least;
}

}  // namespace srcextract
