#include "pipeline/outputs/aperture_outlines.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "stages/picture/ellipse_walk.hpp"

namespace srcextract {
namespace {

class Outlines {
 public:
  Outlines(const Shape& shape, std::int64_t begin, std::int64_t end)
      : shape_(shape), begin_(static_cast<double>(begin)), end_(static_cast<double>(end)) {}

  /// Adds the outline of an ellipse about (x, y), whose coordinates count from 1. `theta` is in degrees. Does nothing
  /// if an argument is NaN or out of range.
  void add(double x, double y, double a, double b, double theta) {
    const auto longest = static_cast<double>(std::max(shape_.width, shape_.height));
    // NaN fails these comparisons.
    if (!(a > 0 && b > 0 && a <= longest && std::abs(theta) <= 90 && x == x && y == y)) return;
    if (const double reach = std::max(a, b) + 1; y - 1 + reach < begin_ || y - 1 - reach > end_) return;
    const auto first = std::ssize(pixels_);
    walk_ellipse({{x - 1, y - 1}, a, b, direction(theta)}, [&](const CurvePoint& point) { add_pixel(point); });
    std::sort(pixels_.begin() + first, pixels_.end());
    pixels_.erase(std::unique(pixels_.begin() + first, pixels_.end()), pixels_.end());
  }
  std::vector<std::int64_t> take() {
    std::ranges::sort(pixels_);
    return std::move(pixels_);
  }

 private:
  void add_pixel(const CurvePoint& point) {
    const double x = std::floor(point.x + 0.5), y = std::floor(point.y + 0.5);
    if (!(x >= 0 && x < static_cast<double>(shape_.width) && y >= begin_ && y < end_)) return;
    pixels_.push_back(static_cast<std::int64_t>(y) * shape_.width + static_cast<std::int64_t>(x));
  }

  Shape shape_;
  double begin_, end_;
  std::vector<std::int64_t> pixels_;
};

/// Whether the catalogue has fluxes in circles.
bool has_circles(const Sources& sources) {
  return std::ranges::any_of(sources.columns, [](const CatalogColumn& column) {
    const std::string_view name = common_name(column.name);
    return name.ends_with("_APER") && (name.starts_with("FLUX") || name.starts_with("MAG"));
  });
}

}  // namespace

std::vector<std::int64_t> aperture_outlines(const Sources& sources, const MeasurementConfig& measurement,
                                            const Shape& shape, std::int64_t begin, std::int64_t end) {
  Outlines outlines(shape, begin, end);
  const std::vector<double>&x = sources[columns::x_image], &y = sources[columns::y_image];
  if (has_circles(sources))
    for (const double diameter : measurement.apertures)
      for (std::size_t i = 0; i < x.size(); ++i) outlines.add(x[i], y[i], diameter / 2, diameter / 2, 0);
  for (const char* name : {"KRON_RADIUS", "PETRO_RADIUS"}) {
    const std::vector<double> radius = numbers_of(sources, name);
    if (radius.empty()) continue;
    const std::vector<double> a = numbers_of(sources, columns::a_image), b = numbers_of(sources, columns::b_image),
                              theta = numbers_of(sources, columns::theta_image);
    for (std::size_t i = 0; i < x.size(); ++i) outlines.add(x[i], y[i], radius[i] * a[i], radius[i] * b[i], theta[i]);
  }
  return outlines.take();
}

}  // namespace srcextract
