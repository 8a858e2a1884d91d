#include "stages/measure/least_variance.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "stages/core/contract.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"

namespace srcextract {

namespace {

/// Sets `least` to `value` if `value` is less. The update is atomic, because other threads may have runs (consecutive
/// pixels of a row) of the same source. The minimum does not depend on the order.
void lower(double& least, double value) {
  const std::atomic_ref shared(least);
  double seen = shared.load(std::memory_order_relaxed);
  while (value < seen && !shared.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

/// Returns the least value over the runs of each source. Each thread calls make(), which returns a function that maps a
/// run to its least value. The thread passes runs to this function in raster order.
template <class Make>
Buffer<double, Cpu> least_of_runs(const Runs<Cpu>& runs, const Components<Cpu>& components, const Cpu& where,
                                  const Make& make) {
  constexpr std::int64_t rows_per_piece = 64;
  Buffer<double, Cpu> least(components.counts->kept, where);
  std::fill(least.begin(), least.end(), std::numeric_limits<double>::infinity());
  parallel_for(runs.shape.height, rows_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    auto of_run = make();
    for (std::int64_t i = runs.row_begin[begin]; i < runs.row_begin[end]; ++i)
      if (components.label[i] > 0) lower(least[components.label[i] - 1], of_run(runs.runs[i]));
  });
  return least;
}

}  // namespace

Buffer<double, Cpu> least_variance(const Image<float, Cpu>& variance, const Runs<Cpu>& runs,
                                   const Components<Cpu>& components, const Cpu& where) {
  SRCEXTRACT_EXPECT(variance.shape == runs.shape && are_labels_of(components, runs));
  return least_of_runs(runs, components, where, [&] {
    return [&variance](const Run& run) {
      const HeldRows held(variance, run.y, run.y + 1);
      const float* const row = variance.pixels.data() + run.y * variance.shape.width;
      return static_cast<double>(*std::min_element(row + run.begin, row + run.end));
    };
  });
}

Buffer<double, Cpu> least_variance(const SkyMesh<Cpu>& noise, const Runs<Cpu>& runs, const Components<Cpu>& components,
                                   const Cpu& where) {
  SRCEXTRACT_EXPECT(noise.grid.image == runs.shape && are_labels_of(components, runs));
  return least_of_runs(runs, components, where, [&] {
    return [row = MeshRow::of_rms(noise)](const Run& run) mutable {
      row.go_to(run.y);
      float least = row.at(run.begin);
      for (std::int32_t x = run.begin + 1; x < run.end; ++x) least = std::min(least, row.at(x));
      return variance_of(least);
    };
  });
}

}  // namespace srcextract
