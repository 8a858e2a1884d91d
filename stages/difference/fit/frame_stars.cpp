#include "stages/difference/fit/frame_stars.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "stages/catalogue/sources.hpp"
#include "stages/core/parallel.hpp"
#include "stages/difference/fit/star_width.hpp"
#include "stages/math/median.hpp"
#include "stages/psf/star_width.hpp"

namespace srcextract {
namespace {

constexpr std::size_t most_sources = 300;
constexpr double half_light_per_sigma = 1.1774100225154747;  // of a Gaussian
/// Half width in pixels of the square in which a width is measured. It holds what measure_width() reads of the widest
/// source that shapes_of() finds.
constexpr std::int64_t cut_half = 20;
/// Bad pixels (masked or saturated) exclude a source if they are within this many half-light radii of its middle.
constexpr double core = 2;

/// The pixels around a source minus the frame's sky. Bad pixels, and those beyond the frame's edges, are NaN.
Image<float, Cpu> cut_out(const LevelledFrame& frame, const Stamp& place) {
  constexpr std::int64_t side = 2 * cut_half + 1;
  const ImageView image = frame.view();
  Image<float, Cpu> cut({side, side}, Cpu{});
  for (std::int64_t j = 0; j < side; ++j) {
    for (std::int64_t i = 0; i < side; ++i) {
      const std::int64_t x = place.x + i - cut_half, y = place.y + j - cut_half;
      const bool good = image.contains(x, y) && !frame.level.is_bad(image.at(x, y));
      cut.pixels[j * side + i] = good ? frame.level.above(image.at(x, y)) : std::numeric_limits<float>::quiet_NaN();
    }
  }
  return cut;
}

bool has_bad_core(const Image<float, Cpu>& cut, double reach) {
  const auto half = std::min(cut_half, static_cast<std::int64_t>(std::ceil(reach)));
  for (std::int64_t j = cut_half - half; j <= cut_half + half; ++j)
    for (std::int64_t i = cut_half - half; i <= cut_half + half; ++i)
      if (std::isnan(cut.pixels[j * cut.shape.width + i])) return true;
  return false;
}

PsfStar source_of(const LevelledFrame& frame, const Stamp& place, const StarShape& shape) {
  PsfStar source{};
  source.x = static_cast<double>(place.x) + shape.x;
  source.y = static_cast<double>(place.y) + shape.y;
  if (!(shape.sigma > 0)) return source;
  const Image<float, Cpu> cut = cut_out(frame, place);
  source.flux = 2 * shape.light;  // a Gaussian under a Gaussian weight of its own width has half its light
  const double of_sky = 4 * std::numbers::pi * shape.sigma * shape.sigma * static_cast<double>(frame.level.variance);
  source.snr = source.flux / std::sqrt(of_sky + source.flux * static_cast<double>(frame.level.variance_per_count));
  source.radius = half_light_per_sigma * shape.sigma;
  source.peak = static_cast<double>(cut.pixels[cut_half * cut.shape.width + cut_half]);
  source.flags = has_bad_core(cut, core * source.radius) ? flag::masked_pixels : std::int16_t{0};
  const StarWidth width = measure_width(cut, cut_half + shape.x, cut_half + shape.y, source.radius);
  source.width = width.width;
  source.minor = width.minor;
  const double major = width.width * width.width / width.minor;
  source.ellipticity = width.minor > 0 ? (major - width.minor) / (major + width.minor) : 0;
  return source;
}

}  // namespace

std::vector<Stamp> FrameStars::used() const {
  std::vector<Stamp> stars;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (sources[i].verdict == StarVerdict::used) stars.push_back(places[i]);
  return stars;
}

double FrameStars::ellipticity() const {
  std::vector<double> all;
  for (const PsfStar& source : sources)
    if (source.verdict == StarVerdict::used) all.push_back(source.ellipticity);
  return all.empty() ? 0 : upper_median(all);
}

bool FrameStars::is_star(const Stamp& place) const {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].x != place.x || places[i].y != place.y) continue;
    const StarVerdict verdict = sources[i].verdict;
    return verdict == StarVerdict::used || verdict == StarVerdict::crowded || verdict == StarVerdict::spare;
  }
  return false;
}

bool FrameStars::is_crowd(double fwhm) const {
  constexpr double widths = 3.3, most_neighbours = 0.3;
  const double reach = widths * fwhm;
  return density * std::numbers::pi * reach * reach > most_neighbours;
}

FrameStars find_frame_stars(const LevelledFrame& frame, const std::vector<Peak>& peaks, const Cpu& where) {
  constexpr int degree = 2;  // highest order of the star's shape over the field
  FrameStars stars;
  for (std::size_t i = 0; i < std::min(peaks.size(), most_sources); ++i)
    stars.places.push_back({peaks[i].x, peaks[i].y});
  const std::vector<StarShape> shapes = shapes_of(frame, stars.places, where);
  stars.sources.resize(stars.places.size());
  parallel_for(std::ssize(stars.places), 1, where, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      stars.sources[i] = source_of(frame, stars.places[i], shapes[i]);
  });
  stars.density = static_cast<double>(peaks.size()) / static_cast<double>(frame.image.shape.count());
  stars.choice = choose_stars(stars.sources, frame.image.shape, 0, degree);
  return stars;
}

}  // namespace srcextract
