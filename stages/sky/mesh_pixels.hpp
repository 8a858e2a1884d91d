#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "stages/sky/mesh.hpp"
#include "stages/sky/mesh_estimate.hpp"

namespace srcextract {

/// The pixels of a mesh on the host.
class MeshPixels {
 public:
  /// Meshes of at most this many pixels are copied first: the rows of an image are so far apart that they evict each
  /// other from the cache.
  static constexpr std::int64_t most_copied = std::int64_t{1} << 18;

  /// The pixels of mesh (x, y). `room` is working memory and must outlive this object.
  MeshPixels(const Image<float, Cpu>& image, const MeshGrid& grid, std::int64_t x, std::int64_t y,
             std::vector<float>& room);

  /// Uses the pixels in place; rows begin `stride` pixels apart.
  MeshPixels(const float* pixels, const Shape& mesh, std::int64_t stride)
      : width_(mesh.width), height_(mesh.height), stride_(stride), pixels_(pixels) {}

  Shape shape() const { return {width_, height_}; }

  std::int64_t area() const { return width_ * height_; }

  const float* at(std::int64_t row, std::int64_t x) const { return pixels_ + row * stride_ + x; }

  /// Sums over the pixels in the cut.
  MeshSums sum(const MeshCut& cut) const;

  /// Sums over the pixels in the cut whose counterparts in `other`, the same mesh of another image, are in
  /// cut_of_other.
  MeshSums sum(const MeshCut& cut, const MeshPixels& other, const MeshCut& cut_of_other) const;

  /// Calls f(row, x, number of pixels) for at most sum_columns neighbours of a row at a time.
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

/// The number of histogram bins in a chunk. Sums over chunks are kept.
inline constexpr int chunk_bins = 16;
inline constexpr int most_chunks = most_mesh_bins / chunk_bins;

/// The index at which a bin is counted. Bins at the same place in their chunks are neighbours, so that chunks are
/// summed side by side.
inline int place_of_bin(int bin) {
  constexpr unsigned int bins = chunk_bins, chunks = most_chunks;
  const auto i = static_cast<unsigned int>(bin);
  return static_cast<int>(i % bins * chunks + i / bins);
}

/// The indices at which the bins of at most sum_columns pixels are counted; `none` for pixels in no bin.
void find_bins(const float* pixels, int n, MeshBins bins, int none, int* out);

/// The indices for pixels whose counterparts in another image are in a bin too; `none` for all others.
void find_bins(const float* pixels, int n, MeshBins bins, const float* others, MeshBins bins_of_others, int none,
               int* out);

}  // namespace srcextract
