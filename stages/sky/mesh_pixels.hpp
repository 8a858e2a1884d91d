#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "stages/sky/mesh.hpp"
#include "stages/sky/mesh_estimate.hpp"

namespace srcextract {

/// Reads and sums the pixels of one mesh on the CPU.
class MeshPixels {
 public:
  /// Meshes of at most this many pixels are copied to contiguous memory. In the image, rows are so far apart in memory
  /// that the mesh's rows would evict each other from the cache.
  static constexpr std::int64_t most_copied = std::int64_t{1} << 18;

  /// Selects mesh (x, y) of an image. `room` is memory for the copy and must outlive this object.
  MeshPixels(const Image<float, Cpu>& image, const MeshGrid& grid, std::int64_t x, std::int64_t y,
             std::vector<float>& room);

  /// Reads the pixels in place; rows begin `stride` pixels apart.
  MeshPixels(const float* pixels, const Shape& mesh, std::int64_t stride)
      : width_(mesh.width), height_(mesh.height), stride_(stride), pixels_(pixels) {}

  Shape shape() const { return {width_, height_}; }

  std::int64_t area() const { return width_ * height_; }

  const float* at(std::int64_t row, std::int64_t x) const { return pixels_ + row * stride_ + x; }

  MeshSums sum(const MeshCut& cut) const;

  /// Sums over the pixels that are in `cut` if the corresponding pixel of `other` is in cut_of_other. `other` must be
  /// the same mesh of another image.
  MeshSums sum(const MeshCut& cut, const MeshPixels& other, const MeshCut& cut_of_other) const;

  /// Calls f(row, x, count) for pieces of at most sum_columns pixels that begin at column x of a row of the mesh.
  template <class F>
  void for_each_piece(const F& f) const {
    for (std::int64_t row = 0; row < height_; ++row)
      for (std::int64_t x = 0; x < width_; x += sum_columns)
        f(row, x, static_cast<int>(std::min<std::int64_t>(sum_columns, width_ - x)));
  }

 private:
  std::int64_t width_, height_, stride_;
  const float* pixels_;
};

/// Number of histogram bins in a chunk of bins. PixelHistogram keeps, for each chunk, the sums over all bins before it.
inline constexpr int chunk_bins = 16;
inline constexpr int most_chunks = most_mesh_bins / chunk_bins;

/// The index at which the count of a bin is stored. Bins at the same position in their chunks are neighbours in memory,
/// so that vector code sums all chunks in parallel.
inline int place_of_bin(int bin) {
  constexpr unsigned int bins = chunk_bins, chunks = most_chunks;
  const auto i = static_cast<unsigned int>(bin);
  return static_cast<int>(i % bins * chunks + i / bins);
}

/// Sets out[i] to the storage index (place_of_bin) of the bin of pixels[i]; `none` if the pixel is in no bin. n is at
/// most sum_columns.
void find_bins(const float* pixels, int n, MeshBins bins, int none, int* out);

/// Finds bins as the other overload does, but sets out[i] to `none` also if others[i] is in no bin of bins_of_others.
void find_bins(const float* pixels, int n, MeshBins bins, const float* others, MeshBins bins_of_others, int none,
               int* out);

}  // namespace srcextract
