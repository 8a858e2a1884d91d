#include "stages/crowd/noise_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "stages/math/median.hpp"

namespace srcextract {

void follow_noise(const NoiseCells& cells, const std::vector<float>& noise, std::vector<float>& scale) {
  // A cell of less than a hundredth of the typical noise is filled with a constant, and its noise is not known.
  constexpr float least = 1e-4F;
  constexpr std::int64_t reach = 2;
  constexpr float of_one_cell = 1.6F;  // over the root of 25 it is four errors of the median of cells of white noise
  std::vector<float> some;
  std::ranges::copy_if(noise, std::back_inserter(some), [](float one) { return one > 0; });
  if (some.empty()) return;
  const float typical = lower_median(some);
  const auto clamp = [](std::int64_t place, std::int64_t count) {
    return std::clamp<std::int64_t>(place, 0, count - 1);
  };
  std::vector<float> of_cell(noise.size(), 1);
  for (std::int64_t row = 0; row < cells.rows; ++row) {
    for (std::int64_t column = 0; column < cells.columns; ++column) {
      some.clear();
      for (std::int64_t y = clamp(row - reach, cells.rows); y <= clamp(row + reach, cells.rows); ++y)
        for (std::int64_t x = clamp(column - reach, cells.columns); x <= clamp(column + reach, cells.columns); ++x)
          if (const float one = noise[static_cast<std::size_t>(y * cells.columns + x)] / typical; one > least)
            some.push_back(one);
      if (some.empty()) continue;
      const float most = 1 + of_one_cell / std::sqrt(static_cast<float>(some.size())), middle = lower_median(some);
      if (middle > most || middle * most < 1) of_cell[static_cast<std::size_t>(row * cells.columns + column)] = middle;
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
