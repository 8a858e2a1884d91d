#include "stages/fit/model_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace srcextract {

ModelRows::ModelRows(const std::vector<ComponentRow>& gaussians, const Shape& shape)
    : shape_(shape), bands_(static_cast<std::size_t>(shape.height / band + 1)) {
  constexpr double least_of_noise = 1e-4;
  for (const ComponentRow& row : gaussians) {
    const Gaussian of_row = row.fitted();
    const double contrast = std::fabs(of_row.peak) / (least_of_noise * row.of_island.rms);
    if (!(contrast > 1)) continue;
    const double reach = std::min(2 * portable_log(contrast), Gaussian::farthest);
    const double height = std::sqrt(reach * row.shape.yy), last_row = static_cast<double>(shape.height - 1);
    const auto first = static_cast<std::int64_t>(std::clamp(of_row.y - height, 0.0, last_row));
    const auto last = static_cast<std::int64_t>(std::clamp(of_row.y + height, 0.0, last_row));
    for (std::int64_t b = first / band; b <= last / band; ++b)
      bands_[static_cast<std::size_t>(b)].push_back({of_row, reach});
  }
}

void ModelRows::fill(std::int64_t y, float* row) const {
  std::vector<double> sums(static_cast<std::size_t>(shape_.width), 0);
  for (const auto& [gaussian, reach] : bands_[static_cast<std::size_t>(y / band)]) {
    const GaussianShape of = gaussian.spread();
    const double dy = static_cast<double>(y) - gaussian.y, left = reach - dy * dy / of.yy;
    if (!(left > 0)) continue;
    const double middle = gaussian.x + dy * of.xy / of.yy, half = std::sqrt(left * of.determinant() / of.yy);
    const auto width = static_cast<double>(shape_.width);
    const auto begin = static_cast<std::int64_t>(std::clamp(std::ceil(middle - half), 0.0, width));
    const auto end = static_cast<std::int64_t>(std::clamp(std::floor(middle + half) + 1, 0.0, width));
    for (std::int64_t x = begin; x < end; ++x)
      sums[static_cast<std::size_t>(x)] += gaussian.at(static_cast<double>(x), static_cast<double>(y));
  }
  std::transform(sums.begin(), sums.end(), row, [](double sum) { return static_cast<float>(sum); });
}

}  // namespace srcextract
