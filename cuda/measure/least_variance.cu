#include "stages/measure/least_variance.hpp"

#include <limits>

#include "cuda/device/launch.hpp"
#include "cuda/sky/mesh_rows.hpp"

namespace srcextract {

namespace {

__global__ void fill_kernel(double* least, std::int64_t count) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total())
    least[i] = std::numeric_limits<double>::infinity();
}

/// A map of variances. least() returns the smallest variance in a run, a set of consecutive pixels of a row.
struct VarianceMap {
  const float* pixels;
  std::int64_t width;

  __device__ double least(const Run& run) const {
    const float* const row = pixels + run.y * width;
    float least = row[run.begin];
    for (std::int32_t x = run.begin + 1; x < run.end; ++x) least = row[x] < least ? row[x] : least;
    return static_cast<double>(least);
  }
};

/// As VarianceMap, but for noise (standard deviation) from a mesh. least() returns variance_of() the smallest
/// noise in a run.
struct VarianceOfMesh {
  MeshMap rms;

  __device__ double least(const Run& run) const {
    float least = rms.at(run.begin, run.y);
    for (std::int32_t x = run.begin + 1; x < run.end; ++x) {
      const float one = rms.at(x, run.y);
      least = one < least ? one : least;
    }
    return variance_of(least);
  }
};

/// Finds the smallest variance of each source, with one thread per run. Compares doubles as integers, which is correct
/// since variances are not negative. Skips sources that the buffers cannot hold: the host repeats the work with larger
/// buffers.
template <class Variance>
__global__ void least_variance_kernel(const Run* runs, ItemCount items, const std::int32_t* label, Variance variance,
                                      long long* least, std::int64_t room) {
  const std::int64_t count = items();
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    if (label[i] <= 0 || label[i] > room) continue;
    atomicMin(&least[label[i] - 1], __double_as_longlong(variance.least(runs[i])));
  }
}

template <class Variance>
Buffer<double, Gpu> least_of_runs(const Variance& variance, const Runs<Gpu>& runs, const Components<Gpu>& components,
                                  const Gpu& where) {
  const std::int64_t most = runs.runs.size();
  const std::int64_t room = Capacity::within(where.capacity.sources, most);
  Buffer<double, Gpu> least(room, where);
  fill_kernel<<<grid_for(room, where), block_threads, 0, where.stream>>>(least.data(), room);
  check_launch();
  static_assert(sizeof(long long) == sizeof(double));
  least_variance_kernel<<<grid_for(most, where), block_threads, 0, where.stream>>>(
      runs.runs.data(), items_of(runs), components.label.data(), variance, reinterpret_cast<long long*>(least.data()),
      room);
  check_launch();
  return least;
}

}  // namespace

Buffer<double, Gpu> least_variance(const Image<float, Gpu>& variance, const Runs<Gpu>& runs,
                                   const Components<Gpu>& components, const Gpu& where) {
  if (runs.runs.empty()) return {};
  return least_of_runs(VarianceMap{variance.pixels.data(), runs.shape.width}, runs, components, where);
}

Buffer<double, Gpu> least_variance(const SkyMesh<Gpu>& noise, const Runs<Gpu>& runs, const Components<Gpu>& components,
                                   const Gpu& where) {
  if (runs.runs.empty()) return {};
  const MeshRows rows = MeshRows::of_rms(noise, where);
  return least_of_runs(VarianceOfMesh{rows.map()}, runs, components, where);
}

}  // namespace srcextract
