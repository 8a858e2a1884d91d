#include "pipeline/extract/impossible_noise.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "io/fits/header_values.hpp"
#include "pipeline/exposure/choose_plane.hpp"
#include "pipeline/extract/image_section.hpp"
#include "stages/math/median.hpp"

namespace srcextract {
namespace {

/// The median of the pixels of BIASSEC, "[x1:x2,y1:y2]" from 1, in rows spread over it; 0 if the image has no such
/// part.
double bias_of(const ImageInput& input) {
  const auto values = header_values(input.header(), input.frame.image().primary_header(), {"BIASSEC"});
  const KeywordValue* const value = value_in(values, "BIASSEC");
  const auto* const text = value != nullptr ? std::get_if<std::string>(value) : nullptr;
  const std::optional<ImageSection> section = text == nullptr ? std::nullopt : section_in(*text);
  const std::int64_t width = input.first().shape.width;
  if (!section || !section->inside(input.first().shape)) return 0;
  constexpr std::int64_t most_rows = 256;
  const std::int64_t step = (section->top - section->bottom) / most_rows + 1;
  std::vector<float> pixels;
  for (std::int64_t row = section->bottom - 1; row < section->top; row += step)
    for (const float pixel :
         read_part(input.first(), row * width + section->left - 1, section->right - section->left + 1).pixels)
      if (pixel == pixel) pixels.push_back(pixel);
  if (pixels.empty()) return 0;
  return static_cast<double>(upper_median(pixels));
}

}  // namespace

void warn_of_impossible_noise(const ImageInput& input, const Extraction& extraction,
                              std::vector<std::string>& warnings) {
  // Resampling lowers the noise of single pixels: by up to a quarter with the usual kernels.
  // The noise of few electrons is no Gaussian's, and clipping makes it smaller.
  constexpr double least_part = 0.75, electrons = 25, part_of_few = 0.3, few_electrons = 0.3;
  const Config& config = input.config();
  if (input.reference != nullptr || input.photons.included || config.kept.as_sextractor) return;
  if (config.measurement.gain_keyword == "none") return;
  const double gain = input.gain.gain, sigma = extraction.background.clipped.sigma;
  const PixelFormat& format = input.frame.stored_format();
  const double step = format.bitpix > 0 ? std::abs(format.bscale) : 0;
  const auto is_possible = [&](double level) {
    const double part = level * gain > electrons ? least_part : part_of_few;
    return !(level * gain > few_electrons) || sigma > part * std::sqrt(level / gain) || level < step * step * gain;
  };
  if (!(gain > 0) || !(sigma > 0) || is_possible(extraction.sky_level())) return;
  const double level = extraction.sky_level() - bias_of(input);
  if (is_possible(level)) return;
  warnings.push_back(fmt::format(
      "measurement.gain: the noise of the sky, {:.4g}, is below the {:.4g} that the photons of its level, {:.6g}, "
      "have by a gain of {:.6g} ({}). No detector does that. If this is a mean of exposures, or a pixel value is one a "
      "second, errors of bright sources are too large: --set measurement.gain={:.4g} --set "
      "measurement.gain_keyword=none is the least that the noise allows. If the level has a bias or a pedestal, or the "
      "image is resampled, so that pixels share noise, "
      "the gain may be right",
      sigma, std::sqrt(level / gain), level, gain, input.gain.reason, level / (sigma * sigma)));
}

}  // namespace srcextract
