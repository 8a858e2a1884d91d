#include "stages/crowd/noise_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stages/crowd/shared_noise.hpp"
#include "stages/math/median.hpp"

namespace srcextract {

void follow_noise(const NoiseCells& cells, const std::vector<float>& near, const std::vector<float>& far,
                  std::vector<float>& scale) {
  // A cell of less than a hundredth of the typical noise is filled with a constant, and its noise is not known.
  constexpr float least = 1e-4F;
  constexpr std::int64_t reach = 2;
  constexpr float of_one_cell = 1.6F;  // over the root of 25 it is four errors of the median of cells of white noise
  std::vector<float> some, ratios;
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (near[i] > 0) some.push_back(near[i]);
    if (near[i] > 0 && far[i] > 0) ratios.push_back(far[i] / near[i]);
  }
  if (some.empty()) return;
  const float typical = lower_median(some), typical_ratio = ratios.empty() ? 1 : lower_median(ratios);
  const auto clamp = [](std::int64_t place, std::int64_t count) {
    return std::clamp<std::int64_t>(place, 0, count - 1);
  };
  std::vector<float> of_cell(near.size(), 1);
  for (std::int64_t row = 0; row < cells.rows; ++row) {
    for (std::int64_t column = 0; column < cells.columns; ++column) {
      some.clear();
      ratios.clear();
      for (std::int64_t y = clamp(row - reach, cells.rows); y <= clamp(row + reach, cells.rows); ++y) {
        for (std::int64_t x = clamp(column - reach, cells.columns); x <= clamp(column + reach, cells.columns); ++x) {
          const auto i = static_cast<std::size_t>(y * cells.columns + x);
          const float one = near[i] / typical;
          if (one > least) some.push_back(one);
          if (one > least && far[i] > 0) ratios.push_back(far[i] / near[i] / typical_ratio);
        }
      }
      if (some.empty()) continue;
      const float most = 1 + of_one_cell / std::sqrt(static_cast<float>(some.size())), middle = lower_median(some);
      const float ratio = ratios.empty() ? 1 : lower_median(ratios);
      const bool is_quieter = middle * most < 1 && !shares_noise(1, ratio);
      const bool is_noisier = middle > most && !shares_noise(ratio, 1);
      if (is_quieter || is_noisier) of_cell[static_cast<std::size_t>(row * cells.columns + column)] = middle;
    }
  }
  for (std::int64_t y = 0; y < 2 * cells.rows; ++y) {
    for (std::int64_t x = 0; x < 2 * cells.columns; ++x) {
      float& own = scale[static_cast<std::size_t>(y * 2 * cells.columns + x)];
      own = 0;
      for (const std::int64_t row : {y / 2, clamp(y / 2 - 1 + y % 2 * 2, cells.rows)})
        for (const std::int64_t column : {x / 2, clamp(x / 2 - 1 + x % 2 * 2, cells.columns)})
          own = std::max(own, of_cell[static_cast<std::size_t>(row * cells.columns + column)]);
    }
  }
}

}  // namespace srcextract
