#include "stages/fit/fit_block.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stages/fit/fitted_row.hpp"

namespace srcextract {
namespace {

std::size_t parameters_of(const std::vector<Fitted>& of) {
  std::size_t parameters = 0;
  for (const Fitted& one : of) parameters += one.parameters();
  return parameters;
}

void add_multiple(const double* of, double by, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += by * of[i];
}

}  // namespace

/// Sets the size of the arrays for derivatives, and computes 1 / l11 and 1 / l22 of each Gaussian for derive().
void BlockFit::prepare(const std::vector<Fitted>& of) {
  derivative_.resize(parameters_of(of));
  active_.resize(derivative_.size());
  inverse_.clear();
  for (const Fitted& one : of) inverse_.push_back({1 / one.now.l11, 1 / one.now.l22});
}

/// Fills derivative_ with the non-zero derivatives of the model at pixel i, and active_ with the indices of their
/// parameters. Sets `model` to the model's value. Returns the number of these derivatives.
std::size_t BlockFit::derive(const FitPixels& pixels, std::size_t i, const std::vector<Fitted>& of, double& model) {
  std::size_t active = 0, first = 0;
  model = 0;
  for (std::size_t g_of = 0; g_of < of.size(); ++g_of) {
    const Fitted& one = of[g_of];
    const Gaussian& g = one.now;
    const auto [by_l11, by_l22] = inverse_[g_of];
    const double dx = pixels.x[i] - g.x, dy = pixels.y[i] - g.y;
    const double u = dx * by_l11, v = (dy - g.l21 * u) * by_l22;
    const double q = u * u + v * v;
    if (q < Gaussian::farthest) {
      const double unit = exp_in_float_range(-q / 2), value = g.peak * unit;
      const double along_y = v * by_l22, along_x = (u - g.l21 * along_y) * by_l11;
      double* const to = derivative_.data() + active;
      to[0] = unit;
      to[1] = value * along_x;
      to[2] = value * along_y;
      if (one.free_shape) {
        to[3] = value * along_x * u * g.l11;
        to[4] = value * along_y * u;
        to[5] = value * along_y * v * g.l22;
      }
      model += value;
      for (std::size_t k = 0; k < one.parameters(); ++k) active_[active++] = first + k;
    }
    first += one.parameters();
  }
  return active;
}

void BlockFit::add_up(const FitPixels& pixels, const std::vector<Fitted>& of, FitSums& sums) {
  const std::size_t parameters = parameters_of(of);
  sums.normal.reset(parameters);
  sums.right.assign(parameters, 0);
  sums.chi2 = 0;
  prepare(of);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    double model = 0;
    const std::size_t active = derive(pixels, i, of, model);
    const double residual = pixels.value[i] - model;
    sums.chi2 += residual * residual;
    if (active == parameters) {
      for (std::size_t a = 0; a < active; ++a) {
        sums.right[a] += derivative_[a] * residual;
        add_multiple(derivative_.data(), derivative_[a], a + 1, sums.normal.row(a));
      }
      continue;
    }
    for (std::size_t a = 0; a < active; ++a) {
      const double by = derivative_[a];
      double* const row = sums.normal.row(active_[a]);
      sums.right[active_[a]] += by * residual;
      for (std::size_t b = 0; b <= a; ++b) row[active_[b]] += by * derivative_[b];
    }
  }
}

bool BlockFit::is_allowed(const Fitted& one) const {
  const Gaussian& g = one.now;
  const double farthest = std::max(limits_.farthest, std::sqrt(fwhm_squared * one.start.spread().axis(1)) / 2);
  if (!(g.peak > 0) || !(std::fabs(g.x - one.start.x) <= farthest) || !(std::fabs(g.y - one.start.y) <= farthest))
    return false;
  if (!one.free_shape) return true;
  const GaussianShape spread = g.spread();
  return spread.axis(-1) >= limits_.narrowest && spread.axis(1) <= limits_.widest;
}

/// Sets `to` to `from` plus a trial step with this damping. Returns false if the equations are singular or the step
/// exceeds a limit.
bool BlockFit::step(const std::vector<Fitted>& from, double damping, std::vector<Fitted>& to) {
  damped_ = sums_.normal;
  for (std::size_t i = 0; i < damped_.size(); ++i) damped_.at(i, i) *= 1 + damping;
  if (!factorise(damped_)) return false;
  step_ = sums_.right;
  solve(damped_, step_.data());
  to = from;
  const double* by = step_.data();
  bool allowed = true;
  for (Fitted& one : to) {
    Gaussian& g = one.now;
    g.peak += by[0];
    g.x += by[1];
    g.y += by[2];
    if (one.free_shape) {
      g.l11 *= portable_exp(std::clamp(by[3], -1.0, 1.0));
      g.l21 += by[4];
      g.l22 *= portable_exp(std::clamp(by[5], -1.0, 1.0));
    }
    by += one.parameters();
    allowed = allowed && is_allowed(one);
  }
  return allowed;
}

std::int64_t BlockFit::fit(const FitPixels& pixels, std::vector<Fitted>& of) {
  // `enough` is the relative change of chi2 below which the fit ends. Parameters then change by about a thousandth of
  // their errors.
  constexpr double enough = 1e-6, least_damping = 1e-12, most_damping = 1e9;
  double damping = 1e-3;
  add_up(pixels, of, sums_);
  for (std::int64_t round = 1; round < limits_.rounds; ++round) {
    if (step(of, damping, moved_)) {
      add_up(pixels, moved_, trial_);
      if (trial_.chi2 <= sums_.chi2) {
        const bool done = sums_.chi2 - trial_.chi2 <= enough * (1 + trial_.chi2);
        std::swap(sums_, trial_);
        std::swap(of, moved_);
        if (done) return round;
        damping = std::max(damping / 10, least_damping);
        continue;
      }
      if (trial_.chi2 - sums_.chi2 <= enough * (1 + sums_.chi2) && damping <= 1e-3) return round;
    }
    damping *= 10;
    if (damping > most_damping) return limits_.rounds;
  }
  return limits_.rounds;
}

bool BlockFit::find_covariance(const FitPixels& pixels, const std::vector<Fitted>& of,
                               const NoiseCorrelation& correlation, SymmetricMatrix& covariance) {
  const std::size_t parameters = parameters_of(of);
  add_up(pixels, of, sums_);
  std::vector<double> j(pixels.size() * parameters, 0.0);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    double model = 0;
    const std::size_t active = derive(pixels, i, of, model);
    for (std::size_t a = 0; a < active; ++a) j[i * parameters + active_[a]] = derivative_[a] * pixels.noise[i];
  }
  SymmetricMatrix correlated(parameters);
  add_correlated(pixels.x, pixels.y, j, parameters, correlation, correlated);
  // The inverse enters twice, so rounding errors grow with the square of 1 / least_pivot.
  constexpr double least_pivot = 1e-7;
  damped_ = sums_.normal;
  if (!factorise(damped_, least_pivot)) return false;
  covariance = sandwich(damped_, correlated);
  return true;
}

namespace {

/// Adds a b' + b a' to `sums`, where a is `one` and b is `of_others`.
void add_pair(const double* one, const double* of_others, std::size_t columns, SymmetricMatrix& sums) {
  for (std::size_t a = 0; a < columns; ++a) {
    double* const row = sums.row(a);
    for (std::size_t b = 0; b <= a; ++b) row[b] += one[a] * of_others[b] + of_others[a] * one[b];
  }
}

}  // namespace

void add_correlated(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& y,
                    const std::vector<double>& j, std::size_t columns, const NoiseCorrelation& correlation,
                    SymmetricMatrix& sums) {
  const auto reach = static_cast<std::int32_t>(correlation.reach());
  std::vector<double> others(columns);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double* const one = j.data() + i * columns;
    // The product of the pixel with itself, which add_pair() adds twice.
    for (std::size_t a = 0; a < columns; ++a) others[a] = one[a] / 2;
    for (std::size_t k = i + 1; k < x.size() && y[k] - y[i] <= reach; ++k) {
      const std::int32_t dx = x[k] - x[i];
      if (dx < -reach || dx > reach) continue;
      const double common = correlation.row(y[k] - y[i])[dx + reach];
      const double* const other = j.data() + k * columns;
      for (std::size_t a = 0; a < columns; ++a) others[a] += common * other[a];
    }
    add_pair(one, others.data(), columns, sums);
  }
}

}  // namespace srcextract
