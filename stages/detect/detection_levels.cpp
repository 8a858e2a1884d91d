#include "stages/detect/detection_levels.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "stages/core/shortest_number.hpp"
#include "stages/detect/no_sky.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

DetectionConfig in_pixel_values(double threshold, const Settings& config) {
  DetectionConfig detection = config.detection;
  detection.threshold = threshold;
  if (detection.threshold_unit != ThresholdUnit::mag_per_arcsec2) return detection;
  const double area = config.measurement.pixel_scale * config.measurement.pixel_scale;
  const auto in_pixels = [&](double brightness) {
    return area * portable_exp(-0.4 * ln_10 * (brightness - config.measurement.zero_point));
  };
  detection.threshold = in_pixels(detection.threshold);
  if (detection.analysis_threshold != 0) detection.analysis_threshold = in_pixels(detection.analysis_threshold);
  return detection;
}

Value<Levels, Cpu> resolve_levels(const Value<Background, Cpu>& background, const Value<Background, Cpu>& detected,
                                  double threshold, const Settings& config, const Cpu&) {
  return levels_of(*background, *detected, in_pixel_values(threshold, config), config.measurement.reference,
                   is_noise_given(config));
}

namespace {

/// From this value on, a float cannot represent every integer.
constexpr double exact_integers = 1 << 24;

/// Returns a hint for an error message if the sky level is so far from 0 that rounding pixels to float may hide the
/// noise; else returns an empty text.
std::string of_lost_noise(double level) {
  if (std::abs(level) < exact_integers) return "";
  return ". Near that value the pixels, which are float32, cannot tell neighbouring integers from each other: where "
         "the file has more digits, subtract a constant of about the sky from its pixels first";
}

}  // namespace

void check_background(const Background& background, const Settings& config) {
  if (background.all.count == 0) {
    throw NoSky("every pixel is masked (NaN, infinite or BLANK): there is no sky to measure");
  }
  const MeshFacts& mesh = background.mesh;
  const bool noise_is_given = is_noise_given(config);
  const bool needs_meshes = !has_level(config.given_sky) || !noise_is_given;
  if (needs_meshes && mesh.width > 0 && mesh.bad == mesh.width * mesh.height) {
    const Shape sides = mesh_sides(config.background);
    throw NoSky("in every mesh of " + std::to_string(sides.width) + " x " + std::to_string(sides.height) +
                " pixels more than half of them are masked, so that there is no sky to interpolate; set "
                "background.mesh_size so that some mesh is mostly good, or background.method to constant, or "
                "correct the mask");
  }
  if (counts_in_sigmas(config.detection) && background.clipped.sigma == 0 && !noise_is_given) {
    const std::string equal = background.mesh.width > 0 ? "in every mesh the pixels that survive the clip are all equal"
                                                        : "the pixels that survive the clip are all equal (" +
                                                              shortest(background.clipped.median) + ")";
    const bool of_filtered = config.detection.threshold_unit == ThresholdUnit::detection_sigma;
    throw NoSky(equal +
                    ", so sigma is 0 and a threshold in units of sigma means nothing; is this an empty or constant "
                    "image, or the difference of a frame with itself? If not, raise background.kappa, which may clip "
                    "too much, give the noise (background.rms, or a map as weights.type rms)" +
                    (of_filtered ? " with detection.threshold_unit sigma" : "") +
                    ", or set detection.threshold_unit to absolute" + of_lost_noise(background.clipped.median),
                {background.clipped.median, 0});
  }
}

void check_levels(const Levels& levels, const Background& background, const Settings& config) {
  if (!counts_in_sigmas(config.detection) || levels.detection < std::numeric_limits<double>::infinity() ||
      background.all.count == 0)
    return;
  throw NoSky(
      "the image in which sources are found has a sigma of 0, so a threshold in units of its sigma (detection_sigma) "
      "means nothing, even if the noise of pixels is given; set detection.threshold_unit to sigma, or to absolute",
      {background.clipped.median, background.clipped.sigma});
}

}  // namespace srcextract
