#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/fit/fitted_row.hpp"

namespace srcextract {

/// Computes the sum of fitted Gaussians as an image, row by row. Each Gaussian is taken as 0 where it is below 1e-4 of
/// the noise at its island.
class ModelRows {
 public:
  ModelRows(const std::vector<ComponentRow>& gaussians, const Shape& shape);

  /// Writes row y of the image to `row`. y is counted from 0.
  void fill(std::int64_t y, float* row) const;

 private:
  struct Part {
    Gaussian gaussian;
    double reach;  ///< value of Gaussian::distance() beyond which the Gaussian is taken as 0
  };

  /// Number of rows in a band. Each band has a list of the Gaussians that reach one of its rows.
  static constexpr std::int64_t band = 32;

  Shape shape_;
  std::vector<std::vector<Part>> bands_;
};

}  // namespace srcextract
