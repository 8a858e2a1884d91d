#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "stages/fit/gaussian.hpp"

namespace srcextract {

/// The correlation of the noise of two pixels as a function of their distance d: exp(-d' (a B)^-1 d / 2), where B is
/// the beam's covariance matrix (GaussianShape) and `a` is the noise area, the parameter `area`. White noise convolved
/// with the beam has a = 2. The noise of an interferometer's map whose autocorrelation is the dirty beam has a = 1.
class NoiseCorrelation {
 public:
  NoiseCorrelation(const GaussianShape& beam, double area) {
    const GaussianShape noise{area * beam.xx, area * beam.xy, area * beam.yy};
    const Gaussian unit = gaussian_of(1, 0, 0, noise);
    // At a distance of 3.7 sigma the correlation is 0.001.
    reach_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(3.7 * std::sqrt(noise.axis(1)))));
    for (std::int64_t dy = 0; dy <= reach_; ++dy)
      for (std::int64_t dx = -reach_; dx <= reach_; ++dx)
        of_lag_.push_back(unit.at(static_cast<double>(dx), static_cast<double>(dy)));
    for (std::size_t i = 0; i < of_lag_.size(); ++i)
      sum_ += of_lag_[i] * (i <= static_cast<std::size_t>(2 * reach_) ? 1 : 2);
  }

  /// Pixels farther apart than this along x or along y are taken as uncorrelated.
  std::int64_t reach() const { return reach_; }
  /// Returns the correlations at the distances (dx, dy) for dx from -reach() to reach(); element reach() is for dx = 0.
  /// dy must be from 0 to reach(). The correlation at (-dx, -dy) equals that at (dx, dy).
  const double* row(std::int64_t dy) const { return of_lag_.data() + dy * (2 * reach_ + 1); }
  /// The sum of the correlations at all distances (dx, dy): the effective number of pixels that share the noise of a
  /// pixel.
  double sum() const { return sum_; }

 private:
  std::int64_t reach_ = 0;
  std::vector<double> of_lag_;
  double sum_ = 0;
};

}  // namespace srcextract
