#include "stages/settings/problems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "stages/catalogue/vignets.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/math/kernel_values.hpp"

namespace srcextract::config {
namespace {

/// Error message if the kernel of this `length` is larger than most_kernel_size; empty if it fits or if `size` is
/// given. The half width of the kernel is `reach` times `length`, in pixels.
std::string length_problem(const ConvolveConfig& config, double length, double reach) {
  constexpr std::int64_t most_reach = most_kernel_size / 2;
  constexpr auto most = static_cast<double>(most_reach);
  if (config.size != 0 || length * reach <= most) return "";
  return "is too large for a kernel of " + std::to_string(most_kernel_size) + " pixels, which has room for " +
         shortest(std::floor(most / reach * 100) / 100) + "; set convolve.size to cut it off";
}

}  // namespace

std::string method_problem(const Settings& config) {
  if (config.background.method != BackgroundMethod::mesh) return "";
  const bool from_zero = config.detection.reference == Baseline::zero || config.measurement.reference == Baseline::zero;
  return from_zero ? "is mesh, whose level is subtracted from every pixel, so nothing can be counted from zero; set "
                     "it to constant, or detection.reference and measurement.reference to background"
                   : "";
}

std::string mesh_height_problem(const BackgroundConfig& config) {
  constexpr std::int64_t least_pixels = 64;
  return config.mesh_height == 0 || config.mesh_size * config.mesh_height >= least_pixels
             ? ""
             : "makes meshes of " + std::to_string(config.mesh_size) + " x " + std::to_string(config.mesh_height) +
                   " pixels, in which there is too little sky: at least " + std::to_string(least_pixels) +
                   " are needed; 0 means squares";
}

std::string mesh_size_use(const BackgroundConfig& config) {
  return use_problem(config.mesh_beams == 0, config.mesh_size, BackgroundConfig{}.mesh_size, "background.mesh_beams 0");
}

std::string mesh_beams_problem(const BackgroundConfig& config) {
  return config.mesh_beams > 0 && config.mesh_height > 0
             ? "makes square meshes; leave background.mesh_height out, or use background.mesh_size"
             : "";
}

std::string beam_width_problem(const BeamConfig& config) {
  if (config.fwhm.size() != 2) return "must hold two numbers, the major and the minor axis";
  if (config.source != BeamSource::given) return "";
  return config.fwhm[0] >= config.fwhm[1] && config.fwhm[1] > 0 && std::isfinite(config.fwhm[0])
             ? ""
             : "must hold two numbers above 0, the larger first, where beam.source is given";
}

std::string fit_problem(const Settings& config) {
  if (!fits_gaussians(config)) return "";
  if (!counts_in_sigmas(config.detection))
    return "is gaussians, whose islands are found in units of the noise; set detection.threshold_unit to sigma";
  if (config.detection.sign != DetectionSign::positive && config.fit.reliability)
    return "is gaussians with fit.reliability, which takes what is fainter than the sky for false; set fit.reliability "
           "to false, or detection.sign to positive";
  if (config.convolve.kernel != KernelShape::none)
    return "is gaussians, whose islands are found in the image itself; set convolve.kernel to none";
  if (config.deblend.method != DeblendMethod::none || config.deblend.clean)
    return "is gaussians, which divide islands themselves; set deblend.method to none and deblend.clean to false";
  return "";
}

std::string model_problem(const Settings& config) {
  if (!fits_galaxies(config)) return "";
  if (config.psf.method != PsfMethod::fit && config.psf.file.empty())
    return "fits galaxies as the PSF blurs them: set psf.method to fit, or name a model by psf.file";
  if (fits_crowd(config)) return "fits galaxies, and crowd.method joint fits stars; set one of them to none";
  if (fits_gaussians(config)) return "fits galaxies, and fit.model gaussians islands; set one of them to none";
  if (config.detection.sign != DetectionSign::positive)
    return "fits galaxies, which are brighter than the sky; set detection.sign to positive";
  return "";
}

std::string crowd_problem(const Settings& config) {
  if (!fits_crowd(config)) return "";
  if (fits_gaussians(config)) return "is joint, and fit.model gaussians; set one of them to none";
  if (config.deblend.method != DeblendMethod::none || config.deblend.clean)
    return "is joint, whose stars are not divided further; set deblend.method to none and deblend.clean to false";
  if (config.convolve.filters())
    return "is joint, whose stars are found by the PSF; set convolve.kernel to none and convolve.median to false";
  if (config.morphology.operation != MorphologicalOperation::none)
    return "is joint, which has no pixels above a threshold; set morphology.operation to none";
  if (config.detection.sign != DetectionSign::positive)
    return "is joint, whose stars are brighter than the sky; set detection.sign to positive";
  if (config.output.segmentation || has_flags(config.flags) || vignet_size(config.output.columns).any())
    return "is joint, which has no pixels of sources: leave out output.segmentation, flags and VIGNET";
  return "";
}

std::string filter_height_problem(const BackgroundConfig& config) {
  return config.filter_height != 0 && config.filter_height % 2 == 0
             ? "must be odd, so that the filter has a centre; 0 means as filter_size"
             : "";
}

std::string filter_size_problem(const BackgroundConfig& config) {
  return config.filter_size % 2 == 0 ? "must be odd, so that the filter has a centre; 1 means none" : "";
}

std::string level_problem(const Settings& config) {
  if (!has_level(config.given_sky)) return "";
  const bool from_zero = config.detection.reference == Baseline::zero || config.measurement.reference == Baseline::zero;
  return from_zero ? "is subtracted from every pixel, so nothing can be counted from zero; set detection.reference and "
                     "measurement.reference to background"
                   : "";
}

std::string level_hdu_problem(const GivenSkyConfig& config) {
  return map_hdu_problem(config.level_hdu, config.level);
}

std::string level_hdu_use(const GivenSkyConfig& config) {
  const bool of_number = config.level_hdu != "auto" && given_number(config.level);
  return of_number ? "has no use where background.level is a number" : "";
}

std::string rms_problem(const GivenSkyConfig& config) {
  if (config.rms.empty()) return "";
  const std::optional<double> rms = given_number(config.rms);
  if (!rms) return "must be a number; a map of the noise is given by weights.type rms and weights.file";
  constexpr double least = std::numeric_limits<float>::min(), most = std::numeric_limits<float>::max();
  return *rms >= least && *rms <= most ? "" : "must be above 0, within the range of float32";
}

std::string check_images_problem(const Settings& config) {
  if (has_level(config.given_sky) && std::ranges::count(config.output.check_images, CheckImage::minibackground) > 0)
    return "asks for the levels of meshes, which are not estimated where background.level is given; ask for background";
  if (config.morphology.operation == MorphologicalOperation::none &&
      std::ranges::count(config.output.check_images, CheckImage::morphology) > 0)
    return "asks for morphology, which changes nothing where morphology.operation is none; ask for threshold, or set "
           "the operation";
  if (!fits_gaussians(config) && !fits_crowd(config) && !fits_galaxies(config) &&
      std::ranges::any_of(config.output.check_images, shows_model))
    return "asks for a fitted model, which there is none of where fit.model, model.fit and crowd.method are none";
  if (!fits_crowd(config) && std::ranges::any_of(config.output.check_images, shows_crowd))
    return "asks for chi or psf_sky, which only a crowd has; set crowd.method to joint";
  if (fits_crowd(config) && std::ranges::any_of(config.output.check_images, [](CheckImage image) {
        return shows_sources(image) || image == CheckImage::apertures;
      }))
    return "asks for pixels of sources, which a crowd has none of; ask for model, residual, chi or psf_sky";
  const bool of_mesh = std::ranges::any_of(config.output.check_images, [](CheckImage image) {
    return image == CheckImage::minibackground || image == CheckImage::miniback_rms;
  });
  return of_mesh && config.background.method != BackgroundMethod::mesh
             ? "asks for meshes, which there are none of where background.method is constant"
             : "";
}

std::string shape_problem(const ConvolveConfig& config) {
  switch (config.kernel) {
    case KernelShape::gaussian:
      if (config.fwhm > 0 && config.sigma > 0) return "is gaussian: give its fwhm or its sigma, not both";
      return config.fwhm > 0 || config.sigma > 0 ? "" : "is gaussian, which needs convolve.fwhm or convolve.sigma";
    case KernelShape::tophat:
      return config.radius > 0 ? "" : "is tophat, which needs convolve.radius";
    case KernelShape::mexican_hat:
      return config.sigma > 0 ? "" : "is mexican_hat, which needs convolve.sigma";
    case KernelShape::values:
      return config.values.empty() ? "is values, which needs convolve.values" : "";
    case KernelShape::file:
      return config.file.empty() ? "is file, which needs convolve.file" : "";
    case KernelShape::none:
      break;
  }
  return "";
}

std::string fwhm_problem(const ConvolveConfig& config) {
  return length_problem(config, config.fwhm, gaussian_reach / fwhm_per_sigma);
}

std::string sigma_problem(const ConvolveConfig& config) {
  const bool hat = config.kernel == KernelShape::mexican_hat;
  return length_problem(config, config.sigma, hat ? mexican_hat_reach : gaussian_reach);
}

std::string radius_problem(const ConvolveConfig& config) {
  return length_problem(config, config.radius, 1);
}

std::string size_problem(const ConvolveConfig& config) {
  return config.size != 0 && config.size % 2 == 0 ? "must be odd, so that the kernel has a centre; or 0" : "";
}

std::string values_problem(const ConvolveConfig& config) {
  return config.values.empty() ? "" : kernel_problem(config.values);
}

std::string width_problem(double own, double other) {
  return own > 0 && !(other > 0) ? "needs difference.reference_fwhm and difference.new_fwhm, both or neither" : "";
}

std::string threshold_unit_problem(const Settings& config) {
  if (config.detection.threshold_unit != ThresholdUnit::mag_per_arcsec2 || config.measurement.zero_point != 0)
    return "";
  return "is mag_per_arcsec2, which needs measurement.zero_point, the magnitude of one count (SExtractor's "
         "MAG_ZEROPOINT)";
}

std::string sign_problem(const Settings& config) {
  const DetectionConfig& detection = config.detection;
  if (detection.sign == DetectionSign::positive || detection.threshold_unit != ThresholdUnit::absolute) return "";
  const std::string word = detection.sign == DetectionSign::both ? "both" : "negative";
  if (!(detection.threshold > 0))
    return "is " + word +
           ", and below an absolute threshold of 0 or less there is no sky; give detection.threshold "
           "above 0";
  if (config.background.method == BackgroundMethod::mesh || detection.reference == Baseline::zero) return "";
  return "is " + word +
         ", and with background.method constant an absolute threshold is a pixel value, sky and all; set "
         "background.method to mesh, threshold_unit to sigma, or, if the sky has been subtracted, "
         "detection.reference to zero";
}

std::string seed_problem(const DetectionConfig& config) {
  if (config.seed == 0) return "";
  if (controls_false_discoveries(config)) return config.seed > 0 ? "" : "must be above 0, in units of the noise; or 0";
  if (config.threshold_unit == ThresholdUnit::mag_per_arcsec2)
    return config.seed < config.threshold
               ? ""
               : "must be brighter than detection.threshold, that is less, down to which sources reach; or 0";
  return config.seed > config.threshold ? ""
                                        : "must be greater than detection.threshold, down to which sources reach; or 0";
}

std::string max_area_problem(const DetectionConfig& config) {
  if (config.max_area == 0 || config.max_area >= config.min_area) return "";
  const std::string least = std::to_string(config.min_area);
  return "must be 0, or at least detection.min_area (" + least +
         "): no source has as many pixels as that and no more than this";
}

namespace {

/// Whether the threshold is at or below the sky level, so that a source need not have a positive flux. False if only
/// the image tells the sky level in units of the threshold.
bool may_be_below_sky(const Settings& config) {
  const DetectionConfig& detection = config.detection;
  const bool above_sky = config.background.method == BackgroundMethod::mesh || detection.reference == Baseline::zero;
  return above_sky && !(detection.threshold > 0) && detection.threshold_unit == ThresholdUnit::absolute;
}

}  // namespace

std::string deblend_method_problem(const Settings& config) {
  if (config.deblend.method == DeblendMethod::none) return "";
  return may_be_below_sky(config)
             ? "is tree, whose levels rise from the threshold by factors, and detection.threshold is not above 0; "
               "raise it, or set method to none"
             : "";
}

std::string deblend_clean_problem(const Settings& config) {
  if (!config.deblend.clean) return "";
  return may_be_below_sky(config) ? "is true, which takes sources for profiles that rise from the threshold, and "
                                    "detection.threshold is not above 0; raise it, or set clean to false"
                                  : "";
}

std::string false_discovery_problem(const Settings& config) {
  const DetectionConfig& detection = config.detection;
  if (!controls_false_discoveries(detection)) return "";
  constexpr double least = 1e-6;
  if (!(detection.false_discovery_rate >= least && detection.false_discovery_rate < 1))
    return "must be 0, or a share from 1e-6 to below 1, as 0.01 for one pixel in a hundred";
  if (!counts_in_sigmas(detection))
    return "counts in the noise of a pixel; set detection.threshold_unit to sigma or detection_sigma, or the "
           "rate to 0";
  return config.convolve.convolves() && detection.threshold_unit == ThresholdUnit::sigma
             ? "counts in the noise of a pixel, and pixels of a convolved image have another noise; set "
               "detection.threshold_unit to detection_sigma, or convolve.filter to matched"
             : "";
}

std::string correlated_pixels_use(const DetectionConfig& config) {
  return config.correlated_pixels == 0 || controls_false_discoveries(config)
             ? ""
             : "has no use without detection.false_discovery_rate";
}

std::string filter_use(const ConvolveConfig& config) {
  return config.filter == Filter::convolution || config.kernel != KernelShape::none
             ? ""
             : "is matched, which needs a kernel: set convolve.kernel";
}

std::string filter_problem(const Settings& config) {
  if (config.convolve.filter == Filter::convolution) return "";
  if (config.convolve.edges != Edges::zero)
    return "is matched, and knows no pixels beyond the edges; set convolve.edges to zero";
  if (!counts_in_sigmas(config.detection))
    return "is matched, whose result is in units of its own noise; set detection.threshold_unit to sigma";
  if (config.detection.reference == Baseline::zero)
    return "is matched, which filters the image above its sky; set detection.reference to background";
  return "";
}

}  // namespace srcextract::config
