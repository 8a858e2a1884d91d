#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <vector>

#include "stages/galaxy/galaxy_fit.hpp"
#include "stages/math/psf_model.hpp"

namespace srcextract::testing {

/// A PSF by a function of the distance, stretched along an axis, with flux 1.
class SmoothPsf {
 public:
  /// A Gaussian; a Moffat profile of exponent 3.5; and a PSF with rings and without frequencies beyond a limit: the
  /// Fourier transform of (1 - k²)^4.
  enum Kind { gaussian, moffat, airy_like };

  SmoothPsf(Kind kind, double fwhm, double stretch = 1) : stretch_(stretch), step_(fwhm / 300) {
    const auto shape = [&](double r) { return value(kind, fwhm, r); };
    const int count = static_cast<int>(radius(kind, fwhm) / step_) + 4;
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      table_.push_back(shape(i * step_));
      sum += 2 * std::numbers::pi * step_ * step_ * i * table_.back();
    }
    for (double& one : table_) one /= sum;
    reach_ = (count - 4) * step_;
  }

  double at(double x, double y) const {
    const double sx = x * stretch_, sy = y / stretch_, r = std::sqrt(sx * sx + sy * sy);
    if (r >= reach_) return 0;
    // Cubic interpolation; the function is even in r.
    const double place = r / step_;
    const int i = static_cast<int>(place);
    const double t = place - i, a = table_[std::abs(i - 1)], b = table_[i], c = table_[i + 1], d = table_[i + 2];
    return b + t * ((c - a) / 2 + t * ((2 * a - 5 * b + 4 * c - d) / 2 + t * (3 * (b - c) + d - a) / 2));
  }
  /// Beyond it the PSF is 0.
  double reach() const { return reach_ * std::max(stretch_, 1 / stretch_); }

  /// The numbers of a PsfModel with this PSF, sampled at `step` image pixels.
  std::vector<double> numbers(double step, double fwhm) const {
    const int half = static_cast<int>(reach() / step) + 1, size = 2 * half + 1;
    std::vector<double> of(static_cast<std::size_t>(PsfModel::count_of(size, size, 1)), 0.0);
    of[0] = of[1] = size;
    of[2] = 1;
    of[4] = step;
    of[5] = fwhm;
    double* const light = of.data() + PsfModel::head + PsfModel::most_dimensions;
    for (int column = 0; column < size; ++column) {
      for (int row = 0; row < size; ++row) light[column * size + row] = at((column - half) * step, (row - half) * step);
    }
    return of;
  }

 private:
  static double radius(Kind kind, double fwhm) { return fwhm * (kind == gaussian ? 2.8 : kind == moffat ? 18 : 14); }
  static double value(Kind kind, double fwhm, double r) {
    if (kind == gaussian) return std::exp2(-4 * r * r / (fwhm * fwhm));
    if (kind == moffat) {
      const double a = fwhm / (2 * std::sqrt(std::exp2(1 / 3.5) - 1));
      return std::pow(1 + r * r / (a * a), -3.5);
    }
    const double x = 7.27 * r / fwhm;  // half of the peak is at x = 3.635
    return x < 0.01 ? 1.0 / 3840 : std::cyl_bessel_j(5.0, x) / std::pow(x, 5);
  }

  double stretch_, step_, reach_ = 0;
  std::vector<double> table_;
};

/// Nodes and weights of Gauss and Legendre on -1 to 1.
struct GaussNodes {
  static constexpr int count = 12;
  double at[count], weight[count];

  GaussNodes() {
    for (int i = 0; i < count; ++i) {
      double x = std::cos(std::numbers::pi * (i + 0.75) / (count + 0.5)), slope = 1;
      for (int turn = 0; turn < 20; ++turn) {
        double p = 1, before = 0;
        for (int k = 1; k <= count; ++k) {
          const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
          before = p;
          p = next;
        }
        slope = count * (x * p - before) / (x * x - 1);
        x -= p / slope;
      }
      at[i] = x;
      weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
  }
};

/// b(n), found so that half of the light is within the radius 1: the integral of the profile by Simpson's rule in ln r.
inline double slow_b(double n) {
  const auto inside = [&](double b, double limit) {
    const int steps = 4000;
    const double low = std::log(limit) - 40, h = 40.0 / steps;
    double sum = 0;
    for (int i = 0; i <= steps; ++i) {
      const double t = low + i * h, x = b * std::exp(t / n);
      sum += (i == 0 || i == steps ? 1 : i % 2 == 0 ? 2 : 4) * std::exp(2 * t - x);
    }
    return sum * h / 3;
  };
  double low = 1e-3, high = 40;
  for (int turn = 0; turn < 60; ++turn) {
    const double b = (low + high) / 2, total = n * std::tgamma(2 * n) * std::pow(b, -2 * n);
    (inside(b, 1) < total / 2 ? low : high) = b;
  }
  return (low + high) / 2;
}

/// A Sérsic profile of flux 1 convolved with a PSF, by an integral in real space: polar coordinates around the galaxy's
/// centre, in which the cusp does no harm.
class SlowGalaxy {
 public:
  /// re: half-light radius on the major axis; angle: of this axis, in radians counterclockwise from x.
  SlowGalaxy(const SmoothPsf& psf, double fwhm, double x, double y, double re, double q, double angle, double n)
      : psf_(psf), fwhm_(fwhm), x_(x), y_(y), re_(re), q_(q), c_(std::cos(angle)), s_(std::sin(angle)), n_(n) {
    b_ = slow_b(n);
    peak_ = std::pow(b_, 2 * n) / (2 * std::numbers::pi * n * std::tgamma(2 * n));
    parameters.x = x;
    parameters.y = y;
    const double h = -std::log(q);
    parameters.spheroid = {std::log(re * std::sqrt(q)), h * std::cos(2 * angle), h * std::sin(2 * angle), std::log(n)};
    parameters.spheroid_flux = 1;
    for (double t = lowest; t < highest;) {
      const double s = std::exp(t), length = std::min(0.8, 2 * fwhm / (s * re));
      add_panel(t, length);
      t += length;
    }
  }

  GalaxyParameters parameters;

  /// At a pixel, counted from the middle pixel of the box.
  double at(double px, double py) const {
    const double dx = px - x_, dy = py - y_, far = std::sqrt(dx * dx + dy * dy), reach = psf_.reach();
    double sum = 0;
    for (const Ring& ring : rings_) {
      if (ring.radius * re_ * q_ > far + reach || ring.radius * re_ < far - reach) continue;
      const int angles =
          std::max(48, static_cast<int>(2 * std::numbers::pi * ring.radius * re_ / (0.22 * fwhm_)) / 4 * 4);
      double mean = 0;
      for (int i = 0; i < angles; ++i) {
        const double t = 2 * std::numbers::pi * (i + 0.5) / angles;
        const double u = ring.radius * re_ * std::cos(t), v = ring.radius * re_ * q_ * std::sin(t);
        mean += psf_.at(dx - (c_ * u - s_ * v), dy - (s_ * u + c_ * v));
      }
      sum += ring.light * mean / angles;
    }
    return sum;
  }

  std::vector<double> image(int side) const {
    std::vector<double> of;
    const int middle = side / 2;
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) of.push_back(at(x - middle, y - middle));
    }
    return of;
  }

 private:
  struct Ring {
    double radius, light;
  };
  static constexpr double lowest = -16, highest = 8;

  void add_panel(double from, double length) {
    static const GaussNodes nodes;
    for (int i = 0; i < GaussNodes::count; ++i) {
      const double t = from + length * (nodes.at[i] + 1) / 2, s = std::exp(t);
      const double light = 2 * std::numbers::pi * s * s * peak_ * std::exp(-b_ * std::pow(s, 1 / n_));
      if (light > 1e-14) rings_.push_back({s, light * nodes.weight[i] * length / 2});
    }
  }

  const SmoothPsf& psf_;
  double fwhm_, x_, y_, re_, q_, c_, s_, n_, b_ = 0, peak_ = 0;
  std::vector<Ring> rings_;
};

/// The smallest side for a galaxy, as stages/galaxy chooses it: 6 half-light radii and 3 FWHM, and 7 FWHM.
inline int side_for(double re, double fwhm) {
  const double needed = std::max(6 * re + 3 * fwhm, 7 * fwhm);
  for (const int side : galaxy_sides) {
    if (side >= needed) return side;
  }
  return 256;
}

}  // namespace srcextract::testing
