#include "stages/galaxy/galaxy_fit.hpp"

#include <algorithm>
#include <cmath>

#include "stages/core/contract.hpp"
#include "stages/galaxy/galaxy_equations.hpp"
#include "stages/galaxy/galaxy_fitter.hpp"

namespace srcextract {

GalaxyFit GalaxyFitter::fit(int most_rounds) {
  fit_.fitted = linear_ + bent_;
  fit_.at = now_;
  fit_.pixels = used_;
  if (used_ < fit_.fitted) {
    fit_.flags |= galaxy_few_pixels;
    if (used_ > 0 && evaluate()) accept();
    return finish();
  }
  if (!evaluate()) {
    fit_.flags |= galaxy_not_converged;
    return finish();
  }
  accept();
  refresh_weights();
  iterate(most_rounds);
  find_covariance();
  set_limit_flags();
  return finish();
}

void GalaxyFitter::render() {
  ++fit_.renders;
  float* image[most_component_images];
  for (int i = 0; i < linear_; ++i) {
    const LinearPart& part = part_[i];
    if (part.unknown == of_level) continue;
    for (int j = 0; j < part.images; ++j) image[j] = scratch_.image(part.image + j);
    if (part.unknown == of_point_flux) {
      scratch_.render_point(trial_.x, trial_.y, part.images, image);
    } else {
      const bool is_disk = part.unknown == of_disk_flux;
      scratch_.render_profile(is_disk ? trial_.disk : trial_.spheroid, trial_.x, trial_.y, part.images, is_disk ? 1 : 0,
                              image);
    }
  }
}

/// Solves for the fluxes of trial_. A negative flux of one of several profiles becomes 0, and the others are solved
/// again.
bool GalaxyFitter::solve_fluxes() {
  const float* column[most_linear + 1];
  for (int i = 0; i < linear_; ++i) column[i] = scratch_.image(part_[i].image);
  column[linear_] = scratch_.light();
  const int columns = linear_ + 1;
  double sums[(most_linear + 1) * (most_linear + 1)];
  sum_column_products(columns, column, scratch_.weight(), scratch_.pixels(), sums);
  if (!all_finite(sums, columns * columns)) return false;
  bool used[most_linear];
  for (int i = 0; i < linear_; ++i) used[i] = sums[i * columns + i] > 0;
  double flux[most_linear] = {};
  for (int turn = 0; turn <= linear_; ++turn) {
    int which[most_linear], n = 0;
    for (int i = 0; i < linear_; ++i) {
      flux[i] = 0;
      if (used[i]) which[n++] = i;
    }
    double part[most_linear * most_linear], x[most_linear];
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) part[i * n + j] = sums[which[i] * columns + which[j]];
      x[i] = sums[which[i] * columns + linear_];
    }
    if (n == 0) break;
    if (system_.factorise_scaled(n, part, n, scratch_.matrix)) {
      system_.solve_scaled(x);
    } else {  // two parts look the same: the first has all the light
      x[0] /= part[0];
      std::fill(x + 1, x + n, 0.0);
    }
    int worst = -1;
    for (int i = 0; i < n; ++i) {
      flux[which[i]] = x[i];
      if (part_[which[i]].at_least_0 && x[i] < 0 && (worst < 0 || x[i] < x[worst])) worst = i;
    }
    if (worst < 0) break;
    used[which[worst]] = false;
  }
  for (int i = 0; i < linear_; ++i) trial_.*part_[i].flux = flux[i];
  return all_finite(flux, linear_);
}

double GalaxyFitter::penalty() const {
  double sum = 0;
  for (int i = 0; i < bent_; ++i) {
    const double off = *parameter_[i].value - parameter_[i].prior_mean;
    sum += parameter_[i].prior_weight * off * off;
  }
  return sum;
}

/// Finds residuals and cost of trial_, whose images and fluxes are known.
void GalaxyFitter::find_cost() {
  const float* image[most_linear];
  float flux[most_linear];
  for (int i = 0; i < linear_; ++i) {
    image[i] = scratch_.image(part_[i].image);
    flux[i] = static_cast<float>(trial_.*part_[i].flux);
  }
  trial_chi2_ =
      find_residual(linear_, image, flux, scratch_.light(), scratch_.weight(), scratch_.pixels(), scratch_.residual());
  trial_cost_ = trial_chi2_ + penalty();
}

/// Draws trial_ and finds its fluxes, residuals and cost. Returns false if these are not finite.
bool GalaxyFitter::evaluate() {
  render();
  if (!solve_fluxes()) return false;
  find_cost();
  return std::isfinite(trial_cost_);
}

void GalaxyFitter::accept() {
  now_ = trial_;
  chi2_ = trial_chi2_;
  cost_ = trial_cost_;
}

/// Takes the photons of the model into the noise, and solves for the fluxes again.
void GalaxyFitter::refresh_weights() {
  if (!(per_photon_ > 0)) return;
  find_weights(scratch_.variance(), scratch_.light(), scratch_.residual(), per_photon_, scratch_.pixels(),
               scratch_.weight());
  if (!solve_fluxes()) return;
  find_cost();
  accept();
}

/// The normal equations at now_, whose images and residuals must be in the scratch.
void GalaxyFitter::find_equations() {
  const int n = linear_ + bent_, columns = n + 1;
  const float* column[galaxy_unknowns + 1];
  double factor[galaxy_unknowns + 1];
  for (int i = 0; i < linear_; ++i) {
    column[i] = scratch_.image(part_[i].image);
    factor[i] = 1;
  }
  if (profiles_ > 1) {
    for (int axis = 0; axis < 2; ++axis) {
      const float* image[most_linear];
      float flux[most_linear];
      for (int i = 0; i < profiles_; ++i) {
        image[i] = scratch_.image(part_[i].image + 1 + axis);
        flux[i] = static_cast<float>(now_.*part_[i].flux);
      }
      add_images(profiles_, image, flux, scratch_.pixels(), scratch_.image(most_galaxy_images - 2 + axis));
    }
  }
  for (int i = 0; i < bent_; ++i) {
    const BentParameter& parameter = parameter_[i];
    column[linear_ + i] = scratch_.image(parameter.image);
    factor[linear_ + i] = parameter.part < 0 ? 1 : now_.*part_[parameter.part].flux;
  }
  column[n] = scratch_.residual();
  factor[n] = 1;
  double sums[(galaxy_unknowns + 1) * (galaxy_unknowns + 1)];
  sum_column_products(columns, column, scratch_.weight(), scratch_.pixels(), sums);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) matrix_[i * n + j] = sums[i * columns + j] * factor[i] * factor[j];
    right_[i] = sums[i * columns + n] * factor[i];
  }
  for (int i = 0; i < bent_; ++i) {
    const BentParameter& parameter = parameter_[i];
    const int at = linear_ + i;
    matrix_[at * n + at] += parameter.prior_weight;
    right_[at] += parameter.prior_weight * (parameter.prior_mean - *parameter.value);
  }
  for (int i = 0; i < n; ++i) sigma_[i] = 0;
  if (!system_.factorise_scaled(n, matrix_, n, scratch_.matrix)) return;
  for (int i = 0; i < n; ++i) {
    double unit[galaxy_unknowns] = {};
    unit[i] = 1;
    system_.solve_scaled(unit);
    sigma_[i] = std::sqrt(std::max(unit[i], 0.0));
  }
}

/// A step of all unknowns with damping. Returns false if the equations are singular.
bool GalaxyFitter::find_step(double damping, double* step) {
  const int n = linear_ + bent_;
  double damped[galaxy_unknowns * galaxy_unknowns];
  std::copy_n(matrix_, n * n, damped);
  for (int i = linear_; i < n; ++i) damped[i * n + i] *= 1 + damping;
  if (!system_.factorise_scaled(n, damped, n, scratch_.matrix)) return false;
  std::copy_n(right_, n, step);
  system_.solve_scaled(step);
  return all_finite(step, n);
}

/// Goes from now_ by a step, shortened so that no parameter moves too far, and evaluates. True if the cost does not
/// rise.
bool GalaxyFitter::try_step(const double* step) {
  double by = 1;
  for (int i = 0; i < bent_; ++i) {
    const double length = std::fabs(step[linear_ + i]);
    if (length * by > parameter_[i].largest_step) by = parameter_[i].largest_step / length;
  }
  trial_ = now_;
  for (int i = 0; i < bent_; ++i) {
    const BentParameter& parameter = parameter_[i];
    *parameter.value = std::clamp(*parameter.value + by * step[linear_ + i], parameter.lower, parameter.upper);
  }
  constexpr double rounding = 2e-8;  // relative error of a cost
  return evaluate() && trial_cost_ <= cost_ * (1 + rounding);
}

void GalaxyFitter::iterate(int most_rounds) {
  constexpr int most_trials = 6, refreshes = 3;
  constexpr double least_damping = 1e-6, small_part = 0.02, small_change = 1e-3, of_nothing = 1e-6;
  double damping = 1e-2;
  int accepted_rounds = 0;
  bool converged = false;
  find_equations();
  while (!converged && fit_.rounds < most_rounds) {
    ++fit_.rounds;
    double before[most_bent];
    for (int i = 0; i < bent_; ++i) before[i] = *parameter_[i].value;
    const double cost_before = cost_;
    bool accepted = false, singular = true;
    for (int turn = 0; turn < most_trials && !accepted; ++turn) {
      double step[galaxy_unknowns];
      if (find_step(damping, step)) {
        singular = false;
        accepted = try_step(step);
      }
      if (!accepted) damping = std::max(damping * 8, 1e-3);
    }
    if (!accepted) {
      if (singular) fit_.flags |= galaxy_not_converged;
      trial_ = now_;
      return;
    }
    bool small = true;
    for (int i = 0; i < bent_; ++i) {
      small = small && std::fabs(*parameter_[i].value - before[i]) < small_part * sigma_[linear_ + i] + of_nothing;
    }
    const double change = cost_before - trial_cost_;
    accept();
    damping = std::max(damping / 8, least_damping);
    if (++accepted_rounds <= refreshes) refresh_weights();
    converged = accepted_rounds >= 2 && (small || change < small_change);
    find_equations();
  }
  if (!converged) fit_.flags |= galaxy_not_converged;
}

void GalaxyFitter::find_covariance() {
  const int n = linear_ + bent_;
  const auto unknown = [&](int i) { return i < linear_ ? part_[i].unknown : parameter_[i - linear_].unknown; };
  const auto unit_of = [&](int i) { return i < linear_ ? 1 / scale_ : 1; };
  if (!system_.factorise_scaled(n, matrix_, n, scratch_.matrix)) {
    fit_.flags |= galaxy_not_converged;
    for (int i = 0; i < n; ++i) {
      const double weight = matrix_[i * n + i];
      if (weight > 0 && std::isfinite(weight))
        fit_.covariance[unknown(i)][unknown(i)] = unit_of(i) * unit_of(i) / weight;
    }
    return;
  }
  for (int i = 0; i < n; ++i) {
    if (!(matrix_[i * n + i] > 0)) continue;
    double column[galaxy_unknowns] = {};
    column[i] = 1;
    system_.solve_scaled(column);
    for (int j = 0; j < n; ++j) fit_.covariance[unknown(j)][unknown(i)] = column[j] * unit_of(i) * unit_of(j);
  }
}

void GalaxyFitter::set_limit_flags() {
  constexpr double close = 1e-9;
  for (int i = 0; i < bent_; ++i) {
    const BentParameter& parameter = parameter_[i];
    if (*parameter.value <= parameter.lower + close) fit_.flags |= galaxy_at_lower_limit;
    if (*parameter.value >= parameter.upper - close) fit_.flags |= galaxy_at_upper_limit;
  }
}

GalaxyFit GalaxyFitter::finish() {
  fit_.at = now_;
  for (int i = 0; i < linear_; ++i) fit_.at.*part_[i].flux /= scale_;
  fit_.chi2 = chi2_;
  return fit_;
}

GalaxyFit fit_galaxy(const GalaxyModel& model, const GalaxyParameters& start, const GalaxyBox& box,
                     const GalaxyPriors& priors, int most_rounds, const PsfSpectra& psf, double x, double y,
                     GalaxyScratch& scratch) {
  SRCEXTRACT_EXPECT(box.side == psf.side());
  scratch.take_psf(psf, x, y);
  return GalaxyFitter(model, start, box, priors, scratch).fit(most_rounds);
}

}  // namespace srcextract
