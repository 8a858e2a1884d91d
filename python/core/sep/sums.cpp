#include "python/core/sep/sums.hpp"

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

/// Calls body(values, columns, counts) for blocks of a stretch of a row. No function returns a vector, since that would
/// depend on the processor's calling convention.
template <class T, class Body>
inline void for_each_block(const BoxPixels<T>& pixels, const SepBox& box, std::int64_t row, const SepStretch& stretch,
                           const Body& body) {
  using Block = typename VectorOf<T>::Type;
  const T* const from = pixels.first + (row - box.y_begin) * pixels.stride - box.x_begin;
  const Whether every = Whether{} - 1;
  std::int64_t column = stretch.begin;
  for (; column + lanes <= stretch.end; column += lanes) {
    Block values;
    std::memcpy(&values, from + column, sizeof(values));
    body(__builtin_convertvector(values, Doubles), static_cast<double>(column) + places, every);
  }
  if (column >= stretch.end) return;
  const std::int64_t left = stretch.end - column;
  Block last{};
  if (pixels.end - (from + column) >= lanes) {
    std::memcpy(&last, from + column, sizeof(last));
  } else {
    std::memcpy(&last, from + column, static_cast<std::size_t>(left) * sizeof(T));
  }
  const Whether before_end = places < Doubles{} + static_cast<double>(left);
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
  const EllipseRows rows(at);
  const double cxx = at.cxx, cyy = at.cyy, cxy = at.cxy;
  const Doubles none{};
  Doubles light{}, moment{};
  std::int64_t count = 0;
  for (std::int64_t row = box.y_begin; row < box.y_end; ++row) {
    const SepStretch inside = rows.within(row, square, with_moment, box);
    count += inside.length();
    const double dy = static_cast<double>(row) - at.y, rest = cyy * dy * dy, lean = cxy * dy;
    for_each_block(pixels, box, row, inside, [&](const Doubles& values, const Doubles& columns, const Whether& counts) {
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
  return {folded(light), static_cast<double>(count), folded(moment)};
}

template <class T>
inline EllipseSums sum_sub_pixels(const BoxPixels<T>& pixels, const SepBox& box, const SepAnnulus& annulus) {
  const SepEllipse at = annulus.ellipse;
  const EllipseRows rows(at);
  const auto side = static_cast<int>(annulus.sub_pixels);
  const double of_sub_pixel = (1.0 / side) * (1.0 / side);
  const Doubles none{}, one = Doubles{} + 1.0, outer = Doubles{} + annulus.outer_out,
                        inner = Doubles{} + annulus.outer_in, limit = Doubles{} + annulus.outer * annulus.outer;
  Doubles light{}, area{};
  for (std::int64_t row = box.y_begin; row < box.y_end; ++row) {
    const double dy = static_cast<double>(row) - at.y;
    const auto whole = [&](const Doubles& values, const Doubles&, const Whether& counts) {
      light += counts ? values : none;
      area += counts ? one : none;
    };
    const auto crossed = [&](const Doubles& values, const Doubles& columns, const Whether& counts) {
      const Doubles dx = columns - at.x;
      const Doubles distance = at.cxx * dx * dx + at.cyy * dy * dy + at.cxy * dx * dy;
      const Whether near = (distance < outer) & counts;
      Doubles inside{};
      for_each_sub_pixel(dx, dy, side, [&](const Doubles& u, double v) {
        inside += at.cxx * u * u + at.cyy * v * v + at.cxy * u * v < limit ? one : none;
      });
      const Doubles part = near ? (distance <= inner ? one : inside * of_sub_pixel) : none;
      light += near ? part * values : none;
      area += part;
    };
    const SepStretch all = rows.about(row, annulus.outer_out, box);
    const bool narrow = all.length() <= lanes;
    const SepStretch sure = narrow ? SepStretch{0, 0} : rows.within(row, annulus.outer_in, true, box);
    if (sure.length() < lanes) {
      for_each_block(pixels, box, row, all, crossed);
    } else {
      for_each_block(pixels, box, row, {all.begin, sure.begin}, crossed);
      for_each_block(pixels, box, row, sure, whole);
      for_each_block(pixels, box, row, {sure.end, all.end}, crossed);
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
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN EllipseSums BoxPixels<T>::sum_parts(const SepBox& box,
                                                                                const SepAnnulus& annulus) const {
  return sum_sub_pixels(*this, box, annulus);
}

template <class T>
SRCEXTRACT_VECTOR_CLONES SRCEXTRACT_FLATTEN double BoxPixels<T>::sum_stretch(const T* pixels, std::int64_t count) {
  constexpr int at_once = 16;  // pixel i is added to sum number i mod at_once
  double sums[at_once] = {};
  std::int64_t i = 0;
  for (; i + at_once <= count; i += at_once)
    for (int k = 0; k < at_once; ++k) sums[k] += static_cast<double>(pixels[i + k]);
  for (int k = 0; i + k < count; ++k) sums[k] += static_cast<double>(pixels[i + k]);
  for (int half = at_once / 2; half > 0; half /= 2)
    for (int k = 0; k < half; ++k) sums[k] += sums[k + half];
  return sums[0];
}

template struct BoxPixels<float>;
template struct BoxPixels<double>;
template struct BoxPixels<std::int32_t>;
template struct BoxPixels<std::uint8_t>;

}  // namespace srcextract::python
