#include <algorithm>
#include <cmath>

#include "tests/truth/oracle/shape.hpp"

namespace srcextract::oracle {
namespace {

/// Errors of the centroid: the noise of each pixel, the global one even where there are weights, carried through the
/// sums.
void measure_errors(Object& object, const Field& field, const Settings& settings) {
  const double background = static_cast<double>(field.noise) * field.noise;
  const auto flux = static_cast<float>(object.filtered_flux);
  const float square = flux * flux;
  double sum = 0, x2 = 0, y2 = 0, xy = 0;
  for (const Pixel& pixel : object.pixels) {
    double noise = background;
    if (settings.gain > 0 && pixel.filtered > 0) noise += pixel.filtered / settings.gain;
    const double dx = pixel.x - object.shape.x, dy = pixel.y - object.shape.y;
    sum += noise;
    x2 += noise * dx * dx;
    y2 += noise * dy * dy;
    xy += noise * dx * dy;
  }
  x2 /= square;
  y2 /= square;
  xy /= square;
  const double least = 0.08333 * sum / square;
  if (object.shape.singular && x2 * y2 - xy * xy < least * least) {
    x2 += least;
    y2 += least;
  }
  object.err_x2 = x2;
  object.err_y2 = y2;
  object.err_xy = xy;
  object.err_ellipse = ellipse_of(x2, y2, xy);
}

void measure_extent(Object& object) {
  const Pixel& first = object.pixels.front();
  object.x_min = object.x_max = object.x_peak = first.x;
  object.y_min = object.y_max = object.y_peak = first.y;
  object.peak = first.value;
  object.filtered_peak = first.filtered;
  for (const Pixel& pixel : object.pixels) {
    object.x_min = std::min(object.x_min, pixel.x);
    object.x_max = std::max(object.x_max, pixel.x);
    object.y_min = std::min(object.y_min, pixel.y);
    object.y_max = std::max(object.y_max, pixel.y);
    object.peak = std::max(object.peak, pixel.value);
    if (pixel.filtered > object.filtered_peak) {
      object.filtered_peak = pixel.filtered;
      object.x_peak = pixel.x;
      object.y_peak = pixel.y;
    }
  }
}

}  // namespace

void measure_isophote(Object& object, const Field& field, const Settings& settings) {
  const bool weighted = !field.variance.empty();
  const double background = static_cast<double>(field.noise) * field.noise;
  const auto analysis = static_cast<float>(settings.analysis_thresh * field.noise);
  measure_extent(object);
  if (weighted)
    object.threshold = object.pixels.front().threshold;  // the lowest of its own, not of the set it comes from
  for (const Pixel& pixel : object.pixels) {
    const double variance = weighted ? field.variance.at(pixel.x, pixel.y) : background;
    object.filtered_flux += pixel.filtered;
    object.flux += pixel.value;
    object.variance += variance;
    if (weighted && settings.weight_gain && settings.gain > 0 && pixel.value > 0) {
      object.variance += pixel.value / settings.gain * variance / background;
    }
    const float level = weighted ? static_cast<float>(analysis / field.noise * std::sqrt(variance)) : analysis;
    object.analysis_area += pixel.value > level;
    object.analysis_threshold = std::min(object.analysis_threshold, level);
    if (weighted) object.threshold = std::min(object.threshold, pixel.threshold);
  }
  object.filtered_area = static_cast<long>(object.pixels.size());
  const Position core{object.core_x, object.core_y};
  object.shape =
      measure_shape(object.pixels, object.threshold, weighted, (object.flags & split) != 0 ? &core : nullptr);
  measure_errors(object, field, settings);
}

}  // namespace srcextract::oracle
