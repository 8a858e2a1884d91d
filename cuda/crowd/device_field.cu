#include "cuda/crowd/device_field.hpp"

#include <bit>
#include <cmath>
#include <span>

#include "cuda/crowd/ordering.hpp"
#include "cuda/device/launch.hpp"
#include "cuda/device/sort.hpp"
#include "stages/crowd/shared_noise.hpp"
#include "stages/math/ordered_key.hpp"

namespace srcextract {
namespace {

constexpr int tile_side = 32, tile_rows = block_threads / tile_side;

/// Division of the image into square tiles of tile_side pixels, numbered row by row.
struct Tiles {
  std::int64_t across, down;

  explicit Tiles(const Shape& shape)
      : across((shape.width + tile_side - 1) / tile_side), down((shape.height + tile_side - 1) / tile_side) {}
  std::int64_t count() const { return across * down; }
};

/// Range of tiles that contain pixels of a stamp; empty if the stamp is outside the image.
struct TouchedTiles {
  std::int64_t left, right, top, bottom;

  __device__ TouchedTiles(const CrowdStamp& stamp, const Tiles& tiles)
      : left(at_least_0(stamp.left())),
        right(before(stamp.left() + stamp.side() - 1, tiles.across)),
        top(at_least_0(stamp.top())),
        bottom(before(stamp.top() + stamp.side() - 1, tiles.down)) {}
  __device__ std::int64_t count() const {
    return left <= right && top <= bottom ? (right - left + 1) * (bottom - top + 1) : 0;
  }

 private:
  static __device__ std::int64_t at_least_0(std::int64_t pixel) { return pixel < 0 ? 0 : pixel / tile_side; }
  static __device__ std::int64_t before(std::int64_t pixel, std::int64_t tiles) {
    if (pixel < 0) return -1;
    return pixel / tile_side < tiles ? pixel / tile_side : tiles - 1;
  }
};

__global__ void judge_kernel(CrowdPixels pixels) {
  for (std::int64_t i = thread_index(); i < pixels.count(); i += thread_total()) pixels.good[i] = pixels.counts(i);
}

__global__ void good_variances_kernel(CrowdPixels pixels, float* out, unsigned int* count) {
  for (std::int64_t i = thread_index(); i < pixels.count(); i += thread_total()) {
    out[i] = pixels.is_good(i) ? pixels.variance[i] : std::numeric_limits<float>::infinity();
    if (pixels.is_good(i)) atomicAdd(count, 1u);
  }
}

__global__ void saturated_kernel(CrowdPixels pixels, std::uint8_t* flags) {
  for (std::int64_t i = thread_index(); i < pixels.count(); i += thread_total())
    flags[i] = pixels.is_saturated(i) ? 1 : 0;
}

__global__ void count_tiles_kernel(const CrowdStamp* stamps, std::int64_t count, Tiles tiles, std::int64_t* counts) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total())
    counts[i] = TouchedTiles(stamps[i], tiles).count();
}

__global__ void list_tiles_kernel(const CrowdStamp* stamps, std::int64_t count, Tiles tiles, const std::int64_t* begin,
                                  std::uint32_t* keys, std::int32_t* numbers) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const TouchedTiles touched(stamps[i], tiles);
    std::int64_t at = begin[i];
    for (std::int64_t row = touched.top; row <= touched.bottom; ++row) {
      for (std::int64_t column = touched.left; column <= touched.right; ++column, ++at) {
        keys[at] = static_cast<std::uint32_t>(row * tiles.across + column);
        numbers[at] = static_cast<std::int32_t>(i);
      }
    }
  }
}

/// The data of a star that render_kernel needs for one tile.
struct TileStar {
  const float* numbers;
  double flux;
  std::int32_t left, top, side;
};

/// Computes one tile per block. Each pixel adds the light of its stars in ascending order of their numbers, for a
/// reproducible sum.
__global__ void __launch_bounds__(block_threads)
    render_kernel(CrowdPixels pixels, Tiles tiles, const CrowdStar* stars, const CrowdStamp* stamps,
                  const std::int32_t* of_tile, const std::int64_t* tile_begin, bool weigh) {
  constexpr int together = 64, own_rows = tile_side / tile_rows;
  __shared__ TileStar near[together];
  const std::int64_t left = blockIdx.x % tiles.across * tile_side, top = blockIdx.x / tiles.across * tile_side;
  const auto x = static_cast<std::int32_t>(left) + static_cast<std::int32_t>(threadIdx.x % tile_side),
             y = static_cast<std::int32_t>(top) + static_cast<std::int32_t>(threadIdx.x / tile_side);
  double light[own_rows] = {};
  const std::int64_t end = tile_begin[blockIdx.x + 1];
  for (std::int64_t first = tile_begin[blockIdx.x]; first < end; first += together) {
    const int count = end - first < together ? static_cast<int>(end - first) : together;
    __syncthreads();
    if (threadIdx.x < count) {
      const std::int32_t number = of_tile[first + threadIdx.x];
      const CrowdStamp& stamp = stamps[number];
      near[threadIdx.x] = {stamp.numbers, stars[number].flux, stamp.left(), stamp.top(), stamp.side()};
    }
    __syncthreads();
    for (int s = 0; s < count; ++s) {
      const TileStar& star = near[s];
      const std::int32_t column = x - star.left;
      if (column < 0 || column >= star.side) continue;
      for (int k = 0; k < own_rows; ++k) {
        const std::int32_t row = y + k * tile_rows - star.top;
        if (row >= 0 && row < star.side)
          light[k] += star.flux * static_cast<double>(star.numbers[std::int64_t{row} * star.side + column]);
      }
    }
  }
  if (x >= pixels.width) return;
  const SkyGrid::Place along_x = pixels.sky.along_x(static_cast<double>(x));
  for (int k = 0; k < own_rows; ++k) {
    const std::int32_t row = y + k * tile_rows;
    if (row < pixels.height)
      pixels.take_light(x, row, along_x, pixels.sky.along_y(static_cast<double>(row)), light[k], weigh);
  }
}

__global__ void soften_kernel(CrowdPixels pixels) {
  for (std::int64_t i = thread_index(); i < pixels.count(); i += thread_total()) pixels.soften(i);
}

/// A measurement of the noise: number of light samples, number of noise ratios, and the median ratio.
struct NoiseFacts {
  unsigned int bright, ratios;
  float median;
};

/// Returns the middle one of `count` values in ascending order.
__host__ __device__ const float* middle_of(const float* sorted, unsigned int count) {
  return sorted + static_cast<std::int64_t>(0.5 * static_cast<double>(count - 1));
}

/// Samples the light of every `step`-th pixel. The sample of a pixel that does not count in the fit is infinity, so
/// that sorting puts the sample last.
__global__ void sample_light_kernel(CrowdPixels pixels, const float* light, std::int64_t step, std::int64_t count,
                                    float* samples, NoiseFacts* facts) {
  for (std::int64_t k = thread_index(); k < count; k += thread_total()) {
    const bool counts = pixels.is_good(k * step);
    samples[k] = counts ? light[k * step] : std::numeric_limits<float>::infinity();
    if (counts) atomicAdd(&facts->bright, 1u);
  }
}

/// Samples the ratios of pixels of the darker half: difference_ratio() over `far` pixels, or noise_ratio() if that is
/// 0.
__global__ void sample_ratios_kernel(CrowdPixels pixels, const float* light, std::int64_t step, std::int64_t count,
                                     const float* sorted, std::int64_t far, float* samples, NoiseFacts* facts) {
  const float limit = facts->bright > 0 ? *middle_of(sorted, facts->bright) : -std::numeric_limits<float>::infinity();
  for (std::int64_t k = thread_index(); k < count; k += thread_total()) {
    const std::int64_t i = k * step;
    const float ratio = light[i] > limit ? -1.0F : far > 0 ? pixels.difference_ratio(i, far) : pixels.noise_ratio(i);
    samples[k] = ratio >= 0 ? ratio : std::numeric_limits<float>::infinity();
    if (ratio >= 0) atomicAdd(&facts->ratios, 1u);
  }
}

__global__ void take_median_kernel(const float* sorted, NoiseFacts* facts) {
  if (facts->ratios > 0) facts->median = *middle_of(sorted, facts->ratios);
}

/// Returns the key of this rank among the keys of all threads of the block, in ascending order. All threads must call
/// this function together.
__device__ std::uint32_t key_of_rank(std::uint32_t key, int rank) {
  std::uint32_t found = 0;
  for (std::uint32_t bit = 1u << 31; bit != 0; bit >>= 1)
    if (__syncthreads_count(key < (found | bit)) <= rank) found |= bit;
  return found;
}

/// CrowdField::cell_noise(). Each block computes one cell, and each thread has one sample.
__global__ void __launch_bounds__(NoiseCells::samples)
    cell_noise_kernel(CrowdPixels pixels, const float* light, std::int64_t step, float* noise) {
  constexpr std::uint32_t none = 0xffffffffu;  // greater than the key of any number
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) sum = 0;
  const std::int64_t i = pixels.sample(blockIdx.x, static_cast<int>(threadIdx.x));
  const int with_light = __syncthreads_count(i >= 0);
  const float dark =
      value_of_ordered_key(key_of_rank(i >= 0 ? ordered_key(light[i]) : none, NoiseCells::middle(with_light)));
  const float ratio = i >= 0 && !(light[i] > dark) ? pixels.sky_noise(i, step) : -1.0F;
  const int count = __syncthreads_count(ratio >= 0);
  const std::uint32_t key = ratio >= 0 ? ordered_key(ratio) : none;
  const std::uint32_t last = key_of_rank(key, CellNoise::last_rank(count));
  const bool counts = ratio >= 0 && key <= last;
  if (counts) atomicAdd(&sum, static_cast<unsigned long long>(CellNoise::whole(ratio)));
  const int used = __syncthreads_count(counts);
  if (threadIdx.x == 0) noise[blockIdx.x] = CellNoise::mean(sum, used, count);
}

}  // namespace

DeviceField::DeviceField(const CrowdImage& image, std::int64_t sky_size, const Gpu& where)
    : where_(where),
      view_(view_of(image)),
      scales_(image.scales),
      good_(image.shape.count(), where),
      planes_(filled<float>(3 * image.shape.count(), 0, where)) {
  view_.good = good_.data();
  view_.model = planes_.data();
  view_.weight = view_.model + view_.count();
  view_.residual = view_.weight + view_.count();
  view_.sky = SkyGrid(image.shape, sky_size);
  level_ = filled<double>(view_.sky.count(), 0, where);
  view_.level = level_.data();
  scale_.assign(static_cast<std::size_t>(4 * view_.cells.count()), 1);
  scale_there_ = to_device(std::span<const float>(scale_), where);
  view_.scale = scale_there_.data();
  judge_kernel<<<grid_for(view_.count(), where), block_threads, 0, where.stream>>>(view_);
  check_launch();
  if (view_.variance != nullptr) typical_ = static_cast<double>(median_variance());
}

float DeviceField::median_variance() const {
  Buffer<float, Gpu> values(view_.count(), where_);
  auto number = zeroed<unsigned int>(where_);
  good_variances_kernel<<<grid_for(view_.count(), where_), block_threads, 0, where_.stream>>>(view_, values.data(),
                                                                                              number.data());
  check_launch();
  const unsigned int count = fetch(number, where_);
  if (count == 0) return 1;
  sort_keys(values, view_.count(), 32, where_);
  float median = 0;
  copy_to_host(&median, middle_of(values.data(), count), 1, where_);
  return median;
}

double DeviceField::sigma() const {
  return std::sqrt(view_.unit * typical_);
}

void DeviceField::draw(const DevicePsf& psf, const DeviceList<CrowdStar>& stars, std::int64_t first) {
  if (first == 0) {
    stamps_.count = 0;
    most_half_ = 0;
  }
  const std::int64_t more = stars.count - first;
  stamps_.grow(more, where_);
  are_listed_ = false;
  if (more == 0) return;
  CrowdStamp* const stamps = stamps_.data() + first;
  psf.choose_halves(stars.data() + first, more, dark_light * sigma(), 0, stamps, where_);
  const std::int32_t most = psf.draw(stars.data() + first, more, StampPlanes::light_and_slopes, stamps,
                                     first == 0 ? drawn_ : drawn_last_, where_);
  most_half_ = std::max(most_half_, most);
}

void DeviceField::list_tiles(std::int64_t stars) {
  const Tiles tiles(shape());
  tile_begin_ = Buffer<std::int64_t, Gpu>(tiles.count() + 1, where_);
  Buffer<std::int64_t, Gpu> begin(room_for(stars + 1), where_);
  count_tiles_kernel<<<grid_for(stars, where_), block_threads, 0, where_.stream>>>(stamps_.data(), stars, tiles,
                                                                                   begin.data());
  check_launch();
  const std::int64_t count = sum_before(begin, stars, where_);
  of_tile_ = {};
  of_tile_ = Buffer<std::int32_t, Gpu>(room_for(count), where_);
  Buffer<std::uint32_t, Gpu> keys(of_tile_.size(), where_);
  list_tiles_kernel<<<grid_for(stars, where_), block_threads, 0, where_.stream>>>(
      stamps_.data(), stars, tiles, begin.data(), keys.data(), of_tile_.data());
  check_launch();
  sort_by_keys(keys, of_tile_, count, std::bit_width(static_cast<std::uint64_t>(tiles.count())), where_);
  find_begins(keys.data(), count, tile_begin_.data(), tiles.count(), where_);
  are_listed_ = true;
}

void DeviceField::render(const DeviceList<CrowdStar>& stars, bool weigh) {
  if (!are_listed_) list_tiles(stars.count);
  const Tiles tiles(shape());
  render_kernel<<<static_cast<unsigned int>(tiles.count()), block_threads, 0, where_.stream>>>(
      view_, tiles, stars.data(), stamps_.data(), of_tile_.data(), tile_begin_.data(), weigh);
  check_launch();
  has_model_ = has_model_ || (weigh && stars.count > 0);
}

void DeviceField::soften() {
  soften_kernel<<<grid_for(view_.count(), where_), block_threads, 0, where_.stream>>>(view_);
  check_launch();
}

float DeviceField::typical_ratio(std::int64_t far) const {
  const std::int64_t step = noise_step(shape()), count = (view_.count() + step - 1) / step;
  const float* const light = has_model_ ? view_.model : view_.residual;
  Buffer<float, Gpu> sorted(count, where_), samples(count, where_);
  auto facts = zeroed<NoiseFacts>(where_);
  const unsigned int blocks = grid_for(count, where_);
  sample_light_kernel<<<blocks, block_threads, 0, where_.stream>>>(view_, light, step, count, sorted.data(),
                                                                   facts.data());
  check_launch();
  sort_keys(sorted, count, 32, where_);
  sample_ratios_kernel<<<blocks, block_threads, 0, where_.stream>>>(view_, light, step, count, sorted.data(), far,
                                                                    samples.data(), facts.data());
  check_launch();
  sort_keys(samples, count, 32, where_);
  take_median_kernel<<<1, 1, 0, where_.stream>>>(samples.data(), facts.data());
  check_launch();
  const NoiseFacts here = fetch(facts, where_);
  return here.ratios > 0 ? here.median : -1;
}

void DeviceField::measure_noise() {
  if (!scales_) return;
  const float typical = typical_ratio(0);
  if (typical >= 0) view_.unit *= variance_factor(typical);
  if (view_.variance != nullptr) return;
  follow_noise(view_.cells, cell_noise(1), cell_noise(2), scale_);
  copy_to_device(scale_there_.data(), scale_.data(), scale_there_.size(), where_);
}

std::vector<float> DeviceField::cell_noise(std::int64_t step) const {
  Buffer<float, Gpu> noise(view_.cells.count(), where_);
  cell_noise_kernel<<<static_cast<unsigned int>(noise.size()), NoiseCells::samples, 0, where_.stream>>>(
      view_, has_model_ ? view_.model : view_.residual, step, noise.data());
  check_launch();
  return to_vector(noise.data(), noise.size(), where_);
}

bool DeviceField::judge_noise() {
  const float near = typical_ratio(1);
  return view_.shares_noise = shares_noise(near, typical_ratio(2));
}

std::vector<std::int64_t> DeviceField::saturated() const {
  if (!std::isfinite(view_.saturation)) return {};
  Buffer<std::uint8_t, Gpu> flags(view_.count(), where_);
  saturated_kernel<<<grid_for(view_.count(), where_), block_threads, 0, where_.stream>>>(view_, flags.data());
  check_launch();
  const Buffer<std::int64_t, Gpu> places = places_of(flags, view_.count(), where_);
  return to_vector(places.data(), places.size(), where_);
}

std::vector<float> DeviceField::to_host(const float* plane) const {
  return to_vector(plane, view_.count(), where_);
}

SkyNodes DeviceField::sky_to_host() const {
  SkyNodes here;
  static_cast<SkyGrid&>(here) = view_.sky;
  here.level = to_vector(level_.data(), view_.sky.count(), where_);
  return here;
}

}  // namespace srcextract
