#include "stages/sky/lower_noise.hpp"

#include <cub/block/block_scan.cuh>
#include <utility>

#include "cuda/device/launch.hpp"
#include "cuda/sky/device_nodes.hpp"
#include "cuda/sky/mesh_block.hpp"
#include "cuda/sky/rank_finder.hpp"
#include "stages/sky/lower_noise_rule.hpp"

namespace srcextract {

namespace {

constexpr int bins_per_thread = depth_bins / block_threads;

/// Finds the factor of one mesh with a block. Adds the mesh's pixels to `below` and `all` (SidesOfSky).
__global__ void __launch_bounds__(block_threads)
    find_factors_kernel(const float* image, MeshGrid grid, const float* rms, double white, bool negated,
                        unsigned long long* all_below, unsigned long long* all, NodeWriter factors) {
  using Scan = cub::BlockScan<std::int64_t, block_threads>;
  __shared__ unsigned int counts[depth_bins], good;
  __shared__ typename Scan::TempStorage memory;
  const std::int64_t x = blockIdx.x % grid.nodes.width * grid.mesh.width;
  const std::int64_t y = blockIdx.x / grid.nodes.width * grid.mesh.height;
  const std::int64_t width = min(grid.mesh.width, grid.image.width - x);
  const std::int64_t height = min(grid.mesh.height, grid.image.height - y), step = depth_row_step(grid.mesh.height);
  const std::int64_t rows = (height + step - 1) / step;
  const float scale = depth_scale(rms[blockIdx.x], white, negated);
  for (int bin = static_cast<int>(threadIdx.x); bin < depth_bins; bin += block_threads) counts[bin] = 0;
  if (threadIdx.x == 0) good = 0;
  __syncthreads();
  unsigned int own_good = 0;
  for (std::int64_t row = threadIdx.x / sum_columns; row < rows; row += sum_rows) {
    const float* const from = image + (y + row * step) * grid.image.width + x;
    for (std::int64_t column = threadIdx.x % sum_columns; column < width; column += sum_columns) {
      const float pixel = from[column];
      own_good += pixel == pixel ? 1 : 0;
      if (const int bin = depth_bin(pixel, scale); bin < depth_bins) atomicAdd(&counts[bin], 1u);
    }
  }
  atomicAdd(&good, own_good);
  __syncthreads();
  const int first = static_cast<int>(threadIdx.x) * bins_per_thread;
  std::int64_t own = 0, before, below;
  for (int k = 0; k < bins_per_thread; ++k) own += counts[first + k];
  Scan(memory).ExclusiveSum(own, before, below);
  __shared__ Depths depths;
  __shared__ std::int64_t counting;
  // Of each depth, one thread has the bin. The first round finds the last bin that counts, and sets `counting`.
  int last = depth_bins - 1;
  std::int64_t values = below;
  for (int round = 0; round < 2; ++round) {
    if (threadIdx.x == 0) depths = {0, 0, 0};
    __syncthreads();
    std::int64_t through = before;
    for (int k = 0; k < bins_per_thread && first + k <= last; ++k) {
      through += counts[first + k];
      depths.find(first + k, values - through, counts[first + k], values);
    }
    __syncthreads();
    if (round == 1) break;
    last = depths.deepest_bin();
    through = before;
    for (int k = 0; k < bins_per_thread; ++k) {
      through += counts[first + k];
      if (first + k == last) counting = through;
    }
    __syncthreads();
    values = counting;
  }
  if (threadIdx.x != 0) return;
  if (scale != 0) {
    atomicAdd(all_below, static_cast<unsigned long long>(below));
    atomicAdd(all, static_cast<unsigned long long>(good));
  }
  factors.set(blockIdx.x, factor_of_depths(depths, below, rows * width));
}

__global__ void filter_factors_kernel(NodeView from, BackgroundConfig filter, NodeWriter to) {
  const std::int64_t i = thread_index();
  if (i < from.width * from.height) to.set(i, filtered_factor(from, i % from.width, i / from.width, filter));
}

__global__ void filtered_noise_kernel(NodeView factors, NodeView noise, double white, const Background* clipped,
                                      NodeWriter to) {
  const std::int64_t i = thread_index();
  const auto limit = static_cast<float>(clipped->clipped.sigma);
  if (i < noise.width * noise.height)
    to.set(i, filtered_noise(factors, noise, white, limit, i % noise.width, i / noise.width));
}

__global__ void find_ratios_kernel(const float* filtered, NodeView noise, float* ratios) {
  const std::int64_t i = thread_index();
  if (i < noise.width * noise.height) ratios[i] = ratio_of_noise(filtered[i], noise.rms[i]);
}

/// Sets the typical noise of the filtered image. One block is launched.
__global__ void set_typical_noise_kernel(const float* ratios, std::int64_t count, const Background* sky,
                                         Background* found) {
  const float ratio = RankFinder(ratios, count).median(0);
  if (threadIdx.x == 0 && found->clipped.sigma > 0) found->clipped.sigma = sky->clipped.sigma * double{ratio};
}

__device__ bool told_by(const unsigned long long* sides) {
  return tells_noise({static_cast<std::int64_t>(sides[0]), static_cast<std::int64_t>(sides[1])});
}

/// Converts nodes and bends to the unit of pixels, in which `sky` has the noise of the unfiltered image; or replaces
/// them by those of `noise`, if the pixels below 0 do not tell the noise.
__global__ void scale_nodes_kernel(const unsigned long long* sides, NodeView noise, const float* noise_bends,
                                   const Background* sky, const Background* found, float* rms, float* bends) {
  const std::int64_t i = thread_index();
  if (i >= noise.width * noise.height) return;
  const bool told = told_by(sides);
  rms[i] = told ? in_unit_of_pixels(rms[i], found->clipped.sigma, sky->clipped.sigma) : noise.rms[i];
  bends[i] = told ? in_unit_of_pixels(bends[i], found->clipped.sigma, sky->clipped.sigma) : noise_bends[i];
}

__global__ void choose_noise_kernel(const unsigned long long* sides, const Background* clipped, Background* found) {
  if (!told_by(sides)) *found = *clipped;
}

}  // namespace

MeshSky<Gpu> lower_noise(const Image<float, Gpu>& image, const SkyMesh<Gpu>& noise, const Value<Background, Gpu>& sky,
                         double white, bool negated, const ClippedNoise<Gpu>& clipped, const BackgroundConfig& config,
                         const Gpu& where) {
  const MeshGrid& grid = noise.grid;
  const std::int64_t count = grid.nodes.count();
  DeviceNodes estimates(grid.nodes, where), nodes(grid.nodes, where);
  auto sides = filled<unsigned long long>(2, 0, where);
  find_factors_kernel<<<static_cast<unsigned int>(count), block_threads, 0, where.stream>>>(
      image.pixels.data(), grid, noise.rms.data(), white, negated, sides.data(), sides.data() + 1, estimates.writer());
  check_launch();
  const DeviceNodes whole = estimates.filled(where);
  DeviceNodes factors(grid.nodes, where);
  filter_factors_kernel<<<blocks_for(count), block_threads, 0, where.stream>>>(whole.view(), factor_filter(config),
                                                                               factors.writer());
  check_launch();
  const Value<Background, Gpu> otherwise = clipped();
  filtered_noise_kernel<<<blocks_for(count), block_threads, 0, where.stream>>>(factors.view(), nodes_of(noise), white,
                                                                               otherwise.data(), nodes.writer());
  check_launch();
  MeshSky<Gpu> found = mesh_sky_of(estimates, std::move(nodes), nullptr, grid, config, where);
  Buffer<float, Gpu> ratios(count, where);
  find_ratios_kernel<<<blocks_for(count), block_threads, 0, where.stream>>>(found.mesh.rms.data(), nodes_of(noise),
                                                                            ratios.data());
  check_launch();
  set_typical_noise_kernel<<<1, block_threads, 0, where.stream>>>(ratios.data(), count, sky.data(),
                                                                  found.background.data());
  check_launch();
  scale_nodes_kernel<<<blocks_for(count), block_threads, 0, where.stream>>>(
      sides.data(), nodes_of(noise), noise.rms_bend.data(), sky.data(), found.background.data(), found.mesh.rms.data(),
      found.mesh.rms_bend.data());
  check_launch();
  choose_noise_kernel<<<1, 1, 0, where.stream>>>(sides.data(), otherwise.data(), found.background.data());
  check_launch();
  found.mesh.rms_bounded = true;
  return found;
}

}  // namespace srcextract
