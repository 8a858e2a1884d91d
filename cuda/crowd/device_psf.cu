#include "cuda/crowd/device_psf.hpp"

#include <algorithm>
#include <climits>
#include <span>

#include "cuda/crowd/ordering.hpp"
#include "cuda/device/launch.hpp"

namespace srcextract {
namespace {

constexpr int draw_threads = 128;
constexpr int taps = PsfTaps::count;

/// Returns the largest number of mask pixels that a stamp needs along an axis. The mask is the table of PSF values,
/// `step` stamp pixels apart.
__host__ __device__ std::int32_t window_side(std::int32_t half, double step) {
  constexpr int beside = taps + 4;
  return static_cast<std::int32_t>(2 * half / step) + beside;
}

/// Returns the number of floats of working memory for a stamp: interpolation weights and positions, the window (needed
/// part) of the mask, and the window resampled along x.
__host__ __device__ std::int64_t work_numbers(std::int32_t half, double step, bool slopes) {
  const std::int64_t side = 2 * half + 1, window = window_side(half, step);
  return 2 * (2 * taps + 1) * side + window * (window + 1) + (slopes ? 2 : 1) * side * window;
}

__global__ void halves_kernel(PsfView psf, const CrowdStar* stars, std::int64_t count, double level, std::int32_t half,
                              CrowdStamp* stamps) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const double flux = stars[i].flux > 0 ? stars[i].flux : 0;
    stamps[i].half = half > 0 ? half : stamp_half(flux, level, psf.fwhm, psf.most_half, psf.outside);
  }
}

__global__ void sizes_kernel(const CrowdStamp* stamps, std::int64_t count, int planes, std::int64_t* sizes, int* most) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    sizes[i] = std::int64_t{planes} * stamps[i].side() * stamps[i].side();
    atomicMax(most, stamps[i].half);
  }
}

__global__ void place_stamps_kernel(const CrowdStar* stars, std::int64_t count, const std::int64_t* begin,
                                    const float* numbers, CrowdStamp* stamps) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    CrowdStamp& stamp = stamps[i];
    stamp.x = nearest_pixel(stars[i].x);
    stamp.y = nearest_pixel(stars[i].y);
    stamp.stride = stamp.side();
    stamp.numbers = numbers + begin[i];
  }
}

/// The interpolation along one axis: for each pixel of the stamp, a first mask pixel and the weights of `taps`
/// consecutive mask pixels.
struct TapLine {
  std::int32_t* first;
  float* weights;  ///< weight k of a pixel is at k * side + pixel; weights from number `taps` on give the derivative

  __device__ float value(const float* from, std::int64_t step, std::int32_t side, std::int32_t pixel,
                         int offset) const {
    float sum = 0;
    for (int k = 0; k < taps; ++k) sum += weights[(offset + k) * side + pixel] * from[k * step];
    return sum;
  }
};

/// A stamp, and the working memory in which a block computes its pixels.
struct Drawing {
  CrowdStamp stamp;
  TapLine x, y;
  float *mask, *value, *slope;
  std::int32_t least_x, least_y, columns, rows, pitch;

  __device__ Drawing(const PsfView& psf, const CrowdStamp& of, float* memory) : stamp(of) {
    const std::int32_t side = stamp.side();
    const std::int64_t window = window_side(stamp.half, psf.model.step);
    x = {reinterpret_cast<std::int32_t*>(memory), memory + 2 * side};
    y = {x.first + side, x.weights + 2 * taps * side};
    mask = y.weights + 2 * taps * side;
    value = mask + window * (window + 1);
    slope = value + side * window;
  }

  /// Finds the interpolation weights along both axes, and the window of the mask that the stamp needs. `limits` are
  /// four ints in shared memory. All threads of the block must call this function together.
  __device__ void find_taps(const PsfView& psf, const CrowdStar& star, int* limits) {
    const std::int32_t side = stamp.side();
    if (threadIdx.x < 4) limits[threadIdx.x] = threadIdx.x % 2 == 0 ? INT_MAX : INT_MIN;
    __syncthreads();
    for (int i = threadIdx.x; i < 2 * side; i += blockDim.x) {
      const bool of_x = i < side;
      const int pixel = of_x ? i : i - side;
      const PsfModel& model = psf.model;
      const PsfTaps of =
          of_x ? PsfTaps::of(stamp.x + pixel - stamp.half, star.x, model.middle_x(), model.columns, model.step)
               : PsfTaps::of(stamp.y + pixel - stamp.half, star.y, model.middle_y(), model.rows, model.step);
      const TapLine& line = of_x ? x : y;
      for (int k = 0; k < 2 * taps; ++k) line.weights[k * side + pixel] = of.weight(psf.table, k);
      line.first[pixel] = of.inside ? of.first : INT_MIN;
      if (!of.inside) continue;
      atomicMin(limits + (of_x ? 0 : 2), of.first);
      atomicMax(limits + (of_x ? 1 : 3), of.first);
    }
    __syncthreads();
    const auto window = [](int least, int most, std::int32_t& first, std::int32_t& count) {
      first = least <= most ? least : 0;
      count = (least <= most ? most - least : 0) + taps;
    };
    window(limits[0], limits[1], least_x, columns);
    window(limits[2], limits[3], least_y, rows);
    pitch = columns | 1;
    for (int i = threadIdx.x; i < 2 * side; i += blockDim.x) {
      std::int32_t& first = x.first[i];  // the elements of y.first follow those of x.first
      const std::int32_t least = i < side ? least_x : least_y;
      first = first == INT_MIN ? 0 : first - least;
    }
  }

  /// Computes the mask at the star's position within the window: a sum of the model's planes with polynomial terms of
  /// the position.
  __device__ void add_planes(const PsfView& psf, const float* planes, const float* terms) const {
    const std::int64_t plane = std::int64_t{psf.columns} * psf.rows;
    for (int i = threadIdx.x; i < columns * rows; i += blockDim.x) {
      const int r = i % rows, c = i / rows;
      const float* const from = planes + std::int64_t{least_x + c} * psf.rows + least_y + r;
      float sum = 0;
      for (int k = 0; k < psf.model.terms; ++k) sum += terms[k] * from[k * plane];
      mask[r * pitch + c] = sum;
    }
  }

  __device__ void resample_rows(bool slopes) const {
    const std::int32_t side = stamp.side();
    for (int i = threadIdx.x; i < rows * side; i += blockDim.x) {
      const int column = i % side, r = i / side;
      const float* const from = mask + r * pitch + x.first[column];
      value[i] = x.value(from, 1, side, column, 0);
      if (slopes) slope[i] = x.value(from, 1, side, column, taps);
    }
  }

  __device__ void resample_columns(bool slopes, float factor, float* out) const {
    const std::int32_t side = stamp.side();
    const std::int64_t plane = stamp.plane();
    for (int i = threadIdx.x; i < side * side; i += blockDim.x) {
      const int column = i % side, row = i / side;
      const std::int64_t from = std::int64_t{y.first[row]} * side + column;
      out[i] = y.value(value + from, side, side, row, 0);
      if (!slopes) continue;
      out[plane + i] = y.value(slope + from, side, side, row, 0) * factor;
      out[2 * plane + i] = y.value(value + from, side, side, row, taps) * factor;
    }
  }
};

/// Draws the stamps, one star at a time in each block. Uses shared memory if the stamp's working memory fits, else the
/// block's part of `scratch`.
__global__ void __launch_bounds__(draw_threads)
    draw_kernel(PsfView psf, const CrowdStar* stars, std::int64_t count, StampPlanes planes, const CrowdStamp* stamps,
                float* numbers, const std::int64_t* begin, std::int64_t shared_numbers, float* scratch,
                std::int64_t scratch_numbers) {
  extern __shared__ float shared[];
  __shared__ int limits[4];
  __shared__ float terms[PsfModel::most_terms];
  const bool slopes = planes == StampPlanes::light_and_slopes;
  const float* const from = planes == StampPlanes::spread ? psf.spread : psf.light;
  const auto factor = static_cast<float>(-1 / psf.model.step);
  for (std::int64_t i = blockIdx.x; i < count; i += gridDim.x) {
    const CrowdStar& star = stars[i];
    const bool fits = work_numbers(stamps[i].half, psf.model.step, slopes) <= shared_numbers;
    Drawing drawing(psf, stamps[i], fits ? shared : scratch + blockIdx.x * scratch_numbers);
    __syncthreads();  // no thread uses the memory of the previous star any more
    for (int k = threadIdx.x; k < psf.model.terms; k += blockDim.x)
      terms[k] = static_cast<float>(psf.model.term(k, star.x + 1, star.y + 1));
    drawing.find_taps(psf, star, limits);
    __syncthreads();
    drawing.add_planes(psf, from, terms);
    __syncthreads();
    drawing.resample_rows(slopes);
    __syncthreads();
    drawing.resample_columns(slopes, factor, numbers + begin[i]);
  }
}

}  // namespace

DevicePsf::DevicePsf(const CrowdPsf& psf, const Gpu& where) : least_half_(psf.half_for(0, 1)) {
  const PsfModel& model = psf.model();
  exponents_ = to_device(std::span(model.numbers, model.light()), where);
  outside_ = to_device(std::span(psf.outside()), where);
  light_ = to_device(std::span(psf.light()), where);
  spread_ = to_device(std::span(psf.spread()), where);
  table_ = to_device(std::span(psf.table()), where);
  view_ = {model,         psf.plane_columns(), psf.plane_rows(), light_.data(),  spread_.data(),
           table_.data(), outside_.data(),     psf.fwhm(),       psf.most_half()};
  view_.model.numbers = exponents_.data();
}

void DevicePsf::choose_halves(const CrowdStar* stars, std::int64_t count, double level, std::int32_t half,
                              CrowdStamp* stamps, const Gpu& where) const {
  halves_kernel<<<grid_for(count, where), block_threads, 0, where.stream>>>(view_, stars, count, level, half, stamps);
  check_launch();
}

std::int32_t DevicePsf::draw(const CrowdStar* stars, std::int64_t count, StampPlanes planes, CrowdStamp* stamps,
                             Buffer<float, Gpu>& numbers, const Gpu& where) const {
  if (count == 0) return 0;
  const bool slopes = planes == StampPlanes::light_and_slopes;
  Buffer<std::int64_t, Gpu> begin(room_for(count + 1), where);
  auto most = filled<int>(1, 0, where);
  sizes_kernel<<<grid_for(count, where), block_threads, 0, where.stream>>>(stamps, count, slopes ? 3 : 1, begin.data(),
                                                                           most.data());
  check_launch();
  int most_half = 0;
  queue_copy_to_host(&most_half, most.data(), 1, where);
  make_room(numbers, sum_before(begin, count, where), where);
  place_stamps_kernel<<<grid_for(count, where), block_threads, 0, where.stream>>>(stars, count, begin.data(),
                                                                                  numbers.data(), stamps);
  check_launch();
  // Shared memory per block suffices for the smallest stamps, which are the most frequent; more would reduce the number
  // of blocks that run at the same time. Of the 48 KiB per block, the kernel's own arrays take some 300 bytes.
  constexpr std::int64_t most_shared = 11 * 1024, most_scratch = std::int64_t{64} << 20, blocks_together = 16;
  const std::int64_t least = work_numbers(least_half_, view_.model.step, slopes);
  const std::int64_t shared = least <= most_shared ? least : 0;
  const std::int64_t largest = work_numbers(most_half, view_.model.step, slopes);
  const std::int64_t scratch = largest > shared ? largest : 0;
  std::int64_t blocks = std::min(count, blocks_together * where.multiprocessors);
  if (scratch > 0) blocks = std::clamp<std::int64_t>(most_scratch / scratch, 1, blocks);
  Buffer<float, Gpu> memory(blocks * scratch, where);
  draw_kernel<<<static_cast<unsigned int>(blocks), draw_threads, static_cast<std::size_t>(shared) * sizeof(float),
                where.stream>>>(view_, stars, count, planes, stamps, numbers.data(), begin.data(), shared,
                                memory.data(), scratch);
  check_launch();
  return most_half;
}

}  // namespace srcextract
