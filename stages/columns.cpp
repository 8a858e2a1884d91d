#include "stages/columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stages/exact_math.hpp"

namespace srcextract {

namespace {

/// The value of what is not defined. One NaN, whatever the processor's own would be: a catalogue is compared by bytes.
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// A source whose flux is zero has no centre: with an absolute threshold below the background there can be one.
double ratio(double numerator, double denominator) {
  return denominator == 0 ? nan : numerator / denominator;
}

/// Second moments and the ellipse that has them.
struct Ellipse {
  double x2, y2, xy;
  double a, b, theta;
};

/// SExtractor's ellipse (its manual, "Shape parameters"; Bertin & Arnouts 1996). A source thinner than a pixel gets the
/// variance of a pixel, 1/12, added to both axes, with SExtractor's criterion: determinant below 0.00694 = 1/144.
Ellipse ellipse_of(const SourceSums& s, double dx, double dy) {
  if (s.v == 0) return {nan, nan, nan, nan, nan, nan};
  Ellipse e{};
  e.x2 = s.vxx / s.v - dx * dx;
  e.y2 = s.vyy / s.v - dy * dy;
  e.xy = s.vxy / s.v - dx * dy;
  if (e.x2 * e.y2 - e.xy * e.xy < 0.00694) {
    e.x2 += 1.0 / 12;
    e.y2 += 1.0 / 12;
  }
  const double half_sum = (e.x2 + e.y2) / 2;
  const double half_difference = (e.x2 - e.y2) / 2;
  const double root = std::sqrt(half_difference * half_difference + e.xy * e.xy);
  e.a = std::sqrt(std::max(0.0, half_sum + root));
  e.b = std::sqrt(std::max(0.0, half_sum - root));
  constexpr double degrees = 180 / 3.14159265358979323846;
  e.theta = portable_atan2(2 * e.xy, e.x2 - e.y2) / 2 * degrees;
  return e;
}

bool at_edge(const SourceSums& s, const Shape& shape) {
  return s.xmin == 0 || s.ymin == 0 || s.xmax == shape.width - 1 || s.ymax == shape.height - 1;
}

void append_row(const SourceSums& s, const Shape& shape, const Levels& levels, double threshold, double gain,
                Sources& sources) {
  const double dx = ratio(s.vx, s.v);
  const double dy = ratio(s.vy, s.v);
  const Ellipse ellipse = ellipse_of(s, dx, dy);
  const double poisson = gain > 0 ? std::max(0.0, s.v) / gain : 0.0;
  const double error = std::sqrt(static_cast<double>(s.npix) * (levels.sigma * levels.sigma) + poisson);

  sources.number.push_back(static_cast<std::int32_t>(sources.number.size() + 1));
  sources.x_image.push_back(s.xmin + dx + 1);
  sources.y_image.push_back(s.ymin + dy + 1);
  sources.xmin_image.push_back(s.xmin + 1);
  sources.xmax_image.push_back(s.xmax + 1);
  sources.ymin_image.push_back(s.ymin + 1);
  sources.ymax_image.push_back(s.ymax + 1);
  sources.xpeak_image.push_back(s.xpeak + 1);
  sources.ypeak_image.push_back(s.ypeak + 1);
  sources.npix.push_back(s.npix);
  sources.flux_iso.push_back(s.v);
  sources.fluxerr_iso.push_back(error);
  sources.flux_max.push_back(static_cast<double>(s.peak) - levels.background);
  sources.x2_image.push_back(ellipse.x2);
  sources.y2_image.push_back(ellipse.y2);
  sources.xy_image.push_back(ellipse.xy);
  sources.a_image.push_back(ellipse.a);
  sources.b_image.push_back(ellipse.b);
  sources.theta_image.push_back(ellipse.theta);
  sources.background.push_back(levels.background);
  sources.threshold.push_back(threshold);
  sources.snr.push_back(ratio(s.v, error));
  sources.flags.push_back(static_cast<std::int16_t>((s.near_masked != 0 ? flag::masked_pixels : 0) |
                                                    (at_edge(s, shape) ? flag::at_edge : 0)));
}

}  // namespace

Sources derive_columns(const Buffer<SourceSums, Cpu>& sums, const Shape& shape, const Levels& levels,
                       const MeasurementConfig& config) {
  Sources sources;
  for_each_column(sources, [&](const Column&, auto& values) { values.reserve(static_cast<std::size_t>(sums.size())); });
  const double threshold = levels.detection - levels.background;
  for (const SourceSums& s : sums) append_row(s, shape, levels, threshold, config.gain, sources);
  return sources;
}

}  // namespace srcextract
