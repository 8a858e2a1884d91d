#include "stages/math/kernel_values.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace srcextract {

std::string kernel_problem(const std::vector<std::vector<double>>& values, std::int64_t most_size) {
  if (values.empty() || values.front().empty()) return "must have at least one value";
  const std::size_t height = values.size();
  const std::size_t width = values.front().size();
  bool all_zero = true;
  for (std::size_t row = 0; row < height; ++row) {
    if (values[row].size() != width) {
      return "must have rows of one length; the first has " + std::to_string(width) + " values, row " +
             std::to_string(row + 1) + " has " + std::to_string(values[row].size());
    }
    for (const double value : values[row]) {
      if (!(std::fabs(value) <= std::numeric_limits<float>::max())) {
        return "must be finite numbers up to 3.4e38; row " + std::to_string(row + 1) + " has one that is not";
      }
      all_zero = all_zero && static_cast<float>(value) == 0;
    }
  }
  const std::string size = std::to_string(width) + " x " + std::to_string(height);
  if (width % 2 == 0 || height % 2 == 0) return "must have odd sides, not " + size;
  if (std::cmp_greater(width, most_size) || std::cmp_greater(height, most_size)) {
    return "must have sides of at most " + std::to_string(most_size) + " values, not " + size;
  }
  if (all_zero) return "must not all be zero";
  return "";
}

}  // namespace srcextract
