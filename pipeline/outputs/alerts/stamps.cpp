#include "pipeline/outputs/alerts/stamps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace srcextract {

std::vector<float> cut_stamp(const Image<float, Cpu>& image, const PixelPlace& centre, int side) {
  const CutoutWindow window = cutout_window(centre, side, side, image.shape);
  std::vector<float> stamp(static_cast<std::size_t>(side) * static_cast<std::size_t>(side),
                           std::numeric_limits<float>::quiet_NaN());
  for (std::int64_t y = window.y_begin; y < window.y_end; ++y) {
    const float* const from = image.pixels.data() + y * image.shape.width;
    std::copy(from + window.x_begin, from + window.x_end,
              stamp.data() + (y - window.top) * side + (window.x_begin - window.left));
  }
  return stamp;
}

StampFeatures features_of(std::span<const float> pixels, int sign) {
  StampFeatures features;
  double sum = 0, sizes = 0;
  for (const float pixel : pixels) {
    if (std::isnan(pixel)) {
      ++features.nbad;
      continue;
    }
    const double change = sign * static_cast<double>(pixel);
    if (change < 0) ++features.nneg;
    sum += change;
    sizes += std::fabs(change);
  }
  features.sumrat = sizes > 0 ? sum / sizes : std::numeric_limits<double>::quiet_NaN();
  return features;
}

}  // namespace srcextract
