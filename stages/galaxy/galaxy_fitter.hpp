#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stages/fit/normal_equations.hpp"
#include "stages/galaxy/galaxy_fit.hpp"
#include "stages/galaxy/galaxy_scratch.hpp"

namespace srcextract {

constexpr int most_linear = 4, most_bent = galaxy_unknowns - most_linear;

/// A part of the model whose flux is linear.
struct LinearPart {
  GalaxyUnknown unknown;
  double GalaxyParameters::*flux;
  int image;   ///< of flux 1; its derivatives follow
  int images;  ///< 1: has no derivatives
  bool at_least_0;
};

/// A parameter on which the model depends in another way.
struct BentParameter {
  GalaxyUnknown unknown;
  double* value;  ///< in GalaxyFitter::trial_
  double lower, upper, largest_step;
  double prior_mean = 0, prior_weight = 0;
  int part = 0;   ///< whose flux the derivative is to be multiplied by; -1: it is in the image
  int image = 0;  ///< derivative
};

/// Solves a system with a symmetric positive matrix [n][n], whose unknowns without any weight are left out. Rows and
/// columns are scaled first, so that the diagonal is 1.
class ScaledSystem {
 public:
  bool factorise_scaled(int n, const double* matrix, int stride, SymmetricMatrix& factor) {
    n_ = n;
    factor_ = &factor;
    factor.reset(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
      const double d = matrix[i * stride + i];
      if (!std::isfinite(d) || d < 0) return false;
      scale_[i] = d > 0 ? 1 / std::sqrt(d) : 0;
    }
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < i; ++j) factor.at(i, j) = matrix[i * stride + j] * scale_[i] * scale_[j];
      factor.at(i, i) = 1;
    }
    return factorise(factor);
  }
  /// x holds the right side, and becomes the solution.
  void solve_scaled(double* x) const {
    for (int i = 0; i < n_; ++i) x[i] *= scale_[i];
    solve(*factor_, x);
    for (int i = 0; i < n_; ++i) x[i] *= scale_[i];
  }

 private:
  int n_ = 0;
  SymmetricMatrix* factor_ = nullptr;
  double scale_[galaxy_unknowns];
};

inline bool all_finite(const double* of, int count) {
  return std::all_of(of, of + count, [](double value) { return std::isfinite(value); });
}

/// Levenberg-Marquardt in the parameters that are not linear. The fluxes are solved for at each trial: the variable
/// projection of Golub & Pereyra (1973) with the derivative of Kaufman (1975). So the normal equations hold all
/// unknowns, and damping is added to those that are not fluxes. In units in which the least noise of a pixel is between
/// 1 and 2.
class GalaxyFitter {
 public:
  GalaxyFitter(const GalaxyModel& model, const GalaxyParameters& start, const GalaxyBox& box,
               const GalaxyPriors& priors, GalaxyScratch& scratch);

  GalaxyFit fit(int most_rounds);

 private:
  void load(const GalaxyBox& box);
  void clip_start();
  void list_parts();
  void list_parameters(const GalaxyPriors& priors);
  void add_shape(GalaxyShape& shape, int part, GalaxyUnknown first, bool index, const GalaxyPriors& priors);
  void add_parameter(GalaxyUnknown unknown, double& value, double lower, double upper, double largest_step, int part,
                     int image, double prior_mean, double prior_sigma);

  void render();
  bool solve_fluxes();
  void find_cost();
  bool evaluate();
  void accept();
  void refresh_weights();
  void find_equations();
  bool find_step(double damping, double* step);
  bool try_step(const double* step);
  void iterate(int most_rounds);
  void find_covariance();
  void set_limit_flags();
  GalaxyFit finish();
  double penalty() const;

  const GalaxyModel& model_;
  GalaxyScratch& scratch_;
  GalaxyParameters now_, trial_;
  LinearPart part_[most_linear];
  BentParameter parameter_[most_bent];
  int linear_ = 0, bent_ = 0, profiles_ = 0;
  double scale_ = 1;  ///< units of the pixels to units of the fit
  float per_photon_ = 0;
  std::int64_t used_ = 0;
  double chi2_ = 0, cost_ = 0;              ///< of now_
  double trial_chi2_ = 0, trial_cost_ = 0;  ///< of trial_, whose images are in the scratch
  double matrix_[galaxy_unknowns * galaxy_unknowns], right_[galaxy_unknowns];
  double sigma_[galaxy_unknowns];  ///< errors by the present equations
  ScaledSystem system_;
  GalaxyFit fit_;
};

}  // namespace srcextract
