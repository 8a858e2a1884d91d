#include "stages/difference/resample.hpp"

#include <span>

#include "cuda/device/launch.hpp"
#include "stages/difference/resample_pixel.hpp"

namespace srcextract {

namespace {

/// Width in pixels of the tile that a block computes. In a compact tile, threads read overlapping pixels, which the
/// cache of their multiprocessor then holds.
constexpr int tile_width = 32;
constexpr int tile_height = block_threads / tile_width;

template <class Kernel>
__global__ void __launch_bounds__(block_threads)
    resample_kernel(ImageView image, MapView map, Shape shape, unsigned int tiles_per_row, float* out) {
  const std::int64_t x = std::int64_t{blockIdx.x % tiles_per_row} * tile_width + threadIdx.x % tile_width;
  const std::int64_t y = std::int64_t{blockIdx.x / tiles_per_row} * tile_height + threadIdx.x / tile_width;
  if (x >= shape.width || y >= shape.height) return;
  const Position position = piece_of(map, x / PixelMap::step, y).at(x % PixelMap::step);
  const AxisPlace place_x = place_of(position.x);
  const AxisPlace place_y = place_of(position.y);
  double weight_x[Kernel::taps];
  double weight_y[Kernel::taps];
  Kernel::weigh(place_x.fraction, weight_x, 1);
  Kernel::weigh(place_y.fraction, weight_y, 1);
  out[y * shape.width + x] = interpolate<Kernel>(image, place_x, place_y, {weight_x, 1}, {weight_y, 1});
}

}  // namespace

Image<float, Gpu> resample(const Image<float, Gpu>& image, const PixelMap& map, Interpolation interpolation,
                           const Gpu& where) {
  Image<float, Gpu> result(map.shape, where);
  if (map.shape.count() == 0) return result;
  const Buffer<double, Gpu> x = to_device(std::span(map.x), where);
  const Buffer<double, Gpu> y = to_device(std::span(map.y), where);
  const std::int64_t tiles_per_row = (map.shape.width + tile_width - 1) / tile_width;
  const std::int64_t tiles = (map.shape.height + tile_height - 1) / tile_height * tiles_per_row;
  const auto kernel = interpolation == Interpolation::bilinear ? resample_kernel<Bilinear> : resample_kernel<Lanczos3>;
  kernel<<<static_cast<unsigned int>(tiles), block_threads, 0, where.stream>>>(
      {image.pixels.data(), image.shape}, {map.nodes.width, x.data(), y.data()}, map.shape,
      static_cast<unsigned int>(tiles_per_row), result.pixels.data());
  check_launch();
  return result;
}

}  // namespace srcextract
