#include <algorithm>
#include <bit>
#include <cmath>

#include "cuda/crowd/device_finder.hpp"
#include "cuda/crowd/ordering.hpp"
#include "cuda/device/launch.hpp"
#include "cuda/device/warp.hpp"
#include "stages/crowd/peak_rules.hpp"
#include "stages/crowd/shared_noise.hpp"

namespace srcextract {
namespace {

constexpr int square_side = FindRule::square_side, ranks = FindRule::ranks;

/// Division of the image into squares of square_side pixels, numbered row by row. Each square has one PSF.
struct Squares {
  std::int64_t width, height, across, down;

  explicit Squares(const Shape& shape)
      : width(shape.width),
        height(shape.height),
        across((shape.width + square_side - 1) / square_side),
        down((shape.height + square_side - 1) / square_side) {}
  __host__ __device__ std::int64_t count() const { return across * down; }
  __host__ __device__ std::int64_t left(std::int64_t square) const { return square % across * square_side; }
  __host__ __device__ std::int64_t top(std::int64_t square) const { return square / across * square_side; }
};

/// Returns the number of floats of a kernel: `ranks` columns and `ranks` rows, whose products sum up to the kernel.
__host__ __device__ std::int64_t kernel_numbers(std::int32_t half) {
  return std::int64_t{2} * ranks * (2 * half + 1);
}

/// Places a star in the middle of each square, to draw the square's PSF there.
__global__ void middles_kernel(Squares squares, CrowdStar* out) {
  for (std::int64_t i = thread_index(); i < squares.count(); i += thread_total()) {
    const double x = static_cast<double>(squares.left(i)) + square_side / 2,
                 y = static_cast<double>(squares.top(i)) + square_side / 2;
    const double last_x = static_cast<double>(squares.width) - 1, last_y = static_cast<double>(squares.height) - 1;
    out[i] = {x < last_x ? x : last_x, y < last_y ? y : last_y, 0, 0};
  }
}

/// Approximates a square matrix by products of a column and a row (power iteration for its singular vectors), as
/// SeparableKernel does on the host. One warp works together.
struct VectorWork {
  double *square, *u, *v;
  int side;

  __device__ void product(const double* by, bool turned, double* out) const {
    for (int i = lane(); i < side; i += warp_size) {
      double sum = 0;
      for (int j = 0; j < side; ++j) sum += square[turned ? j * side + i : i * side + j] * by[j];
      out[i] = sum;
    }
    __syncwarp();
  }

  __device__ void find_rank(float* column, float* row) const {
    constexpr int rounds = 30;
    for (int i = lane(); i < side; i += warp_size) v[i] = 1;
    __syncwarp();
    for (int round = 0; round < rounds; ++round) {
      product(v, false, u);
      product(u, true, v);
      double length = 0;
      for (int i = 0; i < side; ++i) length += v[i] * v[i];
      length = std::sqrt(length);
      __syncwarp();
      if (!(length > 0)) break;
      for (int i = lane(); i < side; i += warp_size) v[i] /= length;
      __syncwarp();
    }
    product(v, false, u);
    for (int i = lane(); i < side * side; i += warp_size) square[i] -= u[i / side] * v[i % side];
    for (int i = lane(); i < side; i += warp_size) {
      column[i] = static_cast<float>(u[i]);
      row[i] = static_cast<float>(v[i]);
    }
    __syncwarp();
  }
};

/// Computes two separable kernels for each square of the image, from the PSF in its middle: kernel 2 k from the PSF,
/// kernel 2 k + 1 from the squared PSF. Each warp computes one kernel at a time.
__global__ void separate_kernel(const CrowdStamp* stamps, std::int64_t count, std::int32_t half, double* memory,
                                float* kernels) {
  const int side = 2 * half + 1;
  const std::int64_t warps = thread_total() / warp_size, own = thread_index() / warp_size;
  double* const mine = memory + own * (std::int64_t{side} * side + 2 * side);
  const VectorWork work{mine, mine + side * side, mine + side * side + side, side};
  for (std::int64_t k = own; k < 2 * count; k += warps) {
    const CrowdStamp& stamp = stamps[k / 2];
    for (int i = lane(); i < side * side; i += warp_size) {
      const auto light = static_cast<double>(stamp.numbers[i]);
      mine[i] = k % 2 == 0 ? light : light * light;
    }
    __syncwarp();
    float* const out = kernels + k * kernel_numbers(half);
    for (int rank = 0; rank < ranks; ++rank) work.find_rank(out + rank * side, out + (ranks + rank) * side);
  }
}

/// Images of significance, one float per pixel, as in the struct Significance on the host.
struct Significances {
  float *residual, *model, *norm;
};

/// The memory of a block for one square: the pixels of the square and its surroundings, and their correlation along
/// rows.
struct SquareMemory {
  float *in, *along;
  int half, rows;

  static __host__ __device__ std::int64_t numbers(std::int32_t half) {
    const std::int64_t rows = square_side + 2 * half;
    return rows * rows + rows * square_side;
  }
  __device__ SquareMemory(float* memory, int of_half) : in(memory), half(of_half), rows(square_side + 2 * of_half) {
    along = in + rows * rows;
  }

  template <class F>
  __device__ void take(const CrowdPixels& of, std::int64_t left, std::int64_t top, const F& value) const {
    __syncthreads();
    for (int i = threadIdx.x; i < rows * rows; i += blockDim.x) {
      const std::int64_t x = left - half + i % rows, y = top - half + i / rows;
      in[i] = of.has(x, y) ? value(y * of.width + x) : 0.0F;
    }
    __syncthreads();
  }

  /// Writes the correlation with the kernel to `out`, for this thread's pixels of the square: every blockDim.x-th
  /// pixel. All threads of the block must call this function together.
  __device__ void correlate(const float* kernel, float* out) const {
    const int side = 2 * half + 1;
    for (int rank = 0; rank < ranks; ++rank) {
      const float *const column = kernel + rank * side, *const row = kernel + (ranks + rank) * side;
      for (int i = threadIdx.x; i < rows * square_side; i += blockDim.x) {
        const float* const from = in + i / square_side * rows + i % square_side;
        float sum = 0;
        for (int k = 0; k < side; ++k) sum += row[k] * from[k];
        along[i] = 0.0F + sum;
      }
      __syncthreads();
      int own = 0;
      for (int i = threadIdx.x; i < square_side * square_side; i += blockDim.x, ++own) {
        float sum = 0;
        for (int k = 0; k < side; ++k) sum += column[k] * along[i + k * square_side];
        out[own] = (rank > 0 ? out[own] : 0.0F) + sum;
      }
      __syncthreads();
    }
  }
};

/// Computes the significance of the residual and of the model at each pixel. Each block loops over squares.
__global__ void __launch_bounds__(block_threads)
    significance_kernel(CrowdPixels pixels, Squares squares, std::int32_t half, const float* kernels, float* memory,
                        Significances out) {
  constexpr int own = square_side * square_side / block_threads;
  const SquareMemory work(memory + blockIdx.x * SquareMemory::numbers(half), half);
  for (std::int64_t square = blockIdx.x; square < squares.count(); square += gridDim.x) {
    const std::int64_t left = squares.left(square), top = squares.top(square);
    const float* const of_light = kernels + 2 * square * kernel_numbers(half);
    float by_residual[own], by_model[own], by_weight[own];
    work.take(pixels, left, top, [&](std::int64_t i) { return pixels.weight[i] * pixels.residual[i]; });
    work.correlate(of_light, by_residual);
    work.take(pixels, left, top, [&](std::int64_t i) { return pixels.weight[i] * pixels.model[i]; });
    work.correlate(of_light, by_model);
    work.take(pixels, left, top, [&](std::int64_t i) { return pixels.weight[i]; });
    work.correlate(of_light + kernel_numbers(half), by_weight);
    for (int k = 0; k < own; ++k) {
      const int i = k * block_threads + threadIdx.x;
      const std::int64_t x = left + i % square_side, y = top + i / square_side;
      if (!pixels.has(x, y)) continue;
      const std::int64_t to = y * pixels.width + x;
      const float norm = by_weight[k] > 0 ? std::sqrt(by_weight[k]) : 0.0F;
      out.norm[to] = norm;
      out.residual[to] = norm > 0 ? by_residual[k] / norm : 0.0F;
      out.model[to] = norm > 0 ? by_model[k] / norm : 0.0F;
    }
  }
}

__global__ void find_peaks_kernel(CrowdPixels pixels, PeakRules rules, std::uint8_t* flags) {
  for (std::int64_t i = thread_index(); i < pixels.count(); i += thread_total()) {
    CrowdStar star;
    flags[i] = rules.find(pixels, i, star) ? 1 : 0;
  }
}

__global__ void take_peaks_kernel(CrowdPixels pixels, PeakRules rules, const std::int64_t* places, std::int64_t count,
                                  CrowdStar* out) {
  for (std::int64_t k = thread_index(); k < count; k += thread_total()) rules.find(pixels, places[k], out[k]);
}

/// Finds the largest radius of a saturated core. Bit patterns of positive doubles, compared as integers, are ordered
/// like the doubles.
__global__ void largest_core_kernel(const CrowdStar* stars, std::int64_t count, unsigned long long* most) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total())
    if (stars[i].core > 0) atomicMax(most, static_cast<unsigned long long>(__double_as_longlong(stars[i].core)));
}

Significances significances(Buffer<float, Gpu>& planes, const CrowdPixels& pixels) {
  return {planes.data(), planes.data() + pixels.count(), planes.data() + 2 * pixels.count()};
}

__global__ void __launch_bounds__(block_threads)
    count_depths_kernel(const float* significance, std::int64_t count, unsigned long long* counts) {
  __shared__ unsigned int own[depth_bins];
  for (int bin = static_cast<int>(threadIdx.x); bin < depth_bins; bin += block_threads) own[bin] = 0;
  __syncthreads();
  for (std::int64_t i = thread_index(); i < count; i += thread_total())
    if (const int bin = significance_depth(significance[i]); bin < depth_bins) atomicAdd(&own[bin], 1u);
  __syncthreads();
  for (int bin = static_cast<int>(threadIdx.x); bin < depth_bins; bin += block_threads)
    if (own[bin] > 0) atomicAdd(&counts[bin], static_cast<unsigned long long>(own[bin]));
}

double shared_noise_of(const CrowdPixels& pixels, const float* significance, const Gpu& where) {
  if (!pixels.shares_noise) return 1;
  const std::int64_t count = pixels.count();
  Buffer<unsigned long long, Gpu> counts(depth_bins, where);
  check(cudaMemsetAsync(counts.data(), 0, depth_bins * sizeof(unsigned long long), where.stream));
  count_depths_kernel<<<grid_for(count, where), block_threads, 0, where.stream>>>(significance, count, counts.data());
  check_launch();
  const std::vector<unsigned long long> here = to_vector(counts.data(), depth_bins, where);
  return shared_noise([&](int bin) { return static_cast<std::int64_t>(here[static_cast<std::size_t>(bin)]); });
}

double largest_core(const DeviceList<CrowdStar>& stars, const Gpu& where) {
  auto most = zeroed<unsigned long long>(where);
  largest_core_kernel<<<grid_for(stars.count, where), block_threads, 0, where.stream>>>(stars.data(), stars.count,
                                                                                        most.data());
  check_launch();
  return std::bit_cast<double>(fetch(most, where));
}

}  // namespace

DeviceFinder::DeviceFinder(const DevicePsf& psf, const Shape& shape, const Gpu& where)
    : half_(FindRule::half_of(psf.fwhm(), psf.most_half())) {
  const Squares squares(shape);
  Buffer<CrowdStar, Gpu> middles(squares.count(), where);
  Buffer<CrowdStamp, Gpu> stamps(squares.count(), where);
  middles_kernel<<<grid_for(squares.count(), where), block_threads, 0, where.stream>>>(squares, middles.data());
  check_launch();
  psf.choose_halves(middles.data(), squares.count(), 1, half_, stamps.data(), where);
  Buffer<float, Gpu> drawn;
  psf.draw(middles.data(), squares.count(), StampPlanes::light, stamps.data(), drawn, where);
  kernels_ = Buffer<float, Gpu>(2 * squares.count() * kernel_numbers(half_), where);
  const std::int64_t side = 2 * half_ + 1, each = side * side + 2 * side;
  constexpr std::int64_t most_memory = std::int64_t{16} << 20, block_warps = block_threads / warp_size;
  const std::int64_t wanted = (2 * squares.count() + block_warps - 1) / block_warps;
  const std::int64_t blocks = std::clamp<std::int64_t>(most_memory / (each * block_warps), 1, wanted);
  Buffer<double, Gpu> memory(blocks * block_warps * each, where);
  separate_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, where.stream>>>(
      stamps.data(), squares.count(), half_, memory.data(), kernels_.data());
  check_launch();
}

Buffer<float, Gpu> DeviceFinder::measure_significance(const CrowdPixels& pixels, const Shape& shape,
                                                      const Gpu& where) const {
  const Squares squares(shape);
  Buffer<float, Gpu> planes(3 * pixels.count(), where);
  const std::int64_t blocks = std::min<std::int64_t>(squares.count(), 8 * std::int64_t{where.multiprocessors});
  Buffer<float, Gpu> memory(blocks * SquareMemory::numbers(half_), where);
  significance_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, where.stream>>>(
      pixels, squares, half_, kernels_.data(), memory.data(), significances(planes, pixels));
  check_launch();
  return planes;
}

double DeviceFinder::measure_shared_noise(const DeviceField& field, const Gpu& where) const {
  const Buffer<float, Gpu> planes = measure_significance(field.view(), field.shape(), where);
  return shared_noise_of(field.view(), planes.data(), where);
}

double DeviceFinder::find(const DeviceField& field, const FindRule& rule, double fwhm, std::int32_t turn,
                          DeviceList<CrowdStar>& stars, const Gpu& where) const {
  const CrowdPixels& pixels = field.view();
  Buffer<float, Gpu> planes = measure_significance(pixels, field.shape(), where);
  const Significances of = significances(planes, pixels);
  const double shared = shared_noise_of(pixels, of.residual, where);
  PeakRules rules;
  rules.rule = rule;
  rules.rule.threshold *= shared;
  rules.nearest = rule.separation * fwhm;
  rules.reach = std::max(rules.nearest, 2 * largest_core(stars, where));
  rules.pairs = OppositePairs(fwhm);
  rules.turn = turn;
  rules.significance = of.residual;
  rules.of_model = of.model;
  rules.norm = of.norm;
  rules.known = stars.data();
  const DeviceCells cells(stars, field.shape(), where);
  rules.cells = cells.view();
  Buffer<std::uint8_t, Gpu> flags(pixels.count(), where);
  find_peaks_kernel<<<grid_for(pixels.count(), where), block_threads, 0, where.stream>>>(pixels, rules, flags.data());
  check_launch();
  const Buffer<std::int64_t, Gpu> places = places_of(flags, pixels.count(), where);
  if (places.empty()) return shared;
  const std::int64_t before = stars.count;
  stars.grow(places.size(), where);
  rules.known = stars.data();
  take_peaks_kernel<<<grid_for(places.size(), where), block_threads, 0, where.stream>>>(
      pixels, rules, places.data(), places.size(), stars.data() + before);
  check_launch();
  return shared;
}

}  // namespace srcextract
