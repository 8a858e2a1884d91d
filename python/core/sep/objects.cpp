#include "python/core/sep/objects.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stages/measure/ellipse.hpp"

namespace srcextract::python {
namespace {

/// More flags of objects, with SEP's values.
constexpr std::int16_t merged = 0x1, singular = 0x8;

using Members = RunsBySource::Members;

/// Sums over the pixels of an object that SourceSums does not have.
struct ExtraSums {
  double flux = 0, thresholds = 0;
  /// Sums of variances, and of variances times squared distances from the centre.
  double noise = 0, noise_x = 0, noise_y = 0, noise_xy = 0;
  float peak = -std::numeric_limits<float>::infinity();
  std::int64_t x_peak = 0, y_peak = 0;
};

/// Adds the noise of a run of pixels to the sums. Only if all pixels have the same variance and there is no photon
/// noise, so that sums over the squared distances have a closed form.
void add_even_noise(const Run& run, double variance, double cx, double cy, ExtraSums& sums) {
  const double dy = run.y - cy, count = run.end - run.begin;
  const double first = run.begin - cx, steps = count * (count - 1) / 2, squares = steps * (2 * count - 1) / 3;
  const double along = count * first + steps;
  sums.noise += variance * count;
  sums.noise_x += variance * (count * first * first + 2 * first * steps + squares);
  sums.noise_y += variance * count * dy * dy;
  sums.noise_xy += variance * along * dy;
}

void add_noise(const SepFound& all, const Run& run, double cx, double cy, ExtraSums& sums) {
  const SepImage& image = all.image;
  const float* const image_found = found_image(all.pixels, all.steps).pixels.data();
  const double dy = run.y - cy;
  for (std::int64_t x = run.begin; x < run.end; ++x) {
    const std::int64_t i = run.y * image.shape.width + x;
    const double variance = image.variance(i), dx = static_cast<double>(x) - cx;
    const auto found = static_cast<double>(image_found[i]);
    const double noise = variance + (all.gain > 0 && found > 0 ? found / all.gain : 0);
    sums.thresholds += image.noise ? all.threshold * std::sqrt(variance) : all.steps.levels->detection;
    sums.noise += noise;
    sums.noise_x += noise * dx * dx;
    sums.noise_y += noise * dy * dy;
    sums.noise_xy += noise * dx * dy;
  }
}

ExtraSums sum_pixels(const SepFound& all, Members members, double cx, double cy) {
  ExtraSums sums;
  const SepImage& image = all.image;
  const bool even = !image.noise && !(all.gain > 0);
  for (const std::int32_t member : members) {
    const Run& run = all.steps.runs.runs[member];
    const float* const row = all.pixels.image.pixels.data() + run.y * image.shape.width;
    float peak = row[run.begin];
    for (std::int64_t x = run.begin; x < run.end; ++x) {
      sums.flux += static_cast<double>(row[x]);
      peak = std::max(peak, row[x]);
    }
    if (peak > sums.peak) {
      sums.peak = peak;
      sums.x_peak = std::find(row + run.begin, row + run.end, peak) - row;
      sums.y_peak = run.y;
    }
    if (even) {
      add_even_noise(run, image.variance(0), cx, cy, sums);
      sums.thresholds += all.steps.levels->detection * (run.end - run.begin);
    } else {
      add_noise(all, run, cx, cy, sums);
    }
  }
  return sums;
}

}  // namespace

std::int64_t SepFound::count_above(Members members, double level) const {
  std::int64_t above = 0;
  for (const std::int32_t member : members) {
    const Run& run = steps.runs.runs[member];
    const float* const row = pixels.image.pixels.data() + run.y * pixels.image.shape.width;
    above +=
        std::count_if(row + run.begin, row + run.end, [=](float value) { return static_cast<double>(value) > level; });
  }
  return above;
}

/// Makes a row. The values are computed like the catalogue's columns (stages/measure/columns.hpp), except where SEP's
/// definitions differ. SEP rounds several values to float. An axis whose square is negative is NaN.
SepObject SepFound::object(std::int64_t source, Members members) const {
  const SourceSums& sums = steps.sums[source];
  const Parentage of = parentage(source);
  constexpr double of_pixel = 0.0833333;
  const SourceOffset position = position_of(sums, of);
  SepObject row{};
  row.npix = sums.npix;
  row.xmin = sums.xmin;
  row.xmax = sums.xmax;
  row.ymin = sums.ymin;
  row.ymax = sums.ymax;
  row.x = sums.xmin + position.x;
  row.y = sums.ymin + position.y;
  const ExtraSums extra = sum_pixels(*this, members, row.x, row.y);
  SecondMoments moments = moments_about(sums, position);
  const double flux2 = sums.v * sums.v;
  row.errx2 = extra.noise_x / flux2;
  row.erry2 = extra.noise_y / flux2;
  row.errxy = extra.noise_xy / flux2;
  if (is_thin(moments)) {
    row.flag |= singular;
    moments.x2 += of_pixel;
    moments.y2 += of_pixel;
    const double of_noise = of_pixel * extra.noise / flux2;
    if (row.errx2 * row.erry2 - row.errxy * row.errxy < of_noise * of_noise) {
      row.errx2 += of_noise;
      row.erry2 += of_noise;
    }
  }
  row.x2 = moments.x2;
  row.y2 = moments.y2;
  row.xy = moments.xy;
  const EllipseAxes axes = axes_of(moments);
  const double difference = moments.x2 - moments.y2;
  // A matched filter may detect objects with negative pixels, whose moments may form no ellipse.
  const double middle = (moments.x2 + moments.y2) / 2, half = std::hypot(difference / 2, moments.xy);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  row.a = middle + half >= 0 ? static_cast<double>(static_cast<float>(axes.a)) : none;
  row.b = middle - half >= 0 ? static_cast<double>(static_cast<float>(axes.b)) : none;
  // SEP's angle of a round object. SEP also returns 45 degrees for an object at -45 degrees; this function returns -45
  // degrees.
  constexpr double quarter = 0.78539816339744830962, right = 2 * quarter;
  const bool is_round = difference == 0 && moments.xy == 0;
  const double theta = is_round ? quarter : 0.5 * std::atan2(2 * moments.xy, difference);
  // The float next to pi/2 is larger, and SEP's functions refuse such an ellipse.
  row.theta = std::clamp(static_cast<double>(static_cast<float>(theta)), -right, right);
  const double determinant = moments.x2 * moments.y2 - moments.xy * moments.xy;
  row.cxx = static_cast<double>(static_cast<float>(moments.y2 / determinant));
  row.cyy = static_cast<double>(static_cast<float>(moments.x2 / determinant));
  row.cxy = static_cast<double>(static_cast<float>(-2 * moments.xy / determinant));
  // The threshold of a deblended source is the mean threshold of the island.
  row.thresh = of.split != 0 && !island_thresholds.empty() ? island_thresholds[static_cast<std::size_t>(of.parent)]
                                                           : extra.thresholds / static_cast<double>(sums.npix);
  row.tnpix = count_above(members, row.thresh);
  row.cflux = sums.v;
  row.flux = extra.flux;
  row.cpeak = static_cast<double>(sums.peak);
  row.peak = static_cast<double>(extra.peak);
  row.xcpeak = sums.xpeak;
  row.ycpeak = sums.ypeak;
  row.xpeak = extra.x_peak;
  row.ypeak = extra.y_peak;
  if (of.split != 0) row.flag |= merged;
  const bool cut = of.split != 0 ? of.edge != 0 : at_edge(sums, steps.runs.shape);
  if (cut) row.flag |= sep_truncated;
  return row;
}

}  // namespace srcextract::python
