#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/core/host_device.hpp"
#include "stages/crowd/crowd_pixels.hpp"
#include "stages/crowd/crowd_psf.hpp"
#include "stages/crowd/crowd_stars.hpp"
#include "stages/crowd/equations_view.hpp"
#include "stages/crowd/star_rules.hpp"

namespace srcextract {

/// The neighbours of a star that enter its errors, nearest first, followed by the star itself.
struct ErrorNeighbours {
  static constexpr int most = 20;
  static constexpr double widths = 2;  ///< largest distance of a neighbour, in FWHM
  std::int32_t number[most + 1];
  int count = 0;

  SRCEXTRACT_HOST_DEVICE ErrorNeighbours(const EquationsView& of, const CrowdStar* stars, std::int64_t own,
                                         double reach) {
    double distance[most];
    for (std::int64_t k = of.row[own]; k < of.row[own + 1]; ++k) {
      const std::int32_t other = of.partner[k];
      const double dx = stars[other].x - stars[own].x, dy = stars[other].y - stars[own].y, square = dx * dx + dy * dy;
      if (other == own || square > reach * reach) continue;
      int at = count;
      while (at > 0 && square < distance[at - 1]) --at;
      if (at == most) continue;
      if (count < most) ++count;
      for (int i = count - 1; i > at; --i) {
        distance[i] = distance[i - 1];
        number[i] = number[i - 1];
      }
      distance[at] = square;
      number[at] = other;
    }
    number[count++] = static_cast<std::int32_t>(own);
  }

  /// Number of elements of the triangle that find_errors() needs.
  SRCEXTRACT_HOST_DEVICE std::int64_t triangle() const { return (3 * count + 1) * 3 * count / 2; }
};

/// Index of element (i, j), j <= i, of a lower triangle that is stored row by row.
SRCEXTRACT_HOST_DEVICE inline int in_triangle(int i, int j) {
  return i * (i + 1) / 2 + j;
}

/// Replaces the lower triangle of a symmetric n x n matrix by its Cholesky factor. If rounding leaves no significant
/// pivot for an unknown, the unknown is ignored: its diagonal element and the column below become 0.
SRCEXTRACT_HOST_DEVICE inline void divide_triangle(double* a, int n) {
  constexpr double least_pivot = 1e-10;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      const double whole = a[in_triangle(i, j)];
      double sum = whole;
      for (int k = 0; k < j; ++k) sum -= a[in_triangle(i, k)] * a[in_triangle(j, k)];
      const double pivot = j < i ? a[in_triangle(j, j)] : 0;
      if (j < i)
        a[in_triangle(i, j)] = pivot > 0 ? sum / pivot : 0;
      else
        a[in_triangle(i, i)] = sum > least_pivot * whole ? std::sqrt(sum) : 0;
    }
  }
}

/// Sets the errors of a star in `row` from the equations of the star and its neighbours; held_step() is added for
/// positions. `a` is scratch memory for chosen.triangle() numbers.
SRCEXTRACT_HOST_DEVICE inline void find_errors(const EquationsView& of, const CrowdStar* stars,
                                               const ErrorNeighbours& chosen, double* a, CrowdRow& row) {
  const int n = 3 * chosen.count;
  for (int i = 0; i < chosen.count; ++i) {
    const std::int64_t star = chosen.number[i];
    for (int j = 0; j <= i; ++j) {
      const std::int64_t there = of.place_of(star, chosen.number[j]);
      const bool is_partner = there < of.row[star + 1] && of.partner[there] == chosen.number[j];
      for (std::int64_t p = 0; p < 3; ++p)
        for (std::int64_t q = 0; q < (i == j ? p + 1 : 3); ++q)
          a[in_triangle(3 * i + static_cast<int>(p), 3 * j + static_cast<int>(q))] =
              is_partner ? of.block[9 * there + 3 * p + q] : 0;
    }
    for (int p = 1; p < 3; ++p) a[in_triangle(3 * i + p, 3 * i + p)] += held_step(stars[star].flux);
  }
  divide_triangle(a, n);
  const int last = n - 3;
  const double l00 = a[in_triangle(last, last)], l10 = a[in_triangle(last + 1, last)],
               l11 = a[in_triangle(last + 1, last + 1)], l20 = a[in_triangle(last + 2, last)],
               l21 = a[in_triangle(last + 2, last + 1)], l22 = a[in_triangle(last + 2, last + 2)];
  row.variance = row.xx = row.yy = row.xy = std::numeric_limits<double>::quiet_NaN();
  if (!(l00 > 0 && l11 > 0 && l22 > 0)) return;
  const double m22 = 1 / l22, m11 = 1 / l11, m21 = -l21 * m11 * m22, m00 = 1 / l00, m10 = -l10 * m00 * m11,
               m20 = -(l20 * m00 + l21 * m10) * m22;
  row.variance = m00 * m00 + m10 * m10 + m20 * m20;
  const double square = row.flux * row.flux;
  if (!(square > 0)) return;
  row.xx = (m11 * m11 + m21 * m21) / square;
  row.yy = m22 * m22 / square;
  row.xy = m21 * m22 / square;
}

/// Sums over the pixels of a stamp. The PSF is that of the star.
struct LightOfStamp {
  double all = 0, good = 0;            // sums of the PSF: over all pixels, and over pixels that the fit uses
  double chi = 0, own = 0, whole = 0;  // sums of PSF times: weight residual^2, own light, all light
  double wide_light = 0, light = 0, mixed = 0, squares = 0;  // sums as in spread_model.hpp
  double wide_noise = 0, noise = 0, mixed_noise = 0;
  bool cut = false, masked = false, saturated = false;
};

SRCEXTRACT_HOST_DEVICE inline LightOfStamp sum_stamp(const CrowdPixels& field, const CrowdStamp& stamp,
                                                     const float* wide, double flux, double core) {
  LightOfStamp s;
  for (std::int64_t j = 0; j < stamp.side(); ++j) {
    for (std::int64_t i = 0; i < stamp.side(); ++i) {
      const std::int64_t dx = i - stamp.half, dy = j - stamp.half, x = stamp.x + dx, y = stamp.y + dy;
      const auto p = static_cast<double>(stamp.numbers[stamp.place(i, j)]),
                 g = static_cast<double>(wide[stamp.place(i, j)]);
      s.all += p;
      const bool in_core = static_cast<double>(dx * dx + dy * dy) <= core * core;
      if (!field.has(x, y)) {
        s.cut = s.cut || in_core;
        continue;
      }
      const std::int64_t at = y * field.width + x;
      if (!field.is_good(at)) {
        if (in_core) (field.is_saturated(at) ? s.saturated : s.masked) = true;
        continue;
      }
      const auto left = static_cast<double>(field.residual[at]), weight = static_cast<double>(field.weight[at]);
      const double own = left + flux * p, variance = 1 / weight;
      s.good += p;
      s.chi += p * weight * left * left;
      s.own += p * own;
      s.whole += p * (left + static_cast<double>(field.model[at]));
      s.wide_light += g * own;
      s.light += p * own;
      s.mixed += p * g;
      s.squares += p * p;
      s.wide_noise += g * g * variance;
      s.noise += p * p * variance;
      s.mixed_noise += p * g * variance;
    }
  }
  return s;
}

SRCEXTRACT_HOST_DEVICE inline void describe(const LightOfStamp& s, CrowdRow& row) {
  row.chi2 = s.good > 0 ? s.chi / s.good : std::numeric_limits<double>::quiet_NaN();
  row.share = s.whole > 0 ? s.own / s.whole : std::numeric_limits<double>::quiet_NaN();
  row.quality = s.all > 0 ? s.good / s.all : 0;
  row.spread = 1;
  row.spread_variance = 1;
  const double d = s.light, e = s.wide_light;
  if (d > 0 && s.squares > 0) {
    row.spread = e / d - s.mixed / s.squares;
    const double variance = s.wide_noise * d * d + s.noise * e * e - 2 * s.mixed_noise * d * e;
    if (variance > 0) row.spread_variance = variance / (d * d * d * d);
  }
  // the fit uses no pixel of the stamp
  if (!(s.good > 0)) row.flux = row.variance = std::numeric_limits<double>::quiet_NaN();
  if (!(row.share > 0.5)) row.flags |= flag::crowded;
  if (s.cut) row.flags |= flag::at_edge;
  if (s.masked) row.flags |= flag::masked_pixels;
  if (s.saturated) row.flags |= flag::saturated;
}

/// Returns a row with the values that the fit of a star gives: position, flux, turn, flags and sky. sum_stamp(),
/// describe() and find_errors() supply the others.
SRCEXTRACT_HOST_DEVICE inline CrowdRow row_of(const CrowdStar& star, const CrowdPixels& pixels) {
  CrowdRow row{};
  row.x = star.x;
  row.y = star.y;
  row.flux = star.flux;
  row.turn = star.turn;
  row.flags = static_cast<std::int16_t>(star.flags);
  row.completeness = row.confusion = std::numeric_limits<double>::quiet_NaN();
  row.sky = pixels.sky.between(pixels.level, pixels.sky.along_x(star.x), pixels.sky.along_y(star.y));
  return row;
}

}  // namespace srcextract
