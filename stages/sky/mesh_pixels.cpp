#include "stages/sky/mesh_pixels.hpp"

#include <array>

#include "stages/core/vector_clones.hpp"

namespace srcextract {

namespace {

/// Meshes of up to so many pixels are copied before they are worked on: the rows of an image are so far apart that they
/// push each other out of the cache.
constexpr std::int64_t most_copied = std::int64_t{1} << 18;

constexpr std::size_t columns = sum_columns;

/// Where sums are gathered, row by row of the accumulators.
using Cells = std::array<double, columns * sum_rows>;
struct Accumulators {
  Cells sum{}, squares{};
};

double total(const Cells& of) {
  std::array<double, columns> column{};
  for (std::size_t c = 0; c < columns; ++c)
    column[c] = (of[c] + of[c + columns]) + (of[c + 2 * columns] + of[c + 3 * columns]);
  for (std::size_t half = columns / 2; half > 0; half /= 2)
    for (std::size_t c = 0; c < half; ++c) column[c] += column[c + half];
  return column[0];
}

/// Adds at most sum_columns pixels of a row that the cut contains, and returns how many there were.
SRCEXTRACT_VECTOR_CLONES
int add_pixels(const float* pixels, int n, MeshCut cut, double* __restrict sum, double* __restrict squares) {
  int count = 0;
  for (int x = 0; x < n; ++x) {
    const float pixel = pixels[x];
    const bool inside = (pixel >= cut.lower) & (pixel <= cut.upper);
    const auto value = static_cast<double>(inside ? pixel : 0.0F);
    sum[x] += value;
    squares[x] += value * value;
    count += inside ? 1 : 0;
  }
  return count;
}

/// The same of those whose counterparts are in a cut of their own.
SRCEXTRACT_VECTOR_CLONES
int add_pairs(const float* pixels, int n, MeshCut cut, const float* others, MeshCut cut_of_others,
              double* __restrict sum, double* __restrict squares) {
  int count = 0;
  for (int x = 0; x < n; ++x) {
    const float pixel = pixels[x], other = others[x];
    const bool inside =
        (pixel >= cut.lower) & (pixel <= cut.upper) & (other >= cut_of_others.lower) & (other <= cut_of_others.upper);
    const auto value = static_cast<double>(inside ? pixel : 0.0F);
    sum[x] += value;
    squares[x] += value * value;
    count += inside ? 1 : 0;
  }
  return count;
}

/// Sums over a mesh; add(row, x, n, sum, squares) adds a piece of it and returns how many pixels it took.
template <class Add>
MeshSums sum_pieces(const MeshPixels& mesh, const Add& add) {
  Accumulators of;
  MeshSums sums{};
  mesh.for_each_piece([&](std::int64_t row, std::int64_t x, int n) {
    const std::int64_t first = row % sum_rows * sum_columns;
    sums.count += add(row, x, n, of.sum.data() + first, of.squares.data() + first);
  });
  sums.sum = total(of.sum);
  sums.squares = total(of.squares);
  return sums;
}

}  // namespace

MeshPixels::MeshPixels(const Image<float, Cpu>& image, const MeshGrid& grid, std::int64_t x, std::int64_t y,
                       std::vector<float>& room)
    : width_(std::min(grid.mesh, image.shape.width - x * grid.mesh)),
      height_(std::min(grid.mesh, image.shape.height - y * grid.mesh)),
      stride_(image.shape.width),
      pixels_(image.pixels.data() + y * grid.mesh * stride_ + x * grid.mesh) {
  if (area() > most_copied) return;
  room.resize(static_cast<std::size_t>(area()));
  for (std::int64_t row = 0; row < height_; ++row)
    std::copy_n(pixels_ + row * stride_, width_, room.data() + row * width_);
  pixels_ = room.data();
  stride_ = width_;
}

MeshSums MeshPixels::sum(const MeshCut& cut) const {
  return sum_pieces(*this, [&](std::int64_t row, std::int64_t x, int n, double* sum, double* squares) {
    return add_pixels(at(row, x), n, cut, sum, squares);
  });
}

MeshSums MeshPixels::sum(const MeshCut& cut, const MeshPixels& other, const MeshCut& cut_of_other) const {
  return sum_pieces(*this, [&](std::int64_t row, std::int64_t x, int n, double* sum, double* squares) {
    return add_pairs(at(row, x), n, cut, other.at(row, x), cut_of_other, sum, squares);
  });
}

SRCEXTRACT_VECTOR_CLONES
void find_bins(const float* pixels, int n, MeshBins bins, int none, int* __restrict out) {
  for (int x = 0; x < n; ++x) {
    const int bin = bins.bin_of(pixels[x]);
    out[x] = bin < 0 ? none : bin;
  }
}

SRCEXTRACT_VECTOR_CLONES
void find_bins(const float* pixels, int n, MeshBins bins, const float* others, MeshBins bins_of_others, int none,
               int* __restrict out) {
  for (int x = 0; x < n; ++x) {
    const int bin = bins.bin_of(pixels[x]);
    out[x] = bin < 0 || bins_of_others.bin_of(others[x]) < 0 ? none : bin;
  }
}

}  // namespace srcextract
