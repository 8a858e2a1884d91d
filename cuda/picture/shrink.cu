#include <algorithm>
#include <limits>

#include "cuda/device/launch.hpp"
#include "cuda/device/memory.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract {

namespace {

/// Returns the number of squares of factor x factor pixels that a block averages. These squares are side by side, and
/// their columns have one thread each if factor <= block_threads; else the block averages one square.
int squares_per_block(std::int64_t factor) {
  return static_cast<int>(std::max<std::int64_t>(1, block_threads / factor));
}

/// Averages squares of pixels. Each thread first sums one column of a square; then each of the first threads adds up
/// the columns of one square.
__global__ void __launch_bounds__(block_threads)
    shrink_kernel(const float* pixels, std::int64_t width, std::int64_t height, std::int64_t factor, int squares,
                  std::int64_t squares_per_row, float* means) {
  __shared__ double column_sums[block_threads];
  __shared__ std::int32_t column_counts[block_threads];
  const int thread = static_cast<int>(threadIdx.x);
  const auto blocks_per_row = static_cast<unsigned int>((squares_per_row + squares - 1) / squares);
  const std::int64_t row = blockIdx.x / blocks_per_row;
  const std::int64_t first_square = static_cast<std::int64_t>(blockIdx.x % blocks_per_row) * squares;
  const std::int64_t rows = min(factor, height - row * factor);
  double sum = 0;
  std::int64_t count = 0;
  // This loop has several iterations only if a square has more columns than the block has threads.
  for (std::int64_t begin = 0; begin < squares * factor; begin += block_threads) {
    const std::int64_t column = first_square * factor + begin + thread;
    const float* pixel = pixels + row * factor * width + column;
    double column_sum = 0;
    std::int32_t column_count = 0;
    if (begin + thread < squares * factor && column < width) {
#pragma unroll 8
      for (std::int64_t y = 0; y < rows; ++y, pixel += width) {
        column_sum += static_cast<double>(*pixel == *pixel ? *pixel : 0);
        column_count += *pixel == *pixel ? 1 : 0;
      }
    }
    column_sums[thread] = column_sum;
    column_counts[thread] = column_count;
    __syncthreads();
    if (thread < squares) {
      const int from = thread * static_cast<int>(factor);
      const int to = static_cast<int>(min(from + factor, static_cast<std::int64_t>(block_threads)));
      for (int i = from; i < to; ++i) {
        sum += column_sums[i];
        count += column_counts[i];
      }
    }
    __syncthreads();
  }
  const std::int64_t square = first_square + thread;
  if (thread >= squares || square >= squares_per_row) return;
  means[row * squares_per_row + square] =
      count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : masked_pixel;
}

}  // namespace

Image<float, Gpu> shrink(const Image<float, Gpu>& image, std::int64_t factor, const Gpu& where) {
  Image<float, Gpu> result(shrunk_shape(image.shape, factor), where);
  if (result.shape.count() == 0) return result;
  if (factor == 1) {
    check(cudaMemcpyAsync(result.pixels.data(), image.pixels.data(),
                          static_cast<std::size_t>(image.shape.count()) * sizeof(float), cudaMemcpyDeviceToDevice,
                          where.stream));
    return result;
  }
  const int squares = squares_per_block(factor);
  const std::int64_t blocks = (result.shape.width + squares - 1) / squares * result.shape.height;
  shrink_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, where.stream>>>(
      image.pixels.data(), image.shape.width, image.shape.height, factor, squares, result.shape.width,
      result.pixels.data());
  check_launch();
  return result;
}

}  // namespace srcextract
