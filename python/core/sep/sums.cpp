#include "python/core/sep/sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "stages/core/vector_clones.hpp"

namespace srcextract::python {
namespace {

/// Pixels per block.
constexpr int lanes = 8;

using Doubles [[gnu::vector_size(lanes * sizeof(double))]] = double;
using Whether [[gnu::vector_size(lanes * sizeof(std::int64_t))]] = std::int64_t;
template <class T>
struct VectorOf {
  using Type [[gnu::vector_size(lanes * sizeof(T))]] = T;
};

constexpr Doubles places{0, 1, 2, 3, 4, 5, 6, 7};

/// Calls body(values, columns, counts) for blocks of the columns [begin, end) of a row. No vector is returned by value,
/// since that depends on the processor's calling convention.
template <class T, class Body>
inline void for_each_block(const BoxPixels<T>& pixels, const SepBox& box, std::int64_t row, std::int64_t begin,
                           std::int64_t end, const Body& body) {
  using Block = typename VectorOf<T>::Type;
  const T* const from = pixels.first + (row - box.y_begin) * pixels.stride - box.x_begin;
  const Whether every = Whether{} - 1;
  std::int64_t column = begin;
  for (; column + lanes <= end; column += lanes) {
    Block values;
    std::memcpy(&values, from + column, sizeof(values));
    body(__builtin_convertvector(values, Doubles), static_cast<double>(column) + places, every);
  }
  if (column >= end) return;
  Block last{};
  if (pixels.end - (from + column) >= lanes) {
    std::memcpy(&last, from + column, sizeof(last));
  } else {
    std::memcpy(&last, from + column, static_cast<std::size_t>(end - column) * sizeof(T));
  }
  const Whether before_end = places < Doubles{} + static_cast<double>(end - column);
  body(__builtin_convertvector(last, Doubles), static_cast<double>(column) + places, before_end);
}

/// Takes square roots in float, which is precise enough for the sums.
inline void take_roots(Doubles& squares) {
  using Floats = VectorOf<float>::Type;
  Floats roots = __builtin_convertvector(squares, Floats);
  for (int k = 0; k < lanes; ++k) roots[k] = std::sqrt(roots[k]);
  squares = __builtin_convertvector(roots, Doubles);
}

inline double folded(const Doubles& sums) {
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

template <bool with_moment, class T>
inline EllipseSums sum_ellipse(const BoxPixels<T>& pixels, const SepBox& box, const SepEllipse& at, double square) {
  const EllipseRows rows(at.form, at.x, at.y);
  const double cxx = at.form.cxx, cyy = at.form.cyy, cxy = at.form.cxy;
  const Doubles none{};
  Doubles light{}, moment{};
  std::int64_t count = 0;
  for (std::int64_t row = box.y_begin; row < box.y_end; ++row) {
    const SepStretch inside = rows.within(row, square, with_moment, box);
    count += inside.end - inside.begin;
    const double dy = static_cast<double>(row) - at.y, rest = cyy * dy * dy, lean = cxy * dy;
    for_each_block(pixels, box, row, inside.begin, inside.end,
                   [&](const Doubles& values, const Doubles& columns, const Whether& counts) {
                     const Doubles value = counts ? values : none;
                     light += value;
                     if constexpr (with_moment) {
                       const Doubles dx = columns - at.x;
                       Doubles distance = (cxx * dx + lean) * dx + rest;
                       distance = distance > none ? distance : none;
                       take_roots(distance);
                       moment += distance * value;
                     }
                   });
  }
  return {folded(light), folded(moment), count};
}

/// Number of sub-pixels inside the ellipse, for pixels centred at (dx, dy).
inline void count_sub_pixels(const EllipseForm& form, const Doubles& dx, double dy, int side, double radius2,
                             Doubles& inside) {
  const double step = 1.0 / side, start = 0.5 * (step - 1);
  const Doubles limit = Doubles{} + radius2, none{}, one = Doubles{} + 1.0;
  inside = none;
  double v = dy + start;
  for (int j = 0; j < side; ++j, v += step) {
    const double rest = form.cyy * v * v;
    Doubles u = dx + start;
    for (int i = 0; i < side; ++i, u += step) inside += form.cxx * u * u + rest + form.cxy * u * v < limit ? one : none;
  }
}

template <class T>
inline PartSums sum_sub_pixels(const BoxPixels<T>& pixels, const SepBox& box, const SepEllipse& at,
                               const SepAnnulus& annulus) {
  const EllipseForm form = at.form;
  const EllipseRows rows(form, at.x, at.y);
  const auto side = static_cast<int>(annulus.sub_pixels());
  const double of_sub_pixel = (1.0 / side) * (1.0 / side), radius2 = annulus.outer() * annulus.outer();
  const Doubles outer = Doubles{} + annulus.outer_out(), inner = Doubles{} + annulus.outer_in(), none{},
                one = Doubles{} + 1.0;
  Doubles light{}, area{};
  for (std::int64_t row = box.y_begin; row < box.y_end; ++row) {
    const double dy = static_cast<double>(row) - at.y;
    const auto whole = [&](const Doubles& values, const Doubles&, const Whether& counts) {
      light += counts ? values : none;
      area += counts ? one : none;
    };
    const auto crossed = [&](const Doubles& values, const Doubles& columns, const Whether& counts) {
      const Doubles dx = columns - at.x;
      const Doubles distance = form.cxx * dx * dx + form.cyy * dy * dy + form.cxy * dx * dy;
      const Whether near = (distance < outer) & counts;
      Doubles part;
      count_sub_pixels(form, dx, dy, side, radius2, part);
      part = near ? (distance <= inner ? one : part * of_sub_pixel) : none;
      light += near ? part * values : none;
      area += part;
    };
    const SepStretch all = rows.about(row, annulus.outer_out(), box);
    const bool narrow = all.end - all.begin <= lanes;
    const SepStretch sure = narrow ? SepStretch{0, 0} : rows.within(row, annulus.outer_in(), true, box);
    if (sure.end - sure.begin < lanes) {
      for_each_block(pixels, box, row, all.begin, all.end, crossed);
    } else {
      for_each_block(pixels, box, row, all.begin, sure.begin, crossed);
      for_each_block(pixels, box, row, sure.begin, sure.end, whole);
      for_each_block(pixels, box, row, sure.end, all.end, crossed);
    }
  }
  return {folded(light), folded(area)};
}

}  // namespace

template <class T>
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN EllipseSums BoxPixels<T>::sum_moments(const SepBox& box,
                                                                                  const SepEllipse& at,
                                                                                  double square) const {
  return sum_ellipse<true>(*this, box, at, square);
}

template <class T>
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN EllipseSums BoxPixels<T>::sum_whole(const SepBox& box, const SepEllipse& at,
                                                                                double square) const {
  return sum_ellipse<false>(*this, box, at, square);
}

template <class T>
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN PartSums BoxPixels<T>::sum_parts(const SepBox& box, const SepEllipse& at,
                                                                             const SepAnnulus& annulus) const {
  return sum_sub_pixels(*this, box, at, annulus);
}

template struct BoxPixels<float>;
template struct BoxPixels<double>;
template struct BoxPixels<std::int32_t>;
template struct BoxPixels<std::uint8_t>;

}  // namespace srcextract::python
