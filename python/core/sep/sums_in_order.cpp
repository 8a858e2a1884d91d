#include "python/core/sep/sums_in_order.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "stages/core/vector_clones.hpp"

namespace srcextract::python {
namespace {

template <class T, std::size_t lanes>
struct VectorOf {
  using Type [[gnu::vector_size(lanes * sizeof(T))]] = T;
};

/// The sums of `lanes` meshes, each in a separate vector lane.
template <std::size_t lanes>
struct LaneSums {
  typename VectorOf<float, lanes>::Type lower{}, upper{};  ///< lowest and highest pixel value that counts in each mesh
  typename VectorOf<double, lanes>::Type sum{}, squares{};
  std::array<std::int64_t, lanes> count{};
  std::array<const float*, lanes> pixels;
};

/// Adds the next `n` pixels (at most sum_columns) of each mesh to the mesh's sums. Skips pixels outside the mesh's cut.
template <std::size_t lanes>
inline __attribute__((always_inline)) void add_lanes(int n, LaneSums<lanes>& to) {
  using Floats = typename VectorOf<float, lanes>::Type;
  using Doubles = typename VectorOf<double, lanes>::Type;
  using Counts = typename VectorOf<std::int32_t, lanes>::Type;
  const auto pixels = to.pixels;
  std::array<float, sum_columns * lanes> by_pixel;
  for (int i = 0; i < n; ++i)
    for (std::size_t k = 0; k < lanes; ++k) by_pixel[static_cast<std::size_t>(i) * lanes + k] = pixels[k][i];
  const Floats lower = to.lower, upper = to.upper, none{};
  Doubles sum = to.sum, squares = to.squares;
  Counts count{};
  for (int i = 0; i < n; ++i) {
    Floats pixel;
    std::memcpy(&pixel, by_pixel.data() + static_cast<std::size_t>(i) * lanes, sizeof(pixel));
    const Counts taken = (pixel >= lower) & (pixel <= upper);
    const Doubles value = __builtin_convertvector(taken ? pixel : none, Doubles);
    sum += value;
    squares += value * value;
    count -= taken;  // a true element is -1
  }
  to.sum = sum;
  to.squares = squares;
  for (std::size_t k = 0; k < lanes; ++k) to.count[k] += count[k];
}

SRCEXTRACT_VECTOR_CLONES
void add_piece(int n, LaneSums<meshes_together>& to) {
  add_lanes(n, to);
}
SRCEXTRACT_VECTOR_CLONES
void add_piece(int n, LaneSums<2>& to) {
  add_lanes(n, to);
}

template <std::size_t lanes>
MeshesSums sum_in_lanes(std::span<const MeshPixels> meshes, const MeshCuts& cuts) {
  LaneSums<lanes> of;
  Shape most{0, 0};
  for (std::size_t k = 0; k < meshes.size(); ++k) {
    of.lower[k] = cuts[k].lower;
    of.upper[k] = cuts[k].upper;
    most = {std::max(most.width, meshes[k].shape().width), std::max(most.height, meshes[k].shape().height)};
  }
  // Pixels of meshes that are smaller than the largest; NaN fills the missing pixels.
  std::array<std::array<float, sum_columns>, lanes> ends;
  for (std::int64_t row = 0; row < most.height; ++row) {
    for (std::int64_t x = 0; x < most.width; x += sum_columns) {
      const std::int64_t n = std::min<std::int64_t>(sum_columns, most.width - x);
      for (std::size_t k = 0; k < lanes; ++k) {
        const Shape mesh = k < meshes.size() ? meshes[k].shape() : Shape{0, 0};
        const std::int64_t own = row < mesh.height ? std::clamp<std::int64_t>(mesh.width - x, 0, n) : 0;
        of.pixels[k] = own == n ? meshes[k].at(row, x) : ends[k].data();
        if (own == n) continue;
        ends[k].fill(std::numeric_limits<float>::quiet_NaN());  // NaN is outside every cut
        if (own > 0) std::copy_n(meshes[k].at(row, x), own, ends[k].data());
      }
      add_piece(static_cast<int>(n), of);
    }
  }
  MeshesSums sums;
  for (std::size_t k = 0; k < meshes.size(); ++k) sums[k] = {of.count[k], of.sum[k], of.squares[k]};
  return sums;
}

}  // namespace

MeshesSums sum_in_order(std::span<const MeshPixels> meshes, const MeshCuts& cuts) {
  return meshes.size() <= 2 ? sum_in_lanes<2>(meshes, cuts) : sum_in_lanes<meshes_together>(meshes, cuts);
}

}  // namespace srcextract::python
