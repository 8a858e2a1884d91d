#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "python/core/sep/aperture_rows.hpp"
#include "python/core/sep/each_aperture.hpp"
#include "python/core/sep/image.hpp"

// Statistics of the pixels in a ring, as in stats_circann() of sep-x, a fork of SEP. The weight of a pixel is the share
// of the pixel's area inside the ring.

namespace srcextract::python {
namespace nb = nanobind;
namespace {

struct WeighedPixel {
  double value, weight;
};
using WeighedPixels = std::vector<WeighedPixel>;

double weight_of(const WeighedPixels& pixels) {
  double weight = 0;
  for (const WeighedPixel& pixel : pixels) weight += pixel.weight;
  return weight;
}

double mean_of(const WeighedPixels& pixels) {
  double sum = 0;
  for (const WeighedPixel& pixel : pixels) sum += pixel.weight * pixel.value;
  return sum / weight_of(pixels);
}

/// The weighted median: the smallest value with which the cumulative weight reaches half of the total. Sorts the
/// pixels.
double weighed_median(WeighedPixels& pixels) {
  std::ranges::sort(pixels, {}, [](const WeighedPixel& pixel) { return std::pair(pixel.value, pixel.weight); });
  const double half = weight_of(pixels) / 2;
  double weight = 0;
  for (const WeighedPixel& pixel : pixels)
    if ((weight += pixel.weight) >= half) return pixel.value;
  return pixels.back().value;
}

/// The standard deviation, estimated as 1.4826 times the median absolute deviation from `value`, which is exact for a
/// normal distribution.
double deviation_about(double value, WeighedPixels pixels) {
  constexpr double of_normal = 1.4826;
  for (WeighedPixel& pixel : pixels) pixel.value = std::fabs(pixel.value - value);
  return of_normal * weighed_median(pixels);
}

double clipped_mean(WeighedPixels pixels, double kappa, std::int64_t rounds) {
  for (std::int64_t round = 0; round < rounds && !pixels.empty(); ++round) {
    const double median = weighed_median(pixels), most = kappa * deviation_about(median, pixels);
    if (!(most > 0)) break;
    const auto is_off = [&](const WeighedPixel& one) { return one.value < median - most || one.value > median + most; };
    if (std::erase_if(pixels, is_off) == 0) break;
  }
  return pixels.empty() ? std::numeric_limits<double>::quiet_NaN() : mean_of(pixels);
}

/// Mean, standard deviation, median, standard deviation by the median, and clipped mean. All NaN without pixels.
using RingStats = std::array<double, 5>;

RingStats stats_of(WeighedPixels& pixels, double kappa, std::int64_t rounds) {
  RingStats stats;
  stats.fill(std::numeric_limits<double>::quiet_NaN());
  if (pixels.empty()) return stats;
  const double mean = mean_of(pixels);
  double squares = 0;
  for (const WeighedPixel& pixel : pixels) squares += pixel.weight * (pixel.value - mean) * (pixel.value - mean);
  const double clipped = clipped_mean(pixels, kappa, rounds), median = weighed_median(pixels);
  return {mean, std::sqrt(squares / weight_of(pixels)), median, deviation_about(median, pixels), clipped};
}

void ring_stats(const SepImage& image, const Values<double>& x, const Values<double>& y, const Values<double>& inner,
                const Values<double>& outer, std::int64_t sub_pixels, double kappa, std::int64_t rounds,
                const Results<double>& stats, const Results<std::int16_t>& flags, int threads) {
  for_each_aperture<ApertureRows>(image, x, y, largest_of(outer), threads, [&](ApertureRows& rows, std::size_t i) {
    const SepEllipse circle{x.data()[i], y.data()[i]};
    const SepBox box = circle.box(outer.data()[i], image.shape);
    WeighedPixels pixels;
    bool masked = false;
    rows.for_each_part({circle, inner.data()[i], outer.data()[i], sub_pixels}, box, image.source_at(i),
                       [&](double value, double part, bool hidden) {
                         if (!(part > 0)) return;
                         masked |= hidden;
                         if (!hidden) pixels.push_back({value, part});
                       });
    const bool none = pixels.empty();
    std::ranges::copy(stats_of(pixels, kappa, rounds), stats.data() + i * std::tuple_size_v<RingStats>);
    flags.data()[i] =
        static_cast<std::int16_t>((box.cut ? cut_off : 0) | (masked ? has_masked : 0) | (none ? all_masked : 0));
  });
}

}  // namespace

void bind_sep_annulus_stats(nb::module_& module) {
  module.def("sep_ring_stats", &ring_stats);
}

}  // namespace srcextract::python
