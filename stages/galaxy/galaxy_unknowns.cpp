#include <algorithm>
#include <cmath>

#include "stages/galaxy/galaxy_fitter.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

GalaxyFitter::GalaxyFitter(const GalaxyModel& model, const GalaxyParameters& start, const GalaxyBox& box,
                           const GalaxyPriors& priors, GalaxyScratch& scratch)
    : model_(model), scratch_(scratch), trial_(start) {
  load(box);
  clip_start();
  list_parts();
  list_parameters(priors);
  now_ = trial_;
}

void GalaxyFitter::load(const GalaxyBox& box) {
  const std::size_t pixels = scratch_.pixels();
  const auto is_used = [&](std::size_t i) {
    return box.variance[i] > 0 && std::isfinite(box.variance[i]) && std::isfinite(box.light[i]);
  };
  float least = 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    if (is_used(i) && (least == 0 || box.variance[i] < least)) least = box.variance[i];
  }
  if (least > 0) {
    int exponent = 0;
    std::frexp(static_cast<double>(least), &exponent);
    // least is in [2^(exponent - 1), 2^exponent); the scale is a power of 2, so that no pixel is rounded.
    scale_ = std::ldexp(1.0, -static_cast<int>(std::floor((exponent - 1) / 2.0)));
  }
  per_photon_ = static_cast<float>(box.per_photon > 0 ? box.per_photon * scale_ : 0);
  float *const light = scratch_.light(), *const variance = scratch_.variance(), *const weight = scratch_.weight();
  for (std::size_t i = 0; i < pixels; ++i) {
    light[i] = variance[i] = weight[i] = 0;
    if (!is_used(i)) continue;
    const double scaled = box.light[i] * scale_, spread = box.variance[i] * scale_ * scale_;
    constexpr double most = 1e18;  // weights and squares stay in the range of float
    if (!(std::fabs(scaled) < most) || !(spread < most)) continue;
    light[i] = static_cast<float>(scaled);
    variance[i] = static_cast<float>(spread);
    weight[i] = 1 / variance[i];
    ++used_;
  }
}

void GalaxyFitter::clip_start() {
  const auto repair = [](double& value, double otherwise) {
    if (!std::isfinite(value)) value = otherwise;
  };
  for (double* const value : {&trial_.x, &trial_.y, &trial_.spheroid.ln_rc, &trial_.spheroid.e1, &trial_.spheroid.e2,
                              &trial_.spheroid.ln_n, &trial_.disk.ln_rc, &trial_.disk.e1, &trial_.disk.e2}) {
    repair(*value, 0);
  }
  if (!model_.free_index) trial_.spheroid.ln_n = portable_log(model_.index > 0 ? model_.index : 4);
  trial_.disk.ln_n = 0;
  trial_.spheroid_flux = trial_.disk_flux = trial_.point_flux = trial_.level = 0;
}

void GalaxyFitter::list_parts() {
  using P = GalaxyParameters;
  int image = 0;
  const auto add = [&](GalaxyUnknown unknown, double P::*flux, int images, bool at_least_0) {
    part_[linear_++] = {unknown, flux, image, images, at_least_0};
    image += images;
  };
  profiles_ = model_.spheroid + model_.disk + model_.point;
  const bool at_least_0 = profiles_ > 1;
  if (model_.spheroid) add(of_spheroid_flux, &P::spheroid_flux, model_.free_index ? 7 : 6, at_least_0);
  if (model_.disk) add(of_disk_flux, &P::disk_flux, 6, at_least_0);
  if (model_.point) add(of_point_flux, &P::point_flux, 3, at_least_0);
  if (model_.level) {
    std::fill_n(scratch_.image(image), scratch_.pixels(), 1.0F);
    add(of_level, &P::level, 1, false);
  }
}

void GalaxyFitter::add_parameter(GalaxyUnknown unknown, double& value, double lower, double upper, double largest_step,
                                 int part, int image, double prior_mean, double prior_sigma) {
  value = std::clamp(value, lower, upper);
  const double weight = prior_sigma > 0 ? 1 / (prior_sigma * prior_sigma) : 0;
  parameter_[bent_++] = {unknown, &value, lower, upper, largest_step, prior_mean, weight, part, image};
}

void GalaxyFitter::add_shape(GalaxyShape& shape, int part, GalaxyUnknown first, bool index,
                             const GalaxyPriors& priors) {
  // With a disk, the spheroid stays rounder and smaller.
  const bool inner = model_.disk && part == 0 && model_.spheroid;
  constexpr double largest_step = 0.7;
  const double most_e = inner ? 1.5 : 3.0;
  const double least_size = model_.disk && model_.spheroid && !inner ? 0.1 : 0.05, most_size = inner ? 200 : 400;
  const int image = part_[part].image;
  const double lower = portable_log(least_size), upper = portable_log(most_size);
  shape.ln_rc = std::clamp(shape.ln_rc, lower, upper);
  const double given = &shape == &trial_.disk ? priors.mean_disk_ln_rc : priors.mean_spheroid_ln_rc;
  add_parameter(first, shape.ln_rc, lower, upper, largest_step, part, image + 3,
                std::isnan(given) ? shape.ln_rc : given, priors.sigma_ln_rc);
  const auto e = [&](int step) { return static_cast<GalaxyUnknown>(first + step); };
  add_parameter(e(1), shape.e1, -most_e, most_e, largest_step, part, image + 4, 0, priors.sigma_e);
  add_parameter(e(2), shape.e2, -most_e, most_e, largest_step, part, image + 5, 0, priors.sigma_e);
  if (index) {
    add_parameter(e(3), shape.ln_n, portable_log(0.3), portable_log(8), largest_step, part, image + 6, priors.mean_ln_n,
                  priors.sigma_ln_n);
  }
}

void GalaxyFitter::list_parameters(const GalaxyPriors& priors) {
  if (profiles_ > 0) {
    // With several parts, the derivatives by the common centre are mixed into images of their own.
    const double edge = scratch_.side() / 2.0;
    const double farthest = priors.farthest > 0 ? std::min(priors.farthest, edge) : edge;
    const bool mixed = profiles_ > 1;
    const int common = most_galaxy_images - 2;
    add_parameter(of_centre_x, trial_.x, -farthest, farthest, 1.5, mixed ? -1 : 0, mixed ? common : part_[0].image + 1,
                  0, 0);
    add_parameter(of_centre_y, trial_.y, -farthest, farthest, 1.5, mixed ? -1 : 0,
                  mixed ? common + 1 : part_[0].image + 2, 0, 0);
  }
  GalaxyPriors inner = priors, outer = priors;
  if (model_.spheroid && model_.disk) {
    inner.sigma_e = std::min(priors.sigma_e, 0.25);
    inner.sigma_ln_rc = outer.sigma_ln_rc = std::min(priors.sigma_ln_rc, 0.8);
  }
  if (model_.spheroid) add_shape(trial_.spheroid, 0, of_spheroid_size, model_.free_index, inner);
  if (model_.disk) add_shape(trial_.disk, model_.spheroid ? 1 : 0, of_disk_size, false, outer);
}

}  // namespace srcextract
