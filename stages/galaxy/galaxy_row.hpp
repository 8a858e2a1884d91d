#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numbers>

#include "stages/galaxy/galaxy_fit.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

/// A value and its RMS error.
struct WithError {
  double value = std::numeric_limits<double>::quiet_NaN(), error = std::numeric_limits<double>::quiet_NaN();
};

/// A fitted profile as catalogues describe it. Lengths are in pixels, angles in degrees counterclockwise from x.
struct ProfileShape {
  WithError radius;  ///< half-light radius on the major axis
  WithError aspect;  ///< axis ratio, at most 1
  WithError theta;
  WithError index;
  double at_centre = 0, at_radius = 0, within_radius = 0;  ///< brightness a pixel, not convolved, for a total flux of 1
};

/// The fit of one source.
struct GalaxyRow {
  GalaxyModel model;
  double x = 0, y = 0;  ///< centre in pixels from 0
  GalaxyFit fit;

  double variance(GalaxyUnknown one) const { return fit.covariance[one][one]; }
  double covariance(GalaxyUnknown one, GalaxyUnknown other) const { return fit.covariance[one][other]; }

  /// The light of all components, and the error from their covariance.
  WithError total() const {
    double sum = 0;
    for (const GalaxyUnknown one : fluxes)
      for (const GalaxyUnknown other : fluxes) sum += covariance(one, other);
    return {fit.at.spheroid_flux + fit.at.disk_flux + fit.at.point_flux, std::sqrt(sum)};
  }
  WithError flux(GalaxyUnknown which) const { return {flux_of(which), std::sqrt(variance(which))}; }

  /// The share of a component in the light, with the error of SExtractor's FLUXRATIO columns.
  WithError share(GalaxyUnknown which) const {
    const double all = total().value, part = flux_of(which) / all;
    double with_all = 0, of_all = 0;
    for (const GalaxyUnknown one : fluxes) {
      with_all += covariance(which, one);
      for (const GalaxyUnknown other : fluxes) of_all += covariance(one, other);
    }
    return {part,
            std::sqrt(std::fmax(0, variance(which) + part * part * of_all - 2 * part * with_all)) / std::fabs(all)};
  }

  ProfileShape spheroid() const { return shape(fit.at.spheroid, of_spheroid_size, model.free_index); }
  ProfileShape disk() const { return shape(fit.at.disk, of_disk_size, false); }
  double chi2() const {
    const auto freedom = static_cast<double>(fit.pixels - fit.fitted);
    return freedom > 0 ? fit.chi2 / freedom : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  static constexpr GalaxyUnknown fluxes[] = {of_spheroid_flux, of_disk_flux, of_point_flux};

  double flux_of(GalaxyUnknown which) const {
    return which == of_spheroid_flux ? fit.at.spheroid_flux
           : which == of_disk_flux   ? fit.at.disk_flux
           : which == of_point_flux  ? fit.at.point_flux
                                     : fit.at.level;
  }

  /// `size` is the unknown of the size; those of e1, e2 and the index follow it. Errors are those of the derived values
  /// in linear order.
  ProfileShape shape(const GalaxyShape& of, GalaxyUnknown size, bool has_index) const {
    constexpr double degrees = 180 / std::numbers::pi, round = 1e-9;
    const double h = std::sqrt(of.e1 * of.e1 + of.e2 * of.e2), along = h > round ? 1 / h : 0;
    const double u = of.e1 * along, v = of.e2 * along;
    const auto error = [&](double by_size, double by_e1, double by_e2) {
      const double weight[] = {by_size, by_e1, by_e2};
      double sum = 0;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) sum += weight[i] * weight[j] * fit.covariance[size + i][size + j];
      return std::sqrt(std::fmax(0, sum));
    };
    ProfileShape out;
    const double rc = portable_exp(of.ln_rc), q = portable_exp(-h), re = portable_exp(of.ln_rc + h / 2);
    out.radius = {re, re * error(1, u / 2, v / 2)};
    out.aspect = {q, q * error(0, u, v)};
    out.theta = {portable_atan2(of.e2, of.e1) / 2 * degrees, error(0, -v * along / 2, u * along / 2) * degrees};
    const double n = portable_exp(of.ln_n);
    out.index = {n, has_index ? n * std::sqrt(fit.covariance[size + 3][size + 3]) : 0};
    // the place on the x axis at the half-light ellipse
    const double cosh = (1 / q + q) / 2, sinh_u = (1 / q - q) / 2 * u;
    out.at_centre = profile_at(of, 0, 0);
    out.at_radius = profile_at(of, rc / std::sqrt(cosh - sinh_u), 0);
    out.within_radius = 1 / (2 * std::numbers::pi * rc * rc);
    return out;
  }
};

}  // namespace srcextract
