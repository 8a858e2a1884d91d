#include "stages/weights/noise_scale.hpp"

#include <limits>

#include "cuda/sky/device_nodes.hpp"
#include "cuda/sky/mesh_block.hpp"
#include "cuda/sky/rank_finder.hpp"
#include "stages/weights/noise_ratio.hpp"

namespace srcextract {

namespace {

/// Estimates the variance in each mesh of the variance map, with one block per mesh, as estimate_mesh() estimates the
/// sky level.
__global__ void __launch_bounds__(block_threads)
    estimate_variance_kernel(const float* pixels, const float* variances, MeshGrid grid, BackgroundConfig config,
                             NodeWriter nodes) {
  __shared__ MeshHistogram histogram;
  __shared__ SumMemory memory;
  const MeshBlock image(pixels, grid, blockIdx.x), variance(variances, grid, blockIdx.x);
  constexpr float bad = std::numeric_limits<float>::quiet_NaN();
  constexpr MeshCut everything{-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
  const SummedMesh all = sum_mesh(image, everything, memory);
  if (2 * all.count < image.area()) {
    if (threadIdx.x == 0) nodes.set(blockIdx.x, {bad, bad});
    return;
  }
  const MeshCut cut = cut_of(all.spread);
  const SummedMesh survivors = sum_mesh(image, cut, memory);
  const MeshBins bins(survivors, survivors.spread);

  const auto unmasked = [&](std::int64_t place) {
    return everything.contains(variance.at(place)) && everything.contains(image.at(place));
  };
  const MeshCut own_cut = cut_of(sum_mesh(variance, unmasked, memory).spread);
  const auto in_both = [&](std::int64_t place) {
    return own_cut.contains(variance.at(place)) && cut.contains(image.at(place));
  };
  const SummedMesh own = sum_mesh(variance, in_both, memory);
  const MeshBins own_bins(own, own.spread);
  const auto bin_at = [&](std::int64_t place) {
    return bins.bin_of(image.at(place)) < 0 ? -1 : own_bins.bin_of(variance.at(place));
  };
  count_bins(variance, own_bins.count, bin_at, histogram);
  if (threadIdx.x >= warp_size) return;
  const HistogramClip clip = histogram.clip(own_bins.count, config.kappa);
  if (threadIdx.x == 0) nodes.set(blockIdx.x, node_of(clip, own_bins, config.estimator));
}

/// Sets `scale` to the median of those ratios rms / sqrt(variance) of nodes that are above 0, or to 1 if there are
/// none; runs in a single block. `ratios` must hold `count` elements.
__global__ void __launch_bounds__(block_threads)
    median_ratio_kernel(const float* rms, const float* variance, std::int64_t count, float* ratios, double* scale) {
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) ratios[i] = noise_ratio(rms[i], variance[i]);
  __syncthreads();
  const float median = RankFinder(ratios, count).median(0);
  if (threadIdx.x == 0) *scale = static_cast<double>(median);
}

__global__ void noise_ratio_kernel(const Background* sky, const Background* of_variance, double* scale) {
  *scale = noise_ratio(*sky, *of_variance);
}

__global__ void set_noise_scale_kernel(Levels* levels, const double* scale) {
  levels->noise_scale = *scale;
}

}  // namespace

Value<double, Gpu> noise_scale(const Image<float, Gpu>& image, const Image<float, Gpu>& variance,
                               const SkyMesh<Gpu>& sky, const BackgroundConfig& config, const Gpu& where) {
  const std::int64_t count = sky.grid.nodes.count();
  DeviceNodes estimates(sky.grid.nodes, where);
  estimate_variance_kernel<<<static_cast<unsigned int>(count), block_threads, 0, where.stream>>>(
      image.pixels.data(), variance.pixels.data(), sky.grid, config, estimates.writer());
  check_launch();
  const DeviceNodes nodes = estimates.filled_and_filtered(config, where);
  Value<double, Gpu> scale(where);
  Buffer<float, Gpu> ratios(count, where);
  median_ratio_kernel<<<1, block_threads, 0, where.stream>>>(sky.rms.data(), nodes.level.data(), count, ratios.data(),
                                                             scale.data());
  check_launch();
  return scale;
}

Value<double, Gpu> noise_scale(const Value<Background, Gpu>& sky, const Value<Background, Gpu>& of_variance,
                               const Gpu& where) {
  Value<double, Gpu> scale(where);
  noise_ratio_kernel<<<1, 1, 0, where.stream>>>(sky.data(), of_variance.data(), scale.data());
  check_launch();
  return scale;
}

void set_noise_scale(Value<Levels, Gpu>& levels, const Value<double, Gpu>& scale, const Gpu& where) {
  set_noise_scale_kernel<<<1, 1, 0, where.stream>>>(levels.data(), scale.data());
  check_launch();
}

}  // namespace srcextract
