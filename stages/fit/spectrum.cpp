#include "stages/fit/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "stages/fit/normal_equations.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

/// A power law as a function of x = ln(f / frequency): values[0] exp(values[1] x + values[2] x^2). Without curvature
/// there are only two values.
struct Law {
  std::vector<double> values;

  double steepness(double x) const { return x * values[1] + (values.size() > 2 ? x * x * values[2] : 0); }
  double at(double x) const { return values[0] * portable_exp(steepness(x)); }
};

/// Fluxes at x = ln(f / frequency), with the weights 1 / error^2, and FluxAt::common of each flux.
struct Points {
  std::vector<double> x, flux, weight, common;
};

double chi2_of(const Points& points, const Law& law) {
  double sum = 0;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const double residual = points.flux[i] - law.at(points.x[i]);
    sum += points.weight[i] * residual * residual;
  }
  return sum;
}

/// Makes the normal equations of a fit of the law. If `common` is false, the right side is for the residuals. If true,
/// the right side is for the common errors, so that the solution is the change of the parameters due to these errors.
SymmetricMatrix equations_of(const Points& points, const Law& law, std::vector<double>& right, bool common = false) {
  const std::size_t size = law.values.size();
  SymmetricMatrix normal(size);
  right.assign(size, 0);
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const double x = points.x[i], shape = portable_exp(law.steepness(x)), value = law.values[0] * shape;
    const double by[] = {shape, value * x, value * x * x};
    for (std::size_t a = 0; a < size; ++a) {
      right[a] += points.weight[i] * by[a] * (common ? points.common[i] : points.flux[i] - value);
      for (std::size_t b = 0; b <= a; ++b) normal.at(a, b) += points.weight[i] * by[a] * by[b];
    }
  }
  return normal;
}

/// Fits the law by Gauss-Newton steps. A step is halved while it would increase chi2. Returns false if no minimum with
/// a magnitude of the index below `steepest` is found.
bool fit(const Points& points, Law& law, double& chi2) {
  constexpr int rounds = 50, halvings = 20;
  constexpr double enough = 1e-10, steepest = 50;
  chi2 = chi2_of(points, law);
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> step;
    SymmetricMatrix normal = equations_of(points, law, step);
    if (!factorise(normal)) return false;
    solve(normal, step.data());
    const double before = chi2;
    for (int halving = 0; halving < halvings; ++halving) {
      Law moved = law;
      for (std::size_t a = 0; a < step.size(); ++a) moved.values[a] += step[a];
      const double after = std::fabs(moved.values[1]) < steepest ? chi2_of(points, moved) : before + 1;
      if (after <= before) {
        law = std::move(moved);
        chi2 = after;
        break;
      }
      for (double& one : step) one /= 2;
    }
    if (before - chi2 <= enough * (1 + chi2)) return std::isfinite(chi2);
  }
  return false;
}

/// Returns the standard errors of the parameters of a fitted law; empty if the equations are singular.
std::vector<double> errors_of(const Points& points, const Law& law) {
  std::vector<double> moved, errors;
  SymmetricMatrix normal = equations_of(points, law, moved, true);
  if (!factorise(normal)) return {};
  solve(normal, moved.data());
  for (std::size_t a = 0; a < law.values.size(); ++a) {
    std::vector<double> column(law.values.size(), 0.0);
    column[a] = 1;
    solve(normal, column.data());
    errors.push_back(std::sqrt(column[a] + moved[a] * moved[a]));
  }
  return errors;
}

/// Returns a first guess: a line through the logarithms of the fluxes above 3 sigma, or a constant if these determine
/// no line.
Law start_of(const Points& points) {
  constexpr double least = 3;
  SymmetricMatrix normal(2);
  std::vector<double> right(2, 0.0);
  double sum = 0, weights = 0;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const double flux = points.flux[i], snr2 = flux * flux * points.weight[i], x = points.x[i];
    sum += points.weight[i] * flux;
    weights += points.weight[i];
    if (!(flux > 0) || snr2 < least * least) continue;
    const double by[] = {1, x};
    for (std::size_t a = 0; a < 2; ++a) {
      right[a] += snr2 * by[a] * portable_log(flux);
      for (std::size_t b = 0; b <= a; ++b) normal.at(a, b) += snr2 * by[a] * by[b];
    }
  }
  if (!factorise(normal)) return {{sum / weights, 0}};
  solve(normal, right.data());
  constexpr double steep = 5;
  return {{portable_exp(right[0]), std::clamp(right[1], -steep, steep)}};
}

/// Returns the error of the length of the vector (first, second), from independent errors of its components.
double error_along(double first, double second, double first_error, double second_error) {
  return length_of(first * first_error, second * second_error) / length_of(first, second);
}

MeasuredFlux ratio(double flux, double error, const MeasuredFlux& by) {
  const double value = flux / by.flux;
  return {value, length_of(error, value * by.error) / std::fabs(by.flux)};
}

}  // namespace

Spectrum fit_spectrum(std::vector<FluxAt> fluxes) {
  std::erase_if(fluxes, [](const FluxAt& one) {
    return !(one.frequency > 0) || !std::isfinite(one.flux) || !(one.error > 0) || !std::isfinite(one.error);
  });
  Spectrum spectrum;
  if (fluxes.size() < 2) return spectrum;
  Points points;
  double sum = 0, weights = 0;
  for (const FluxAt& one : fluxes) {
    points.flux.push_back(one.flux);
    points.common.push_back(one.common);
    points.weight.push_back(1 / (one.error * one.error));
    points.x.push_back(portable_log(one.frequency));
    sum += points.weight.back() * points.x.back();
    weights += points.weight.back();
  }
  const double middle = sum / weights;
  for (double& x : points.x) x -= middle;
  Law law = start_of(points);
  double chi2 = 0;
  if (!fit(points, law, chi2) || !(law.values[0] > 0)) return spectrum;
  constexpr std::size_t least_for_curvature = 4;
  constexpr double least_gain = 9;
  if (fluxes.size() >= least_for_curvature) {
    Law curved{{law.values[0], law.values[1], 0}};
    double of_curved = 0;
    if (fit(points, curved, of_curved) && chi2 - of_curved > least_gain && curved.values[0] > 0) law = curved;
  }
  const std::vector<double> errors = errors_of(points, law);
  if (errors.empty()) return spectrum;
  spectrum = {portable_exp(middle), law.values[0], errors[0], law.values[1], errors[1]};
  if (errors.size() > 2) {
    spectrum.curvature = law.values[2];
    spectrum.curvature_error = errors[2];
  }
  return spectrum;
}

Polarisation polarisation_of(const MeasuredFlux& i, const MeasuredFlux& q, const MeasuredFlux& u,
                             const MeasuredFlux& v) {
  constexpr double degrees = 180 / std::numbers::pi, sure = 3;
  // The standard deviation, in degrees, of a completely unknown polarisation angle, which is uniform between 0 and 180
  // degrees.
  const double no_angle = 180 / std::sqrt(12.0);
  Polarisation out;
  const double seen = length_of(q.flux, u.flux);
  if (seen > 0) {
    out.linear_error = error_along(q.flux, u.flux, q.error, u.error);
    out.linear = std::sqrt(std::max(seen * seen - out.linear_error * out.linear_error, 0.0));
    if (seen < sure * out.linear_error) out.linear_limit = sure * out.linear_error;
    const double angle = portable_atan2(u.flux, q.flux) / 2 * degrees;
    out.angle = angle < 0 ? std::fmod(angle + 180, 180) : angle;
    out.angle_error = std::min(error_along(u.flux, q.flux, q.error, u.error) / seen / 2 * degrees, no_angle);
    const MeasuredFlux share = ratio(out.linear, out.linear_error, i);
    out.fraction = share.flux;
    out.fraction_error = share.error;
  }
  const MeasuredFlux circular = ratio(v.flux, v.error, i);
  out.circular_fraction = circular.flux;
  out.circular_fraction_error = circular.error;
  return out;
}

}  // namespace srcextract
