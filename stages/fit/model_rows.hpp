#pragma once

#include <cstdint>
#include <vector>

#include "stages/core/image.hpp"
#include "stages/fit/fitted_row.hpp"

namespace srcextract {

/// Evaluates the sum of fitted Gaussians as an image, row by row. Each Gaussian is cut off where it falls below 1e-4 of
/// the noise at its island.
class ModelRows {
 public:
  ModelRows(const std::vector<ComponentRow>& gaussians, const Shape& shape);

  /// Writes row y of the image, from 0, to `row`.
  void fill(std::int64_t y, float* row);

 private:
  struct Part {
    Gaussian gaussian;
    double reach;  ///< largest Gaussian::distance
  };

  /// Number of rows whose Gaussians are kept in one list.
  static constexpr std::int64_t band = 32;

  Shape shape_;
  std::vector<std::vector<Part>> bands_;
  std::vector<double> sum_;
};

}  // namespace srcextract
