#include "tests/truth/oracle/shape.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace srcextract::oracle {
namespace {

/// The variance of a source as wide as one pixel, and the square of that.
constexpr double pixel_variance = 0.0833333, least_determinant = 0.00694;

/// abcor: the area between the threshold and half the peak tells how fast the profile falls, taken as a Gaussian's.
double correction(const std::vector<Pixel>& pixels, float threshold, const Ellipse& ellipse) {
  float peak = pixels.front().value;
  for (const Pixel& pixel : pixels) peak = std::max(peak, pixel.value);
  const float half = (threshold + peak) / 2;
  long area = 0, bright = 0;
  for (const Pixel& pixel : pixels) {
    area += pixel.value > threshold;
    bright += pixel.value > half;
  }
  double ratio = threshold / half;
  if (ratio <= 0) return 1;
  ratio = ratio < 1 ? ratio : 0.99;
  const double difference = bright < area ? static_cast<double>(bright - area) : -1;
  return std::min(1.0, difference / (2 * std::numbers::pi * std::log(ratio) * ellipse.a * ellipse.b));
}

}  // namespace

Ellipse ellipse_of(double x2, double y2, double xy) {
  Ellipse result;
  const double half = (x2 + y2) / 2, spread = std::sqrt((x2 - y2) * (x2 - y2) / 4 + xy * xy);
  const double determinant = x2 * y2 - xy * xy;
  result.a = static_cast<float>(std::sqrt(half + spread));
  result.b = static_cast<float>(std::sqrt(half - spread));
  result.theta = x2 == y2 ? std::numbers::pi / 4 : 0.5 * std::atan2(2 * xy, x2 - y2);
  result.cxx = static_cast<float>(y2 / determinant);
  result.cyy = static_cast<float>(x2 / determinant);
  result.cxy = static_cast<float>(-2 * xy / determinant);
  return result;
}

Shape measure_shape(const std::vector<Pixel>& pixels, float threshold, bool weighted, const Position* core) {
  int left = pixels.front().x, top = pixels.front().y;
  for (const Pixel& pixel : pixels) {
    left = std::min(left, pixel.x);
    top = std::min(top, pixel.y);
  }
  double sum = 0, x = 0, y = 0, x2 = 0, y2 = 0, xy = 0;
  for (const Pixel& pixel : pixels) {
    const double c = pixel.filtered;
    const int dx = pixel.x - left, dy = pixel.y - top;
    sum += c;
    x += c * dx;
    y += c * dy;
    x2 += c * dx * dx;
    y2 += c * dy * dy;
    xy += c * dx * dy;
  }
  x /= sum;
  y /= sum;
  Shape shape;
  if (core != nullptr) {
    const double u = core->x - left, v = core->y - top;
    shape.x2 = x2 / sum + u * u - 2 * x * u;
    shape.y2 = y2 / sum + v * v - 2 * y * v;
    shape.xy = xy / sum + u * v - x * v - u * y;
    x = u;
    y = v;
  } else {
    shape.x2 = x2 / sum - x * x;
    shape.y2 = y2 / sum - y * y;
    shape.xy = xy / sum - x * y;
  }
  shape.x = x + left;
  shape.y = y + top;
  shape.singular = shape.x2 * shape.y2 - shape.xy * shape.xy < least_determinant;
  if (shape.singular) {
    shape.x2 += pixel_variance;
    shape.y2 += pixel_variance;
  }
  shape.ellipse = ellipse_of(shape.x2, shape.y2, shape.xy);
  if (!weighted) shape.abcor = correction(pixels, threshold, shape.ellipse);
  return shape;
}

}  // namespace srcextract::oracle
