#include "stages/sky/mesh_pixels.hpp"

#include <array>
#include <numeric>

#include "stages/core/vector_clones.hpp"

namespace srcextract {

namespace {

constexpr std::size_t columns = sum_columns;

/// A table of accumulators, row by row (mesh_estimate.hpp).
using Cells = std::array<double, columns * sum_rows>;
struct Accumulators {
  Cells sum{}, squares{};
  std::array<std::uint32_t, columns> counts{};  ///< one count per column, for all rows of the table; 32 bits suffice
                                                ///< below 2^38 pixels in a mesh
};

double total(const Cells& of) {
  std::array<double, columns> column{};
  for (std::size_t c = 0; c < columns; ++c)
    column[c] = (of[c] + of[c + columns]) + (of[c + 2 * columns] + of[c + 3 * columns]);
  for (std::size_t half = columns / 2; half > 0; half /= 2)
    for (std::size_t c = 0; c < half; ++c) column[c] += column[c + half];
  return column[0];
}

/// Tests whether a pixel is in a cut.
struct InCut {
  MeshCut cut;

  bool operator()(float pixel, std::int64_t) const { return (pixel >= cut.lower) & (pixel <= cut.upper); }
};

/// Tests whether a pixel is in a cut and the pixel at the same offset in `others` is in cut_of_others.
struct InBoth {
  MeshCut cut;
  const float* others;
  MeshCut cut_of_others;

  bool operator()(float pixel, std::int64_t place) const {
    const float other = others[place];
    return (pixel >= cut.lower) & (pixel <= cut.upper) & (other >= cut_of_others.lower) &
           (other <= cut_of_others.upper);
  }
};

/// Adds the pixels for which `inside` is true among the `n` pixels from offset `place` on, in one row of the mesh. n is
/// at most sum_columns.
template <class Inside>
inline __attribute__((always_inline)) void add_piece(const float* pixels, std::int64_t place, std::int64_t n,
                                                     const Inside& inside, double* __restrict sum,
                                                     double* __restrict squares, std::uint32_t* __restrict counts) {
  for (std::int64_t x = 0; x < n; ++x) {
    const float pixel = pixels[place + x];
    const bool taken = inside(pixel, place + x);
    const auto value = static_cast<double>(taken ? pixel : 0.0F);
    sum[x] += value;
    squares[x] += value * value;
    counts[x] += taken ? 1 : 0;
  }
}

template <class Inside>
inline __attribute__((always_inline)) void add_mesh(const float* pixels, const Shape& mesh, std::int64_t stride,
                                                    const Inside& inside, Accumulators& to) {
  for (std::int64_t row = 0; row < mesh.height; ++row) {
    double* const sum = to.sum.data() + row % sum_rows * sum_columns;
    double* const squares = to.squares.data() + row % sum_rows * sum_columns;
    std::int64_t x = 0;
    for (; x + sum_columns <= mesh.width; x += sum_columns)
      add_piece(pixels, row * stride + x, sum_columns, inside, sum, squares, to.counts.data());
    add_piece(pixels, row * stride + x, mesh.width - x, inside, sum, squares, to.counts.data());
  }
}

SRCEXTRACT_VECTOR_CLONES
void add_pixels(const float* pixels, Shape mesh, std::int64_t stride, InCut inside, Accumulators& to) {
  add_mesh(pixels, mesh, stride, inside, to);
}

SRCEXTRACT_VECTOR_CLONES
void add_pairs(const float* pixels, Shape mesh, std::int64_t stride, InBoth inside, Accumulators& to) {
  add_mesh(pixels, mesh, stride, inside, to);
}

MeshSums sums_of(const Accumulators& of) {
  return {std::accumulate(of.counts.begin(), of.counts.end(), std::int64_t{0}), total(of.sum), total(of.squares)};
}

}  // namespace

MeshPixels::MeshPixels(const Image<float, Cpu>& image, const MeshGrid& grid, std::int64_t x, std::int64_t y,
                       std::vector<float>& room)
    : width_(std::min(grid.mesh.width, image.shape.width - x * grid.mesh.width)),
      height_(std::min(grid.mesh.height, image.shape.height - y * grid.mesh.height)),
      stride_(image.shape.width),
      pixels_(image.pixels.data() + y * grid.mesh.height * stride_ + x * grid.mesh.width) {
  if (area() > most_copied) return;
  room.resize(static_cast<std::size_t>(area()));
  for (std::int64_t row = 0; row < height_; ++row)
    std::copy_n(pixels_ + row * stride_, width_, room.data() + row * width_);
  pixels_ = room.data();
  stride_ = width_;
}

MeshSums MeshPixels::sum(const MeshCut& cut) const {
  Accumulators of;
  add_pixels(pixels_, {width_, height_}, stride_, {cut}, of);
  return sums_of(of);
}

MeshSums MeshPixels::sum(const MeshCut& cut, const MeshPixels& other, const MeshCut& cut_of_other) const {
  Accumulators of;
  add_pairs(pixels_, {width_, height_}, stride_, {cut, other.pixels_, cut_of_other}, of);
  return sums_of(of);
}

SRCEXTRACT_VECTOR_CLONES
void find_bins(const float* pixels, int n, MeshBins bins, int none, int* __restrict out) {
  for (int x = 0; x < n; ++x) {
    const int bin = bins.bin_of(pixels[x]);
    out[x] = bin < 0 ? none : place_of_bin(bin);
  }
}

SRCEXTRACT_VECTOR_CLONES
void find_bins(const float* pixels, int n, MeshBins bins, const float* others, MeshBins bins_of_others, int none,
               int* __restrict out) {
  for (int x = 0; x < n; ++x) {
    const int bin = bins.bin_of(pixels[x]);
    out[x] = bin < 0 || bins_of_others.bin_of(others[x]) < 0 ? none : place_of_bin(bin);
  }
}

}  // namespace srcextract
