#pragma once

#include "cuda/sky/mesh_histogram.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

static_assert(sum_rows * sum_columns == block_threads);

/// One mesh (rectangle of the image with one sky estimate), read by one block. Thread t starts at column t mod 64 and
/// row t / 64: the order of summation that stages/sky/mesh_estimate.hpp defines.
class MeshBlock {
 public:
  __device__ MeshBlock(const float* image, const MeshGrid& grid, std::int64_t mesh) : stride_(grid.image.width) {
    const std::int64_t x = mesh % grid.nodes.width * grid.mesh.width;
    const std::int64_t y = mesh / grid.nodes.width * grid.mesh.height;
    width_ = min(grid.mesh.width, grid.image.width - x);
    height_ = min(grid.mesh.height, grid.image.height - y);
    pixels_ = image + y * stride_ + x;
  }

  __device__ std::int64_t area() const { return width_ * height_; }

  /// Calls f(place) for each of this thread's pixels of the mesh; `place` is the offset from the mesh's first pixel.
  template <class F>
  __device__ void for_each(const F& f) const {
    const std::int64_t first = threadIdx.x % sum_columns;
    if (width_ <= sum_columns) {  // the usual case; a single loop has several loads in flight
      if (first >= width_) return;
#pragma unroll 8
      for (std::int64_t y = threadIdx.x / sum_columns; y < height_; y += sum_rows) f(y * stride_ + first);
      return;
    }
    for (std::int64_t y = threadIdx.x / sum_columns; y < height_; y += sum_rows)
      for (std::int64_t x = first; x < width_; x += sum_columns) f(y * stride_ + x);
  }

  /// Returns the pixel at `place`, the offset from the mesh's first pixel.
  __device__ float at(std::int64_t place) const {
    return pixels_[place];
  }

 private:
  const float* pixels_;
  std::int64_t width_, height_, stride_;
};

/// Shared memory in which a block combines the sums of its threads.
struct SumMemory {
  double sum[block_threads], squares[block_threads];
  unsigned long long count;
};

/// Returns the sum of the values of all threads, in the order of additions that stages/sky/mesh_estimate.hpp defines.
/// Only the first warp may call this function; its first lane gets the sum.
__device__ inline double add_up(const double* of) {
  const auto column = [&](int c) {
    return (of[c] + of[c + sum_columns]) + (of[c + 2 * sum_columns] + of[c + 3 * sum_columns]);
  };
  return fold_lanes(column(lane()) + column(lane() + warp_size));
}

/// Sums over the pixels of a mesh, and the mean and sigma that follow from the sums.
struct SummedMesh : MeshSums {
  MeanAndSigma spread;
};

/// Sums the pixels of the mesh for which inside(place) is true. All threads of a block must call this function
/// together, and all get the sums.
template <class Inside>
__device__ SummedMesh sum_mesh(const MeshBlock& pixels, const Inside& inside, SumMemory& memory) {
  __shared__ SummedMesh sums;
  double sum = 0, squares = 0;
  unsigned int count = 0;
  if (threadIdx.x == 0) memory.count = 0;
  pixels.for_each([&](std::int64_t place) {
    const bool taken = inside(place);
    const auto value = static_cast<double>(taken ? pixels.at(place) : 0.0F);
    sum += value;
    squares += value * value;
    count += taken ? 1 : 0;
  });
  memory.sum[threadIdx.x] = sum;
  memory.squares[threadIdx.x] = squares;
  __syncthreads();
  const auto of_warp = sum_of_warp(static_cast<unsigned long long>(count));
  if (first_lane()) atomicAdd(&memory.count, of_warp);
  __syncthreads();
  if (threadIdx.x < warp_size) {
    const double total = add_up(memory.sum), total_squares = add_up(memory.squares);
    if (threadIdx.x == 0) {
      const MeshSums all{static_cast<std::int64_t>(memory.count), total, total_squares};
      sums = {all, mean_and_sigma(all)};
    }
  }
  __syncthreads();
  return sums;
}

/// As above, for the pixels whose values are in `cut`.
__device__ inline SummedMesh sum_mesh(const MeshBlock& pixels, const MeshCut& cut, SumMemory& memory) {
  return sum_mesh(
      pixels, [&](std::int64_t place) { return cut.contains(pixels.at(place)); }, memory);
}

/// Counts every pixel of the mesh in bin bin_at(place) of the histogram, but leaves out pixels with a negative bin. All
/// threads of a block must call this function together.
template <class BinAt>
__device__ void count_bins(const MeshBlock& pixels, int bins, const BinAt& bin_at, MeshHistogram& histogram) {
  histogram.clear(bins);
  pixels.for_each([&](std::int64_t place) {
    if (const int bin = bin_at(place); bin >= 0) histogram.count_up(bin);
  });
  histogram.sum_chunks(bins, pixels.area());
}

}  // namespace srcextract
