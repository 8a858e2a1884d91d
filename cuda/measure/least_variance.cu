#include "stages/measure/least_variance.hpp"

#include <algorithm>
#include <limits>

#include "cuda/device/launch.hpp"

namespace srcextract {

namespace {

__global__ void fill_kernel(float* least, std::int64_t count) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total())
    least[i] = std::numeric_limits<float>::infinity();
}

/// A thread a run. Floats that are not negative are in the order of their bits as integers. Sources that there is no
/// room for are left out: the host will begin again.
__global__ void least_variance_kernel(const Run* runs, ItemCount items, const std::int32_t* label,
                                      const float* variance, std::int64_t width, int* least, std::int64_t room) {
  const std::int64_t count = items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    if (label[i] <= 0 || label[i] > room) continue;
    const Run run = runs[i];
    const float* const row = variance + run.y * width;
    float of_run = row[run.begin];
    for (std::int32_t x = run.begin + 1; x < run.end; ++x) of_run = row[x] < of_run ? row[x] : of_run;
    atomicMin(&least[label[i] - 1], __float_as_int(of_run));
  }
}

}  // namespace

Buffer<float, Gpu> least_variance(const Image<float, Gpu>& variance, const Runs<Gpu>& runs,
                                  const Components<Gpu>& components, const Gpu& where) {
  const std::int64_t most = runs.runs.size();
  if (most == 0) return {};
  const std::int64_t room = where.capacity.sources > 0 ? std::min(where.capacity.sources, most) : most;
  Buffer<float, Gpu> least(room, where);
  fill_kernel<<<grid_for(room, where), block_threads, 0, where.stream>>>(least.data(), room);
  check_launch();
  static_assert(sizeof(int) == sizeof(float));
  least_variance_kernel<<<grid_for(most, where), block_threads, 0, where.stream>>>(
      runs.runs.data(), ItemCount{runs.row_begin.data() + runs.shape.height, most}, components.label.data(),
      variance.pixels.data(), runs.shape.width, reinterpret_cast<int*>(least.data()), room);
  check_launch();
  return least;
}

}  // namespace srcextract
