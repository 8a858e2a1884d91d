#include "python/core/sep/objects.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stages/core/parallel.hpp"
#include "stages/detect/runs_by_source.hpp"
#include "stages/measure/ellipse.hpp"

namespace srcextract::python {
namespace {

constexpr std::int64_t objects_per_piece = 64, rows_per_piece = 64;

/// Further SEP flags of objects.
constexpr std::int16_t merged = 0x1, singular = 0x8;

using Members = RunsBySource::Members;

/// Sums over the pixels of an object in addition to SourceSums.
struct ExtraSums {
  double flux = 0, thresholds = 0;
  double noise = 0, noise_x = 0, noise_y = 0, noise_xy = 0;  ///< variances, times squared distances
  float peak = -std::numeric_limits<float>::infinity();
  std::int64_t x_peak = 0, y_peak = 0;
};

/// For constant noise without photon noise: only the squared distances need summing.
void add_even_noise(const Run& run, double variance, double cx, double cy, ExtraSums& sums) {
  const double dy = run.y - cy, count = run.end - run.begin;
  const double first = run.begin - cx, steps = count * (count - 1) / 2, squares = steps * (2 * count - 1) / 3;
  const double along = count * first + steps;
  sums.noise += variance * count;
  sums.noise_x += variance * (count * first * first + 2 * first * steps + squares);
  sums.noise_y += variance * count * dy * dy;
  sums.noise_xy += variance * along * dy;
}

void add_noise(const SepPixels& pixels, const Run& run, double cx, double cy, ExtraSums& sums) {
  const SepImage& image = pixels.image;
  const double dy = run.y - cy;
  for (std::int64_t x = run.begin; x < run.end; ++x) {
    const std::int64_t i = run.y * image.shape.width + x;
    const double variance = image.variance(i), dx = static_cast<double>(x) - cx;
    const auto found = static_cast<double>(pixels.found.pixels[i]);
    const double noise = variance + (pixels.gain > 0 && found > 0 ? found / pixels.gain : 0);
    sums.thresholds += image.noise ? pixels.threshold * std::sqrt(variance) : pixels.levels.detection;
    sums.noise += noise;
    sums.noise_x += noise * dx * dx;
    sums.noise_y += noise * dy * dy;
    sums.noise_xy += noise * dx * dy;
  }
}

ExtraSums sum_pixels(const SepPixels& pixels, const Runs<Cpu>& runs, Members members, double cx, double cy) {
  ExtraSums sums;
  const SepImage& image = pixels.image;
  const bool even = !image.noise && !(pixels.gain > 0);
  for (const std::int32_t member : members) {
    const Run& run = runs.runs[member];
    const float* const row = pixels.measured.pixels.data() + run.y * image.shape.width;
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
      sums.thresholds += pixels.levels.detection * (run.end - run.begin);
    } else {
      add_noise(pixels, run, cx, cy, sums);
    }
  }
  return sums;
}

SepObject object_of(const SepPixels& pixels, const Runs<Cpu>& runs, Members members, const SourceSums& sums,
                    const Parentage& parentage) {
  constexpr double of_pixel = 0.0833333;
  const SourceOffset position = position_of(sums, parentage);
  SepObject row{};
  row.npix = sums.npix;
  row.xmin = sums.xmin;
  row.xmax = sums.xmax;
  row.ymin = sums.ymin;
  row.ymax = sums.ymax;
  row.x = sums.xmin + position.x;
  row.y = sums.ymin + position.y;
  const ExtraSums extra = sum_pixels(pixels, runs, members, row.x, row.y);
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
  // With pixels below 0, which a matched filter may find, the moments may form no ellipse.
  const double middle = (moments.x2 + moments.y2) / 2, half = std::hypot(difference / 2, moments.xy);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  row.a = middle + half >= 0 ? static_cast<double>(static_cast<float>(axes.a)) : none;
  row.b = middle - half >= 0 ? static_cast<double>(static_cast<float>(axes.b)) : none;
  constexpr double quarter = 0.78539816339744830962;  // SEP's angle of a round object; also of one at -45 degrees
  const bool is_round = difference == 0 && moments.xy == 0;
  row.theta =
      static_cast<double>(static_cast<float>(is_round ? quarter : 0.5 * std::atan2(2 * moments.xy, difference)));
  const double determinant = moments.x2 * moments.y2 - moments.xy * moments.xy;
  row.cxx = static_cast<double>(static_cast<float>(moments.y2 / determinant));
  row.cyy = static_cast<double>(static_cast<float>(moments.x2 / determinant));
  row.cxy = static_cast<double>(static_cast<float>(-2 * moments.xy / determinant));
  // A deblended source has the threshold of its island.
  row.thresh = parentage.split != 0 && !pixels.island_thresholds.empty()
                   ? pixels.island_thresholds[static_cast<std::size_t>(parentage.parent)]
                   : extra.thresholds / static_cast<double>(sums.npix);
  row.cflux = sums.v;
  row.flux = extra.flux;
  row.cpeak = static_cast<double>(sums.peak);
  row.peak = static_cast<double>(extra.peak);
  row.xcpeak = sums.xpeak;
  row.ycpeak = sums.ypeak;
  row.xpeak = extra.x_peak;
  row.ypeak = extra.y_peak;
  if (parentage.split != 0) row.flag |= merged;
  const bool cut = parentage.split != 0 ? parentage.edge != 0 : at_edge(sums, runs.shape);
  if (cut) row.flag |= sep_truncated;
  return row;
}

}  // namespace

std::int64_t count_above(const SepPixels& pixels, std::span<const Run> runs, double threshold) {
  std::int64_t above = 0;
  for (const Run& run : runs) {
    const float* const row = pixels.measured.pixels.data() + run.y * pixels.measured.shape.width;
    above += std::count_if(row + run.begin, row + run.end,
                           [=](float value) { return static_cast<double>(value) > threshold; });
  }
  return above;
}

SepObjects measure_objects(const SepPixels& pixels, const Runs<Cpu>& runs, const Components<Cpu>& components,
                           const Buffer<SourceSums, Cpu>& sums, const Buffer<Parentage, Cpu>& parentage,
                           const std::vector<std::int32_t>& order, const Cpu& where) {
  const RunsBySource by_source = group_runs(components, where);
  SepObjects objects;
  objects.rows.resize(order.size());
  objects.run_begin.push_back(0);
  for (const std::int32_t source : order) {
    for (const std::int32_t member : by_source.members(source)) objects.runs.push_back(runs.runs[member]);
    objects.run_begin.push_back(std::ssize(objects.runs));
  }
  parallel_for(std::ssize(order), objects_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const std::int32_t source = order[i];
      objects.rows[i] = object_of(pixels, runs, by_source.members(source), sums[source], parentage[source]);
      objects.rows[i].tnpix = count_above(pixels, objects.runs_of(i), objects.rows[i].thresh);
    }
  });
  return objects;
}

void draw(const SepObjects& objects, const Shape& shape, std::int32_t* map, const Cpu& where) {
  parallel_for(shape.height, rows_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    std::fill(map + begin * shape.width, map + end * shape.width, 0);
  });
  parallel_for(std::ssize(objects.rows), objects_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto first = objects.run_begin[static_cast<std::size_t>(i)];
      for (auto run = first; run < objects.run_begin[static_cast<std::size_t>(i) + 1]; ++run) {
        const Run& one = objects.runs[static_cast<std::size_t>(run)];
        std::fill(map + one.y * shape.width + one.begin, map + one.y * shape.width + one.end,
                  static_cast<std::int32_t>(i + 1));
      }
    }
  });
}

}  // namespace srcextract::python
