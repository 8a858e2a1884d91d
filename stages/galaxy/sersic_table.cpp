#include "stages/galaxy/sersic_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>

#include "stages/core/vector_clones.hpp"
#include "stages/galaxy/sersic_constants.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

using Index = SersicOfIndex;

/// Place between the knots of a table: the first of four B-splines, their values, and their derivatives by the table's
/// variable.
struct SplinePlace {
  int first = 0;
  double weight[4], slope[4];

  SplinePlace(double from_low, double step, int knots) {
    const double place = from_low / step;
    first = std::clamp(static_cast<int>(std::floor(place)), 0, knots - 2);
    const double t = place - first, s = 1 - t, by = 1 / step;
    weight[0] = s * s * s / 6;
    weight[1] = (t * t * (3 * t - 6) + 4) / 6;
    weight[2] = (t * (t * (3 - 3 * t) + 3) + 1) / 6;
    weight[3] = t * t * t / 6;
    slope[0] = -s * s / 2 * by;
    slope[1] = t * (3 * t - 4) / 2 * by;
    slope[2] = (t * (2 - 3 * t) + 1) / 2 * by;
    slope[3] = t * t / 2 * by;
  }

  template <class T>
  double value(const T* coefficients) const {
    const T* const c = coefficients + first;
    return weight[0] * c[0] + weight[1] * c[1] + weight[2] * c[2] + weight[3] * c[3];
  }
  template <class T>
  double derivative(const T* coefficients) const {
    const T* const c = coefficients + first;
    return slope[0] * c[0] + slope[1] * c[1] + slope[2] * c[2] + slope[3] * c[3];
  }
};

/// The transform's table keyed by the bits of κ², for each B-spline along ln n.
struct TransformTable {
  static constexpr int splines = sersic_index_knots + 2;
  alignas(32) float cubic[splines][Index::entries][4] = {};

  TransformTable() {
    constexpr int nodes = Index::intervals + 1;
    for (int i = 0; i < nodes; ++i) {
      const int octave = i / Index::per_octave;
      const double power = std::ldexp(1.0, Index::lowest + octave), width = power / Index::per_octave;
      const double square = power * (1 + (i % Index::per_octave) / static_cast<double>(Index::per_octave));
      const SplinePlace place(0.5 * portable_log(square) - sersic_wave_low, sersic_wave_step, sersic_wave_knots);
      for (int j = 0; j < splines; ++j) {
        const double value = sersic_unit * place.value(sersic_transform[j]);
        const double slope = sersic_unit * place.derivative(sersic_transform[j]) / (2 * square);  // by κ²
        // A node ends an interval and begins the next, which is twice as wide if an octave begins there.
        if (i < Index::intervals) begin(cubic[j][1 + i], value, slope * width);
        const double before = i % Index::per_octave == 0 ? width / 2 : width;
        if (i > 0) end(cubic[j][i], value, slope * before);
      }
    }
    // The splines along ln n add up to 1 everywhere, so H = 1 where κ² is small.
    for (auto& spline : cubic) spline[0][0] = 1;
  }

  static void begin(float* c, double value, double slope) {
    c[0] = static_cast<float>(value);
    c[1] = static_cast<float>(slope);
  }
  static void end(float* c, double value, double slope) {
    const double rise = value - c[0], first = c[1];
    c[2] = static_cast<float>(3 * rise - 2 * first - slope);
    c[3] = static_cast<float>(first + slope - 2 * rise);
  }
};

const TransformTable& transform_table() {
  static const std::unique_ptr<const TransformTable> table = std::make_unique<TransformTable>();
  return *table;
}

/// Mixes four splines along ln n, whose numbers follow one another. to: 4 numbers of the value and 4 of the slope.
SRCEXTRACT_VECTOR_CLONES void mix_splines(const float* from, std::int64_t spline, const float* weight,
                                          const float* slope, float* to) {
  for (int i = 0; i < Index::entries; ++i) {
    const float* const c = from + std::ptrdiff_t{4} * i;
    float* const out = to + std::ptrdiff_t{Index::coefficients} * i;
    for (int k = 0; k < 4; ++k) {
      const float c0 = c[k], c1 = c[spline + k], c2 = c[2 * spline + k], c3 = c[3 * spline + k];
      out[k] = weight[0] * c0 + weight[1] * c1 + weight[2] * c2 + weight[3] * c3;
      out[4 + k] = slope[0] * c0 + slope[1] * c1 + slope[2] * c2 + slope[3] * c3;
    }
  }
}

double clip_index(double ln_n) {
  constexpr double most = sersic_index_low + sersic_index_step * (sersic_index_knots - 1);
  return ln_n > sersic_index_low ? (ln_n < most ? ln_n : most) : sersic_index_low;
}

}  // namespace

SersicProfile sersic_profile(double ln_n) {
  SersicProfile of;
  const double clipped = clip_index(ln_n);
  const SplinePlace fine(clipped - sersic_index_low, sersic_index_step / 4, sersic_fine_knots);
  of.n = portable_exp(clipped);
  of.b = fine.value(sersic_b);
  of.b_slope = fine.derivative(sersic_b);
  of.log_peak = fine.value(sersic_log_peak);
  of.peak_slope = fine.derivative(sersic_log_peak);
  return of;
}

void take_index(double ln_n, bool slopes, SersicOfIndex& of) {
  static_cast<SersicProfile&>(of) = sersic_profile(ln_n);
  const SplinePlace place(clip_index(ln_n) - sersic_index_low, sersic_index_step, sersic_index_knots);
  float weight[4], slope[4];
  for (int i = 0; i < 4; ++i) {
    weight[i] = static_cast<float>(place.weight[i]);
    slope[i] = slopes ? static_cast<float>(place.slope[i]) : 0;
  }
  const TransformTable& table = transform_table();
  mix_splines(table.cubic[place.first][0], std::int64_t{Index::entries} * 4, weight, slope, of.transform[0]);
  for (int i = 0; i < sersic_radius_knots + 2; ++i) {
    const auto column = [&](int j) { return sersic_unit * sersic_beyond[place.first + j][i]; };
    of.beyond[i] = place.weight[0] * column(0) + place.weight[1] * column(1) + place.weight[2] * column(2) +
                   place.weight[3] * column(3);
    of.beyond_slope[i] = place.slope[0] * column(0) + place.slope[1] * column(1) + place.slope[2] * column(2) +
                         place.slope[3] * column(3);
  }
}

LightBeyond light_beyond(const SersicOfIndex& of, double r2) {
  constexpr double most = sersic_radius_low + sersic_radius_step * (sersic_radius_knots - 1);
  const double ln_r = 0.5 * portable_log(r2);
  if (ln_r > most) return {};
  const SplinePlace place((ln_r > sersic_radius_low ? ln_r : sersic_radius_low) - sersic_radius_low, sersic_radius_step,
                          sersic_radius_knots);
  return {place.value(of.beyond), place.derivative(of.beyond), place.value(of.beyond_slope)};
}

}  // namespace srcextract
