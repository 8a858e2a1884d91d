#include "pipeline/extract/map_photons.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/exposure/choose_plane.hpp"
#include "pipeline/exposure/sampled_rows.hpp"
#include "stages/math/median.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {
namespace {

/// A bright pixel beside one with less than half of its light: the variance that the difference of light adds by the
/// gain, in units of the sky's, and the part of it that the map has.
struct LitPixel {
  double photons, part;
};

constexpr std::int64_t segment_width = 128, least_in_segment = 48, farthest = 16;
constexpr double bright_sigmas = 5, least_photons = 0.1, many_photons = 0.5;

/// Looks for bright pixels in parts of rows. Level, noise and variance of the sky are those of the part. The map is
/// compared at pixels as near as can be, since it may have the edges and stripes of a stack.
class LightUnderMap {
 public:
  LightUnderMap(const Exposure& frame, std::int64_t together, const WeightsConfig& weights, double gain)
      : frame_(frame), together_(together), variance_of_(weights), relative_(is_rescaled(weights)), gain_(gain) {}

  /// Looks at rows that are spread over the image, with about `most` pixels. Reads all of the rows that are
  /// decompressed together with them, so that no decoded tile is kept for the others.
  std::vector<LitPixel> find(std::int64_t most) {
    const auto [width, height] = frame_.shape();
    const std::int64_t step = std::min(together_, rows_at_once(frame_.shape(), together_));
    found_.clear();
    const std::vector<std::int64_t> rows =
        spread_rows(height, std::clamp<std::int64_t>(most / width, 1, height), together_);
    for (auto row = rows.begin(); row != rows.end();) {
      const std::int64_t begin = *row / together_ * together_, end = std::min(begin + together_, height);
      for (std::int64_t y = begin; y < end; y += step) {
        const std::int64_t next = std::min(y + step, end);
        const auto last = std::find_if(row, rows.end(), [&](std::int64_t one) { return one >= next; });
        read(y, next - y, {row, last});
        row = last;
      }
    }
    return found_;
  }

 private:
  /// Reads `count` rows from row `y` on, and looks at some of them.
  void read(std::int64_t y, std::int64_t count, std::span<const std::int64_t> looked_at) {
    const std::int64_t width = frame_.shape().width;
    const auto part_of = [&](const PixelSource& plane) { return read_part(plane, y * width, count * width); };
    Image<float, Cpu> image = part_of(frame_.planes.front()), map = part_of(*frame_.weights);
    const Image<float, Cpu> mask = frame_.mask ? part_of(*frame_.mask) : Image<float, Cpu>();
    for (const std::int64_t row : looked_at) {
      const std::int64_t first = (row - y) * width;
      for (std::int64_t i = first; i < first + width; ++i) {
        if (frame_.mask) mask_with(mask.pixels[i], image.pixels[i]);
        weigh(map.pixels[i], variance_of_, image.pixels[i], map.pixels[i]);
      }
      const std::int64_t segments = std::max<std::int64_t>(1, width / segment_width);
      for (std::int64_t i = 0; i < segments; ++i)
        look(image.pixels.data() + first, map.pixels.data() + first, i * width / segments, (i + 1) * width / segments);
    }
  }

  void look(const float* image, const float* variance, std::int64_t begin, std::int64_t end) {
    std::vector<float> values, variances;
    for (std::int64_t x = begin; x < end; ++x)
      if (image[x] == image[x]) values.push_back(image[x]);
    if (std::ssize(values) < least_in_segment) return;
    const float level = upper_median(values);
    const double sigma = sigma_per_deviation * static_cast<double>(median_deviation(values, level));
    for (std::int64_t x = begin; x < end; ++x)
      if (static_cast<double>(std::abs(image[x] - level)) <= sigma) variances.push_back(variance[x]);
    if (variances.empty() || !(sigma > 0)) return;
    const auto of_sky = static_cast<double>(upper_median(variances));
    const auto light_at = [&](std::int64_t x) { return static_cast<double>(image[x]) - static_cast<double>(level); };
    for (std::int64_t x = begin; x < end; ++x) {
      const double light = light_at(x);
      if (!(light > bright_sigmas * sigma)) continue;
      const auto is_fainter = [&](std::int64_t at) { return at >= begin && at < end && light_at(at) < light / 2; };
      std::int64_t apart = 1;
      while (apart <= farthest && !is_fainter(x - apart) && !is_fainter(x + apart)) ++apart;
      if (apart > farthest) continue;
      const std::int64_t beside = is_fainter(x - apart) ? x - apart : x + apart;
      const double photons = (light - light_at(beside)) / gain_ / (relative_ ? sigma * sigma : of_sky);
      const double rise = (static_cast<double>(variance[x]) - static_cast<double>(variance[beside])) / of_sky;
      if (photons >= least_photons) found_.push_back({photons, rise / photons});
    }
  }

  const Exposure& frame_;
  std::int64_t together_;
  VarianceOfMap variance_of_;
  bool relative_;
  double gain_;
  std::vector<LitPixel> found_;
};

/// The parts in ascending order: of pixels in which photons count, if there are enough of these, else of all. Empty if
/// there are too few pixels.
std::vector<double> parts_of(const std::vector<LitPixel>& pixels) {
  constexpr std::int64_t enough_bright = 10, enough = 30;
  const auto is_bright = [](const LitPixel& pixel) { return pixel.photons >= many_photons; };
  const bool bright = std::ranges::count_if(pixels, is_bright) >= enough_bright;
  std::vector<double> parts;
  if (!bright && std::ssize(pixels) < enough) return parts;
  for (const LitPixel& pixel : pixels)
    if (!bright || is_bright(pixel)) parts.push_back(pixel.part);
  std::ranges::sort(parts);
  return parts;
}

PhotonsOfMap judge(const std::string& name, const std::vector<double>& parts) {
  constexpr double least_part = 0.25, least_steady = 0.02, doubtful = 0.1;
  const auto quantile = [&](double share) {
    return parts[static_cast<std::size_t>(share * static_cast<double>(parts.size() - 1))];
  };
  const double part = quantile(0.5);
  // Under a wrong gain the part is not 1, and yet the same for all pixels.
  const bool steady = part >= least_steady && quantile(0.25) > part / 2 && quantile(0.75) < 2 * part;
  const std::string seen = fmt::format(
      "under {} bright pixels its variance rises by {:.2g} of their light / gain (the median)", parts.size(), part);
  if (part < least_part && (steady || part >= doubtful))
    spdlog::warn(
        "{}: weights.photons: {}, so {}; set it to {} if this is wrong, or correct the gain (--set "
        "measurement.gain=NUMBER --set measurement.gain_keyword=none)",
        name, seen,
        steady ? "the map is taken to hold the photons of sources, and to contradict the gain"
               : "the map is taken to hold no photons of sources",
        steady ? "excluded" : "included");
  return {part >= least_part || steady, seen};
}

}  // namespace

PhotonsOfMap find_map_photons(const std::string& name, const Exposure& frame, std::int64_t together,
                              const WeightsConfig& weights, double gain, const Config& config) {
  if (!frame.weights || !has_map(weights)) return {};
  if (weights.photons != MapPhotons::automatic)
    return {weights.photons == MapPhotons::included, "weights.photons of " + config.place_of("weights.photons")};
  if (config.kept.as_sextractor) return {false, "as in SExtractor"};
  if (scales_gain(weights)) return {false, "weights.scale_gain"};
  if (!(gain > 0)) return {false, "not looked at, as there is no gain by which errors get them"};
  // All rows are read only if some of them show too few bright pixels.
  constexpr std::int64_t few = std::int64_t{1} << 20, many = std::int64_t{1} << 23;
  LightUnderMap pixels(frame, std::min(together, frame.shape().height), weights, gain);
  std::vector<double> parts = parts_of(pixels.find(few));
  if (parts.empty() && frame.shape().count() > few) parts = parts_of(pixels.find(many));
  if (parts.empty()) return {false, "assumed, as too few pixels are bright enough to tell"};
  return judge(name, parts);
}

}  // namespace srcextract
