#pragma once

#include <algorithm>
#include <cmath>

#include "stages/core/host_device.hpp"
#include "stages/galaxy/lane_functions.hpp"
#include "stages/galaxy/wrap_removal.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

/// Distance of the edge of a square around the centre, in direction (c, s), for half a side of 1.
inline double edge_distance(double c, double s) {
  return 1 / std::max(std::fabs(c), std::fabs(s));
}

/// The profile's value along the major axis, where it leaves a square of this half side.
class EdgeLight {
 public:
  explicit EdgeLight(const WrappedProfile& of) : of_(of) {
    const double h = length_of(of.shape->e1, of.shape->e2);
    // Direction of the major axis, by half angles; Σ has the eigenvector (cos θ, sin θ) with cos 2θ = e1 / h.
    const double cosine2 = h > 0 ? of.shape->e1 / h : 1;
    cosine_ = std::sqrt((1 + cosine2) / 2);
    sine_ = std::copysign(std::sqrt(std::max(1 - cosine2, 0.0) / 2), of.shape->e2);
    distance_ = edge_distance(cosine_, sine_);
    major_ = portable_exp(of.shape->ln_rc + h / 2);
    peak_ = portable_exp(of.index->log_peak) / std::sqrt(of.matrix->sigma.determinant());
  }

  /// Direction of the major axis.
  double cosine() const { return cosine_; }
  double sine() const { return sine_; }
  double major() const { return major_; }

  double at(double half_side) const {
    const double r = half_side * distance_ / major_;
    return peak_ * portable_exp(-of_.index->b * portable_exp(portable_log(r) / of_.index->n));
  }
  double beyond(double half_side) const {
    const double r = half_side * distance_ / major_;
    return light_beyond(*of_.index, r * r).part;
  }

 private:
  const WrappedProfile& of_;
  double cosine_ = 1, sine_ = 0, distance_ = 1, major_ = 1, peak_ = 0;
};

/// The profile in float, for light at a distance.
struct WrapProfile {
  float xx, xy, yy;           // Σ⁻¹
  float e1_xx, e1_xy, e1_yy;  // Σ⁻¹ ∂Σ Σ⁻¹
  float e2_xx, e2_xy, e2_yy;
  float peak, power, b, b_slope, peak_slope;  // peak: value at the centre; power: 1 / 2n; b_slope: of ln b
  float psf_xx, psf_xy, psf_yy;               // second moments of the PSF, 0 if they do not count

  WrapProfile(const WrappedProfile& of, bool with_psf) {
    const Symmetric2& s = of.matrix->sigma;
    const double det = s.determinant(), ixx = s.yy / det, ixy = -s.xy / det, iyy = s.xx / det;
    const auto set = [&](const Symmetric2& d, float& to_xx, float& to_xy, float& to_yy) {
      const double axx = ixx * d.xx + ixy * d.xy, axy = ixx * d.xy + ixy * d.yy;
      const double ayx = ixy * d.xx + iyy * d.xy, ayy = ixy * d.xy + iyy * d.yy;
      to_xx = static_cast<float>(axx * ixx + axy * ixy);
      to_xy = static_cast<float>(axx * ixy + axy * iyy);
      to_yy = static_cast<float>(ayx * ixy + ayy * iyy);
    };
    xx = static_cast<float>(ixx);
    xy = static_cast<float>(ixy);
    yy = static_cast<float>(iyy);
    set(of.matrix->by_e1, e1_xx, e1_xy, e1_yy);
    set(of.matrix->by_e2, e2_xx, e2_xy, e2_yy);
    peak = static_cast<float>(portable_exp(of.index->log_peak) / std::sqrt(det));
    power = static_cast<float>(1 / (2 * of.index->n));
    b = static_cast<float>(of.index->b);
    b_slope = static_cast<float>(of.index->b_slope / of.index->b);
    peak_slope = static_cast<float>(of.index->peak_slope);
    const double by = with_psf && of.psf.sum > 0 ? 1 / of.psf.sum : 0;
    psf_xx = static_cast<float>(of.psf.xx * by);
    psf_xy = static_cast<float>(of.psf.xy * by);
    psf_yy = static_cast<float>(of.psf.yy * by);
  }

  /// Value at a squared elliptical radius.
  float light_at(float u) const { return peak * lane_exp(-b * lane_exp(power * lane_log(u))); }
};

/// Steps across a thin profile that stand for the PSF's width in this direction: Gauss and Hermite's rule of 5 points.
/// The PSF's second moments then count along the profile alone. One step of length 0 for other profiles.
struct ThinSteps {
  static constexpr int most = 5;
  int count = 1;
  float dx[most] = {}, dy[most] = {}, weight[most] = {1};

  /// (c, s): the direction of the minor axis. Takes its part from the moments of `profile`.
  void take(double c, double s, WrapProfile& profile) {
    constexpr double at[] = {0, 1.355626179974266, -1.355626179974266, 2.856970013872806, -2.856970013872806};
    constexpr double by[] = {8.0 / 15, 0.2220759220056126, 0.2220759220056126, 0.0112574113277207, 0.0112574113277207};
    const double variance = c * c * static_cast<double>(profile.psf_xx) +
                            2 * c * s * static_cast<double>(profile.psf_xy) +
                            s * s * static_cast<double>(profile.psf_yy);
    if (!(variance > 0)) return;
    count = most;
    for (int i = 0; i < most; ++i) {
      dx[i] = static_cast<float>(at[i] * std::sqrt(variance) * c);
      dy[i] = static_cast<float>(at[i] * std::sqrt(variance) * s);
      weight[i] = static_cast<float>(by[i]);
    }
    profile.psf_xx -= static_cast<float>(variance * c * c);
    profile.psf_xy -= static_cast<float>(variance * c * s);
    profile.psf_yy -= static_cast<float>(variance * s * s);
  }
};

/// Adds the profile at (dx, dy) from its centre, and its derivatives, times `weight`.
template <int images, class V>
SRCEXTRACT_HOST_DEVICE inline void add_profile(const WrapProfile& of, const V& dx, const V& dy, const V& weight,
                                               V* sums) {
  const V yx = of.xx * dx + of.xy * dy, yy = of.xy * dx + of.yy * dy;
  const V exact = dx * yx + dy * yy;
  const V u = exact > 1e-12F ? exact : 0.0F * exact + 1e-12F;
  const V ln_u = lane_log(u);
  const V w = of.b * lane_exp(of.power * ln_u);
  const V inverse = 1.0F / u;
  const V slope = -of.power * (w * inverse);  // d ln S / du
  const V bend = slope * (slope - (1.0F - of.power) * inverse);
  V wide = of.psf_xx * (of.xx * slope + 2.0F * (yx * yx) * bend) +
           2.0F * of.psf_xy * (of.xy * slope + 2.0F * (yx * yy) * bend) +
           of.psf_yy * (of.yy * slope + 2.0F * (yy * yy) * bend);
  wide = wide > -0.5F ? wide : 0.0F * wide - 0.5F;
  wide = wide < 0.5F ? wide : 0.0F * wide + 0.5F;
  const V value = weight * (of.peak * lane_exp(-w)) * (1.0F + wide);
  sums[0] += value;
  if constexpr (images > 1) {
    const V by_u = value * slope;
    sums[1] -= by_u * (2.0F * yx);
    sums[2] -= by_u * (2.0F * yy);
    sums[3] += value * (2.0F * of.power * w - 2.0F);
    sums[4] -= by_u * (of.e1_xx * (dx * dx) + 2.0F * of.e1_xy * (dx * dy) + of.e1_yy * (dy * dy));
    sums[5] -= by_u * (of.e2_xx * (dx * dx) + 2.0F * of.e2_xy * (dx * dy) + of.e2_yy * (dy * dy));
  }
  if constexpr (images > 6) sums[6] += value * (of.peak_slope - w * (of.b_slope - of.power * ln_u));
}

/// The nearest copies that put light into the box.
struct NearCopies {
  static constexpr int most = 8;
  WrapProfile profile;
  ThinSteps steps;
  int count = 0;
  float column[most], row[most];  // places, in pixels

  /// Below `light` in a pixel, a copy does not matter. Profiles of an axis ratio q below `thin` get ThinSteps.
  NearCopies(const WrappedProfile& of, const EdgeLight& edge, double q, double thin, double side, double light)
      : profile(of, true) {
    const double c = edge.cosine(), s = edge.sine();
    if (q < thin) steps.take(-s, c, profile);
    // The box, seen along the axes of the profile, reaches so far from its middle.
    const double half = side / 2 * (std::fabs(c) + std::fabs(s));
    const double across = half + length_of(static_cast<double>(steps.dx[ThinSteps::most - 1]),
                                           static_cast<double>(steps.dy[ThinSteps::most - 1]));
    for (int j = -1; j <= 1; ++j) {
      for (int i = -1; i <= 1; ++i) {
        if (i == 0 && j == 0) continue;
        const double dx = i * side - of.x, dy = j * side - of.y;
        const double u = std::max(std::fabs(c * dx + s * dy) - half, 0.0) / edge.major();
        const double v = std::max(std::fabs(c * dy - s * dx) - across, 0.0) / (edge.major() * q);
        const auto nearest = static_cast<float>(u * u + v * v);
        const auto least = static_cast<float>(light);
        if (nearest > 0 && profile.light_at(nearest) < least) continue;
        column[count] = static_cast<float>(i * side);
        row[count++] = static_cast<float>(j * side);
      }
    }
  }
};

}  // namespace srcextract
