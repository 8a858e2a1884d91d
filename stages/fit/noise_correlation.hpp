#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "stages/fit/gaussian.hpp"

namespace srcextract {

/// The correlation of the noise of two pixels: exp(-d' (a B)^-1 d / 2), where d is their distance and B the beam's
/// spread. White noise seen through the beam has an area `a` of 2; a map whose dirty beam is its noise has 1.
class NoiseCorrelation {
 public:
  NoiseCorrelation(const GaussianShape& beam, double area) {
    const GaussianShape noise{area * beam.xx, area * beam.xy, area * beam.yy};
    const Gaussian unit = gaussian_of(1, 0, 0, noise);
    // At 3.7 sigma the correlation is 0.001.
    reach_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(3.7 * std::sqrt(noise.axis(1)))));
    for (std::int64_t dy = 0; dy <= reach_; ++dy)
      for (std::int64_t dx = -reach_; dx <= reach_; ++dx)
        of_lag_.push_back(unit.at(static_cast<double>(dx), static_cast<double>(dy)));
    for (std::size_t i = 0; i < of_lag_.size(); ++i)
      sum_ += of_lag_[i] * (i <= static_cast<std::size_t>(2 * reach_) ? 1 : 2);
  }

  /// Pixels that are farther apart, in x or in y, are not correlated.
  std::int64_t reach() const { return reach_; }
  /// The correlations at distances (-reach() ... reach(), dy); element reach() is that at dx = 0. dy is from 0 to
  /// reach(); the correlation at (-dx, -dy) is that at (dx, dy).
  const double* row(std::int64_t dy) const { return of_lag_.data() + dy * (2 * reach_ + 1); }
  /// The sum over all distances: the number of pixels with common noise.
  double sum() const { return sum_; }

 private:
  std::int64_t reach_ = 0;
  std::vector<double> of_lag_;
  double sum_ = 0;
};

}  // namespace srcextract
