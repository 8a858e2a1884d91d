#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>

#include "python/core/interrupt.hpp"
#include "python/core/sep/ellipse.hpp"
#include "python/core/sep/image.hpp"
#include "stages/core/parallel.hpp"
#include "stages/math/exact_math.hpp"

// SEP's functions that only concern ellipses: conversions between coefficients and axes, and masks of the pixels
// inside.

namespace srcextract::python {
namespace nb = nanobind;
namespace {

void mask_ellipses(const Results<std::uint8_t>& to, std::int64_t width, std::int64_t height, const Values<double>& x,
                   const Values<double>& y, const Values<double>& cxx, const Values<double>& cyy,
                   const Values<double>& cxy, const Values<double>& r) {
  const auto fill = [&](std::size_t k) {
    SepEllipse at{x.data()[k], y.data()[k], cxx.data()[k], cyy.data()[k], cxy.data()[k]};
    const double determinant = at.cxx * at.cyy - at.cxy * at.cxy / 4, size = r.data()[k];
    at.reach_x = std::sqrt(at.cyy / determinant);
    at.reach_y = std::sqrt(at.cxx / determinant);
    const SepBox box = at.box(size, {width, height});
    const EllipseRows rows(at);
    box.for_each_row([&](std::int64_t row) {
      const SepStretch inside = rows.within(row, size * size, box);
      std::fill_n(to.data() + row * width + inside.begin, inside.length(), std::uint8_t{1});
    });
  };
  constexpr std::int64_t ellipses_per_piece = 16;
  do_watchfully([&] {
    parallel_for(static_cast<std::int64_t>(x.shape(0)), ellipses_per_piece, Cpu{1},
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t k = begin; k < end; ++k) fill(static_cast<std::size_t>(k));
                 });
  });
}

void ellipse_coeffs(const Values<double>& a, const Values<double>& b, const Values<double>& theta,
                    const Results<double>& cxx, const Results<double>& cyy, const Results<double>& cxy) {
  for (std::size_t i = 0; i < a.shape(0); ++i) {
    const auto ellipse = SepEllipse::of_axes(0, 0, a.data()[i], b.data()[i], theta.data()[i]);
    cxx.data()[i] = ellipse.cxx;
    cyy.data()[i] = ellipse.cyy;
    cxy.data()[i] = ellipse.cxy;
  }
}

/// Converts coefficients to axes and angles, up to the first element that is no ellipse. Returns the number of
/// converted elements.
std::size_t ellipse_axes(const Values<double>& cxx, const Values<double>& cyy, const Values<double>& cxy,
                         const Results<double>& a, const Results<double>& b, const Results<double>& theta) {
  constexpr double quarter_turn = 1.57079632679489661923;
  for (std::size_t i = 0; i < cxx.shape(0); ++i) {
    const double along_x = cxx.data()[i], along_y = cyy.data()[i], mixed = cxy.data()[i];
    if (!(along_x > 0) || !(along_y > 0) || !(4 * along_x * along_y - mixed * mixed > 0)) return i;
    const double half_sum = (along_x + along_y) / 2, half_root = std::hypot(along_x - along_y, mixed) / 2;
    a.data()[i] = 1 / std::sqrt(half_sum - half_root);
    b.data()[i] = 1 / std::sqrt(half_sum + half_root);
    // The quadratic form is smallest along the major axis.
    const bool is_upright = mixed == 0 && along_x <= along_y;
    const double angle = is_upright ? 0 : portable_atan2(0 - mixed, along_y - along_x) / 2;
    // -90 degrees is the same axis as 90 degrees, which SEP returns.
    theta.data()[i] = angle <= -quarter_turn ? quarter_turn : angle;
  }
  return cxx.shape(0);
}

}  // namespace

void bind_sep_ellipses(nb::module_& module) {
  module.def("sep_mask_ellipses", &mask_ellipses);
  module.def("sep_ellipse_coeffs", &ellipse_coeffs);
  module.def("sep_ellipse_axes", &ellipse_axes);
}

}  // namespace srcextract::python
