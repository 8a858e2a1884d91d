#include "stages/combine/combine.hpp"

#include <limits>
#include <type_traits>

#include "cuda/device/launch.hpp"
#include "cuda/device/register_sort.hpp"
#include "cuda/ingest/decode.hpp"
#include "stages/combine/combine_pixel.hpp"

namespace srcextract {

namespace {

/// Number of consecutive pixels that a thread loads and combines together.
constexpr int quad = 4;

struct Planes {
  const float* pixels[most_planes];
  int count;
};

/// Input from which the weights of the planes (the images to combine) and the total counts of masked pixels are
/// computed.
struct Facts {
  const MaskCounts* masked[most_planes];
  const Background* skies[most_planes];  ///< null if the weights do not depend on sky and noise
  int planes;
  bool squares;
};

/// Computes the weights of the planes, and adds up their counts of masked pixels. Runs in a single block with one
/// thread for each of most_planes planes. If the weights do not depend on sky and noise, copies `given`.
__global__ void prepare_kernel(const __grid_constant__ Facts facts, const __grid_constant__ PlaneWeights given,
                               PlaneWeights* weights, MaskCounts* masked) {
  __shared__ PlaneNoise noise[most_planes];
  const auto plane = static_cast<int>(threadIdx.x);
  const bool by_noise = facts.skies[0] != nullptr;
  MaskCounts counts;
  if (plane < facts.planes) {
    counts = *facts.masked[plane];
    if (by_noise) noise[plane] = noise_of(*facts.skies[plane]);
  }
  if (plane == 0) *masked = {};
  __syncthreads();
  add_over_warp(*masked, counts);
  if (!by_noise) {
    weights->planes[plane] = given.planes[plane];
    if (plane == 0) weights->shares = given.shares;
    if (plane == 0) weights->all_needed = given.all_needed;
  } else if (plane == 0) {
    weigh_by_noise(noise, facts.planes, facts.squares, *weights);
  }
}

/// Returns the number of threads that combine `pixels` pixels: each thread combines `together` pixels, and the
/// remaining pixels (fewer than `together`) have one thread each.
template <int together>
constexpr std::int64_t threads_for(std::int64_t pixels) {
  return pixels / together + pixels % together;
}

/// Calls combine(first pixel, number of pixels) for this thread's pixels. The number is an integral_constant, so that
/// combine() can unroll loops.
template <int together, class Combine>
__device__ void combine_mine(std::int64_t count, const Combine& combine) {
  const std::int64_t index = thread_index();
  const std::int64_t groups = count / together;
  const std::int64_t single = index + (together - 1) * groups;
  if (index < groups) {
    combine(together * index, std::integral_constant<int, together>());
  } else if (single < count) {
    combine(single, std::integral_constant<int, 1>());
  }
}

/// Loads consecutive pixels of a plane. Streaming loads, since each plane is read once: the cache should rather hold
/// the result.
__device__ void load(const float* from, float (&pixels)[quad]) {
  const float4 loaded = __ldcs(reinterpret_cast<const float4*>(from));
  pixels[0] = loaded.x;
  pixels[1] = loaded.y;
  pixels[2] = loaded.z;
  pixels[3] = loaded.w;
}
__device__ void load(const float* from, float (&pixel)[1]) {
  pixel[0] = __ldcs(from);
}

__device__ void store(const float (&pixels)[quad], float* to) {
  *reinterpret_cast<float4*>(to) = {pixels[0], pixels[1], pixels[2], pixels[3]};
}
__device__ void store(const float (&pixel)[1], float* to) {
  *to = pixel[0];
}

/// Combines the values of one pixel in those planes where it is not masked. Reads the planes again: keeping all values
/// in registers would need too many, and few pixels are masked.
template <bool squares>
__device__ __noinline__ float combine_good_at(const Planes& planes, std::int64_t pixel, const PlaneWeights& weights,
                                              MaskCounts* masked) {
  std::int64_t infinite = 0;
  const auto value_of = [&](int i) { return planes.pixels[i][pixel]; };
  const float result = combine_good<squares>(value_of, planes.count, weights, infinite);
  if (infinite != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&masked->infinite), 1ull);
  return result;
}

/// Adds planes [begin, begin + plane_count) to the sums of the pixels from number `first` on.
template <bool squares, int plane_count, int pixels>
__device__ void add_planes(const Planes& planes, int begin, std::int64_t first, const PlaneWeights& weights,
                           double (&sums)[pixels]) {
  float values[plane_count][pixels];
#pragma unroll
  for (int i = 0; i < plane_count; ++i) load(planes.pixels[begin + i] + first, values[i]);
#pragma unroll
  for (int i = 0; i < plane_count; ++i) {
    const PlaneWeight plane = weights.planes[begin + i];
#pragma unroll
    for (int p = 0; p < pixels; ++p) sums[p] += contribution<squares>(values[i][p], plane);
  }
}

template <bool squares, int pixels>
__device__ void sum_pixels(const Planes& planes, std::int64_t first, const PlaneWeights& weights, float* out,
                           MaskCounts* masked) {
  double sums[pixels] = {};
  int begin = 0;
  for (; begin + 4 <= planes.count; begin += 4) add_planes<squares, 4>(planes, begin, first, weights, sums);
  switch (planes.count - begin) {
    case 3:
      add_planes<squares, 3>(planes, begin, first, weights, sums);
      break;
    case 2:
      add_planes<squares, 2>(planes, begin, first, weights, sums);
      break;
    case 1:
      add_planes<squares, 1>(planes, begin, first, weights, sums);
      break;
  }
  float results[pixels];
#pragma unroll
  for (int p = 0; p < pixels; ++p) {
    results[p] = static_cast<float>(sums[p]);
    if (!is_finite(results[p])) results[p] = combine_good_at<squares>(planes, first + p, weights, masked);
  }
  store(results, out + first);
}

template <bool squares>
__global__ void __launch_bounds__(block_threads)
    sum_kernel(const __grid_constant__ Planes planes, const PlaneWeights* __restrict__ weights, std::int64_t count,
               float* out, MaskCounts* masked) {
  combine_mine<quad>(count, [&]<int pixels>(std::int64_t first, std::integral_constant<int, pixels>) {
    sum_pixels<squares, pixels>(planes, first, *weights, out, masked);
  });
}

template <int room, int pixels>
__device__ void find_medians_of(const Planes& planes, std::int64_t first, float* out) {
  float values[room][pixels];
#pragma unroll
  for (int i = 0; i < room; ++i) {
#pragma unroll
    for (int p = 0; p < pixels; ++p) values[i][p] = std::numeric_limits<float>::quiet_NaN();
    if (i < planes.count) load(planes.pixels[i] + first, values[i]);
  }
  float results[pixels];
#pragma unroll
  for (int p = 0; p < pixels; ++p) {
    std::int32_t keys[room];
    std::int32_t end = largest_key;
#pragma unroll
    for (int i = 0; i < room; ++i) keys[i] = spread_if_masked(signed_key(values[i][p]), end);
    sort_in_registers(keys);
    results[p] = median_of(keys[room / 2 - 1], keys[room / 2], end);
  }
  store(results, out + first);
}

/// Number of pixels whose medians a thread finds together. With more than 17 planes (`room` > 17), the keys of one
/// pixel already fill the registers.
template <int room>
constexpr int medians_together = room < 32 ? quad : 1;

/// Finds the median over the planes for every pixel. A thread sorts `room` values per pixel, an odd number of at least
/// the number of planes; the surplus values count as masked.
template <int room>
__global__ void __launch_bounds__(block_threads)
    median_kernel(const __grid_constant__ Planes planes, std::int64_t count, float* out) {
  combine_mine<medians_together<room>>(count, [&]<int pixels>(std::int64_t first, std::integral_constant<int, pixels>) {
    find_medians_of<room, pixels>(planes, first, out);
  });
}

/// Finds the medians with the kernel whose number of sorted values is the smallest that suffices for all planes.
template <int room, int... larger>
void find_medians(const Planes& planes, std::int64_t count, float* out, const Gpu& where) {
  if constexpr (sizeof...(larger) > 0) {
    if (planes.count > room) return find_medians<larger...>(planes, count, out, where);
  }
  const unsigned int blocks = blocks_for(threads_for<medians_together<room>>(count));
  median_kernel<room><<<blocks, block_threads, 0, where.stream>>>(planes, count, out);
  check_launch();
}

Facts facts_of(std::span<const Pixels<Gpu>> planes, std::span<const Value<Background, Gpu>> skies,
               CombineMethod method) {
  Facts facts{};
  facts.planes = static_cast<int>(planes.size());
  facts.squares = method == CombineMethod::chi_square;
  for (std::size_t i = 0; i < planes.size(); ++i) {
    facts.masked[i] = planes[i].masked.data();
    if (needs_skies(method)) facts.skies[i] = skies[i].data();
  }
  return facts;
}

}  // namespace

void combine_planes(std::span<const Pixels<Gpu>> planes, std::span<const Value<Background, Gpu>> skies,
                    const CombineConfig& config, Pixels<Gpu>& out, const Gpu& where) {
  check_plane_count(planes.size(), config);
  const Facts facts = facts_of(planes, skies, config.method);
  Planes pixels{};
  pixels.count = facts.planes;
  for (std::size_t i = 0; i < planes.size(); ++i) pixels.pixels[i] = planes[i].image.pixels.data();

  const bool is_sum = config.method != CombineMethod::median;
  const PlaneWeights given =
      is_sum && !needs_skies(config.method) ? given_weights(config, facts.planes) : PlaneWeights{};
  Value<PlaneWeights, Gpu> weights(where);
  prepare_kernel<<<1, most_planes, 0, where.stream>>>(facts, given, weights.data(), out.masked.data());
  check_launch();

  const std::int64_t count = out.image.shape.count();
  float* result = out.image.pixels.data();
  if (!is_sum) return find_medians<3, 5, 9, 17, 33, 65>(pixels, count, result, where);
  const auto kernel = facts.squares ? sum_kernel<true> : sum_kernel<false>;
  kernel<<<blocks_for(threads_for<quad>(count)), block_threads, 0, where.stream>>>(pixels, weights.data(), count,
                                                                                   result, out.masked.data());
  check_launch();
}

}  // namespace srcextract
