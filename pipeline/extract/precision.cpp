#include "pipeline/extract/precision.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "io/image/stored_value.hpp"
#include "pipeline/exposure/choose_plane.hpp"
#include "pipeline/exposure/padding.hpp"
#include "pipeline/exposure/sampled_rows.hpp"
#include "stages/core/error.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/math/median.hpp"

namespace srcextract {
namespace {

/// The distance from a value to the next float32 number.
double float_step(double value) {
  const float level = std::abs(static_cast<float>(value));
  return std::nextafter(level, std::numeric_limits<float>::infinity()) - level;
}

bool is_stored_as_float32(const PixelFormat& format) {
  return format.bitpix == -32 && format.bscale == 1 && format.bzero == 0;
}

/// Returns true if pixels of this format can differ by less than `step`, so that rounding to float32 changes them.
bool is_finer(const PixelFormat& format, double step) {
  const double grain = format.bitpix > 0 ? std::abs(format.bscale) : 0;  // the smallest difference of two pixels
  return !is_stored_as_float32(format) && step > grain;
}

/// Stored values of evenly spaced rows of a plane in double, without pixels that are masked.
std::vector<double> sample_of(const PixelSource& plane) {
  constexpr std::int64_t sampled_rows = 16, most_in_row = 4096;
  const PixelSource& stored = stored_plane(plane);
  const std::int64_t height = plane.shape.height, count = std::min(plane.shape.width, most_in_row);
  const std::int64_t width = stored.format.bytes();
  std::vector<std::byte> pixels(static_cast<std::size_t>(count * width));
  std::vector<double> values;
  for (const std::int64_t y : spread_rows(height, std::min(height, sampled_rows))) {
    stored.read(y * plane.shape.width, count, pixels.data());
    const Image<float, Cpu> masked = read_part(plane, y * plane.shape.width, count);
    for (std::int64_t i = 0; i < count; ++i)
      if (const double value = stored_value(pixels.data() + i * width, stored.format);
          std::isfinite(value) && !std::isnan(masked.pixels[i]))
        values.push_back(value);
  }
  return values;
}

std::string describe_steps(double sky, double step, const std::string& noise) {
  return "near the sky, " + shortest(sky) + ", it has steps of " + shortest(step) + ", and the noise is " + noise;
}

constexpr const char* remedy = "; subtract a constant of about the sky from the pixels first";

/// Returns the same as lost_noise(), of one plane. `sigma`: the noise of the image that is made of the plane.
std::string lost_noise(const PixelSource& plane, double sigma) {
  const PixelFormat& format = stored_plane(plane).format;
  if (std::abs(format.bitpix) < 32 || is_stored_as_float32(format)) return "";
  std::vector<double> values = sample_of(plane);
  if (values.empty()) return "";
  // In steps: less is the error of sums of real numbers, and no noise.
  const double least = format.bitpix < 0 ? 1e-7 : 0;
  const double sky = upper_median(values), step = float_step(sky);
  if (!is_finer(format, step) || step * 2 <= sigma) return "";
  const double noise = sigma_per_deviation * median_deviation(values, sky);
  if (noise <= least * step || step * 2 <= noise) return "";
  return "the values need more than the 24 bits of float32: " +
         describe_steps(sky, step, fmt::format("about {:.3g}", noise)) + remedy;
}

}  // namespace

std::string lost_noise(const ImageInput& input, double sigma) {
  std::string problem;
  for (const PixelSource& plane : input.frame.planes())
    if (problem.empty()) problem = lost_noise(plane, sigma);
  if (input.reference == nullptr || !problem.empty()) return problem;
  for (const PixelSource& plane : input.reference->frame.planes())
    if (problem.empty()) problem = lost_noise(plane, sigma);
  return problem.empty() ? "" : input.reference->path + ": " + problem;
}

void check_precision(const ImageInput& input, const Extraction& extraction) {
  const double sigma = extraction.background.clipped.sigma;
  if (input.reference != nullptr || !input.frame.combined().empty()) {
    if (const std::string problem = lost_noise(input, sigma); !problem.empty()) throw Error(ErrorKind::input, problem);
    return;
  }
  const double sky = extraction.sky_level(), step = float_step(sky);
  if (!is_finer(input.frame.stored_format(), step) || extraction.background.all.count == 0 || step * 2 <= sigma) return;
  throw Error(ErrorKind::input, "the values need more than the 24 bits of float32: " +
                                    describe_steps(sky, step, shortest(sigma) + " with what rounding adds to it") +
                                    remedy);
}

std::string precision_warning(const ImageInput& input, const Extraction& extraction) {
  if (input.reference != nullptr || !input.frame.combined().empty() || extraction.background.all.count == 0) return "";
  const double sky = extraction.sky_level(), sigma = extraction.background.clipped.sigma, step = float_step(sky);
  const std::string steps = describe_steps(sky, step, fmt::format("{:.4g}", sigma));
  constexpr double few = 2, some = 4;  // steps to a sigma
  if (sigma > 0 && sigma < few * step && is_stored_as_float32(input.frame.stored_format()))
    return "the file has its pixels as float32: " + steps +
           " with what rounding added to it, so faint sources are lost; subtract a constant of about the sky before "
           "pixels become float32";
  if (sigma > 0 && sigma < some * step && is_finer(input.frame.stored_format(), step))
    return "pixels are rounded to float32: " + steps + remedy;
  return "";
}

}  // namespace srcextract
