#include "stages/sky/mesh.hpp"

#include <cub/block/block_reduce.cuh>
#include <limits>
#include <utility>

#include "cuda/sky/bend_nodes.hpp"
#include "cuda/sky/device_nodes.hpp"
#include "cuda/sky/mesh_block.hpp"
#include "cuda/sky/rank_finder.hpp"

namespace srcextract {

namespace {

__global__ void __launch_bounds__(block_threads, 6)
    estimate_mesh_kernel(const float* image, MeshGrid grid, BackgroundConfig config, NodeWriter nodes,
                         std::int64_t* unmasked) {
  __shared__ MeshHistogram histogram;
  __shared__ SumMemory memory;
  const MeshBlock pixels(image, grid, blockIdx.x);
  constexpr float all = std::numeric_limits<float>::infinity();
  const SummedMesh sums = sum_mesh(pixels, MeshCut{-all, all}, memory);
  if (threadIdx.x == 0) unmasked[blockIdx.x] = sums.count;
  if (too_few(sums.count, pixels.area(), config.surface)) {
    constexpr float bad = std::numeric_limits<float>::quiet_NaN();
    if (threadIdx.x == 0) nodes.set(blockIdx.x, {bad, bad});
    return;
  }
  const SummedMesh survivors = sum_mesh(pixels, cut_of(sums.spread), memory);
  const MeshBins bins(survivors, survivors.spread);
  count_bins(
      pixels, bins.count, [&](std::int64_t place) { return bins.bin_of(pixels.at(place)); }, histogram);
  if (threadIdx.x >= warp_size) return;
  const HistogramClip clip = histogram.clip(bins.count, config.kappa, config.estimator);
  if (threadIdx.x == 0) nodes.set(blockIdx.x, node_of(clip, bins, config.estimator));
}

constexpr int summary_threads = 1024;
constexpr unsigned int summary_blocks = 2;

/// Computes the second derivatives along one column of nodes, column thread / 2: of the level in even threads, of the
/// noise in odd threads.
__device__ void bend_columns(const NodeView& nodes, std::int64_t thread, const NodeWriter& bends) {
  const std::int64_t x = thread / 2;
  if (x >= nodes.width) return;
  const bool of_level = thread % 2 == 0;
  bend_nodes((of_level ? nodes.level : nodes.rms) + x, nodes.height, nodes.width,
             (of_level ? bends.level : bends.rms) + x);
}

/// Smallest and largest of `count` values. All threads of a block must call range_of() together; only the first thread
/// gets the result.
struct LeastAndMost {
  float least, most;
};
__device__ LeastAndMost range_of(const float* values, std::int64_t count) {
  using Reduce = cub::BlockReduce<float, summary_threads>;
  __shared__ typename Reduce::TempStorage memory;
  float least = values[0], most = values[0];
  for (std::int64_t i = threadIdx.x; i < count; i += summary_threads) {
    least = fminf(least, values[i]);
    most = fmaxf(most, values[i]);
  }
  least = Reduce(memory).Reduce(least, [](float a, float b) { return fminf(a, b); });
  __syncthreads();
  most = Reduce(memory).Reduce(most, [](float a, float b) { return fmaxf(a, b); });
  return {unsigned_zero(least), unsigned_zero(most)};
}

/// Returns the number of meshes without an estimate (NaN). All threads of a block must call this function together.
__device__ int count_bad(const float* estimates, std::int64_t count) {
  int bad = 0;
  for (std::int64_t first = 0; first < count; first += summary_threads) {
    const std::int64_t i = first + threadIdx.x;
    bad += __syncthreads_count(i < count && estimates[i] != estimates[i]);
  }
  return bad;
}

/// Returns the sum of `size` counts, in the first thread only. All threads of a block must call this function together.
__device__ std::int64_t sum_of_counts(const std::int64_t* counts, std::int64_t size) {
  using Reduce = cub::BlockReduce<std::int64_t, summary_threads>;
  __shared__ typename Reduce::TempStorage memory;
  std::int64_t own = 0;
  for (std::int64_t i = threadIdx.x; i < size; i += summary_threads) own += counts[i];
  return Reduce(memory).Sum(own);
}

/// Computes statistics of the sky over the whole image from the nodes: the first block for the level, the second block
/// for the noise. The other blocks compute the second derivatives at the nodes at the same time. All bytes of
/// `background` and `above` must be 0 before the launch.
__global__ void __launch_bounds__(summary_threads)
    summarize_mesh_kernel(const float* estimates, NodeView nodes, const std::int64_t* unmasked, Background* background,
                          Background* above, NodeWriter bends) {
  if (blockIdx.x >= summary_blocks) {
    bend_columns(nodes, std::int64_t{blockIdx.x - summary_blocks} * summary_threads + threadIdx.x, bends);
    return;
  }
  constexpr float any = -std::numeric_limits<float>::infinity();
  const std::int64_t count = nodes.width * nodes.height;
  const bool of_level = blockIdx.x == 0;
  const float* const values = of_level ? nodes.level : nodes.rms;
  float median = RankFinder(values, count).median(any);
  if (!of_level && !(median > 0)) median = RankFinder(values, count).median(0);
  const LeastAndMost range = range_of(values, count);
  const int bad = of_level ? count_bad(estimates, count) : 0;
  const std::int64_t pixels = of_level && unmasked != nullptr ? sum_of_counts(unmasked, count) : 0;
  if (threadIdx.x != 0) return;
  for (Background* const to : {background, above}) {
    if (of_level) {
      to->all.count = pixels;
      to->clipped.median = to == background ? unsigned_zero(median) : 0;
      to->converged = true;
      to->mesh.width = nodes.width;
      to->mesh.height = nodes.height;
      to->mesh.bad = bad;
      to->mesh.least_level = range.least;
      to->mesh.most_level = range.most;
    } else {
      to->clipped.sigma = range.most > 0 ? unsigned_zero(median) : 0;
      to->mesh.least_rms = range.least;
      to->mesh.most_rms = range.most;
    }
  }
}

}  // namespace

MeshSky<Gpu> mesh_sky_of(const DeviceNodes& estimates, DeviceNodes&& nodes, const std::int64_t* unmasked,
                         const MeshGrid& grid, const BackgroundConfig& config, const Gpu& where) {
  DeviceNodes bends(grid.nodes, where);
  MeshSky<Gpu> sky{{grid, {}, {}, {}, {}}, zeroed<Background>(where), zeroed<Background>(where)};
  const auto blocks_that_bend =
      static_cast<unsigned int>((2 * grid.nodes.width + summary_threads - 1) / summary_threads);
  summarize_mesh_kernel<<<summary_blocks + blocks_that_bend, summary_threads, 0, where.stream>>>(
      estimates.level.data(), nodes.view(), unmasked, sky.background.data(), sky.above.data(), bends.writer());
  check_launch();
  sky.mesh.level = std::move(nodes.level);
  sky.mesh.rms = std::move(nodes.rms);
  sky.mesh.level_bend = std::move(bends.level);
  sky.mesh.rms_bend = std::move(bends.rms);
  sky.mesh.rms_bounded = config.rms_map == NoiseBetweenNodes::bounded;
  return sky;
}

MeshSky<Gpu> estimate_mesh(const Image<float, Gpu>& image, const BackgroundConfig& config, const Gpu& where,
                           const MeshUnits<Gpu>& units) {
  const MeshGrid grid = mesh_grid(image.shape, mesh_sides(config));
  const std::int64_t count = grid.nodes.count();
  DeviceNodes estimates(grid.nodes, where);
  Buffer<std::int64_t, Gpu> unmasked(count, where);
  estimate_mesh_kernel<<<static_cast<unsigned int>(count), block_threads, 0, where.stream>>>(
      image.pixels.data(), grid, config, estimates.writer(), unmasked.data());
  check_launch();
  const bool again = units.mesh != nullptr;
  DeviceNodes nodes = estimates.filled_and_filtered(again ? widened_filter(config) : config, where);
  if (again) nodes = nodes.of_pixels(nodes_of(*units.mesh), units.rms_factor, where);
  if (again && config.surface == BackgroundSurface::quadric)
    nodes = nodes.on_surface_of(estimates.of_pixels(nodes_of(*units.mesh), units.rms_factor, where), where);
  return mesh_sky_of(estimates, std::move(nodes), unmasked.data(), grid, config, where);
}

}  // namespace srcextract
