#pragma once

#include <cstdint>
#include <optional>

#include "config/config.hpp"
#include "stages/core/exposure.hpp"

namespace srcextract {

/// What a configuration means for one image. Steps read their own section of the configuration and the plan, so each
/// question about several sections is answered here, once.
///
/// A Config alone is the plan of an image of which nothing else is known.
struct Plan {
  Plan(const Config& of) : config(of) {}  // NOLINT(google-explicit-constructor): a Config is a plan
  Plan(const Config&& of) = delete;       // a plan refers to its configuration

  const Config& config;
  Shape shape;
  std::int64_t planes = 1;            ///< number of planes that are combined into the image; 1 if none are combined
  std::int64_t reference_planes = 0;  ///< number of the reference's planes; 0: no reference is subtracted
  const Config* found_in = nullptr;   ///< configuration of the detection image; null: there is none
  std::int64_t found_planes =
      1;  ///< number of planes that are combined into the detection image; 1 if none are combined
  bool frames_have_maps = false;  ///< whether a frame of a difference has a weight map
  bool compares =
      false;  ///< whether both back ends extract the image and keep the results of every stage for a comparison
  std::int64_t beside =
      0;  ///< bytes of host memory that the caller counts for files and maps, in addition to the extraction

  /// Properties of the image that are known after its pixels were read.
  struct Known {
    bool variance = false;   ///< whether a weight map gives each pixel's variance
    bool noise = false;      ///< whether the noise of a difference varies from pixel to pixel
    bool on_demand = false;  ///< whether rows of images are computed each time a step reads them
    /// Whether sources were found in another image than the measured one, by steps that ran before; null: the plan says
    std::optional<bool> detection_image = std::nullopt;
  };
  std::optional<Known> known = std::nullopt;

  bool of_difference() const { return reference_planes > 0; }
  /// Whether the kernel that matches the frames of a difference is fitted to their stars.
  bool fits_kernel() const { return of_difference() && config.difference.kernel == MatchingKernel::fitted; }

  /// Whether the image is searched twice, for sources brighter and fainter than the sky. The image then must be kept
  /// until the second search.
  bool extracts_twice() const { return of_difference() || config.detection.sign != DetectionSign::positive; }

  bool has_mesh() const { return config.background.method == BackgroundMethod::mesh; }
  /// Whether the mesh is estimated a second time, without sources.
  bool refines_mesh() const { return has_mesh() && has_second_pass(config.background); }

  /// Whether a weight map gives each pixel's variance, up to a factor.
  bool has_variance() const { return known ? known->variance : has_map(config.weights); }
  /// Whether the factor of these variances is estimated from the image.
  bool scales_variance() const { return has_variance() && is_rescaled(config.weights); }
  /// Whether masked gaps are filled by interpolation.
  bool interpolates() const { return has_variance() && srcextract::interpolates(config.weights); }
  /// Whether a difference is divided by its noise before sources are found. Before the pixels are read: whether it may
  /// be.
  bool weighs() const { return known ? known->noise : of_difference() && (may_have_gain() || frames_have_maps); }
  bool may_have_gain() const { return config.measurement.gain > 0 || config.measurement.gain_keyword != "none"; }
  /// Whether thresholds are multiples of the noise that the background mesh gives for each pixel.
  bool noise_varies() const {
    return has_mesh() && config.weights.type == WeightType::background && counts_in_sigmas(config.detection);
  }

  /// Whether sources in a difference are found on the score image. Its filter is the shape of the stars. The kernel of
  /// the section `convolve` is not used then.
  bool is_scored() const {
    return config.resources.has_star_profile && config.difference.detect_on == DetectOn::score &&
           counts_in_sigmas(config.detection);
  }
  /// Whether the image is filtered before sources are found.
  bool is_filtered() const { return config.convolve.filters() || is_scored(); }
  /// Whether the filter is a matched filter, which weights each pixel by the inverse of its variance.
  bool is_matched() const { return config.convolve.is_matched() && !is_scored(); }
  /// Whether variances are convolved with the image's filter. Thresholds then follow the noise of the filtered image.
  bool convolves_variance() const {
    return has_variance() && config.weights.convolve && config.convolve.convolves() &&
           counts_in_sigmas(config.detection);
  }
  /// Whether sources are found in another image than the measured one: an image divided by its noise, or filtered.
  bool has_detection_image() const {
    return known && known->detection_image ? *known->detection_image : makes_detection_image();
  }
  bool makes_detection_image() const { return weighs() || is_filtered(); }
  /// Whether thresholds are multiples of the noise in the detection image instead of the noise in the measured image.
  /// False for the matched filter, whose noise is measured separately (filter_noise).
  bool counts_in_own_noise() const {
    return config.detection.threshold_unit == ThresholdUnit::detection_sigma && !is_matched() &&
           makes_detection_image();
  }

  bool divides() const { return config.deblend.method != DeblendMethod::none; }
  bool analyses() const { return config.detection.analysis_threshold != 0; }

  /// Whether the noise of fluxes is measured in empty apertures.
  bool measures_aperture_noise() const { return config.measurement.noise == NoiseOfSums::apertures; }

  /// Whether the segmentation is kept: for an output, a map of flags, a fit of Gaussians or galaxies, or because the
  /// caller set Config::Kept::segmentation.
  bool keeps_segmentation() const;
  /// Whether outputs or a fit of Gaussians or galaxies need images, besides the catalogue.
  bool keeps_images() const;
  /// Whether an output or a fit of Gaussians or galaxies needs pixel values. If so, `found.above` and `found.image`
  /// must be in host memory when make_catalog() is called. If the sky is one level, `found.above` must be the image
  /// before that level is subtracted; make_catalog() subtracts it.
  bool shows_pixels() const;
  /// Whether a check image shows the pixels above the threshold. If so, make_catalog() needs the runs before the
  /// morphological operation and before deblending in host memory.
  bool shows_foreground() const;
  /// Whether an output or a fit of Gaussians or galaxies needs the noise from a weight map, or the caller set
  /// Config::Kept::sky and there is such a map. The caller then fills CheckData::variance.
  bool shows_variance() const;
};

Plan plan_of(const Exposure& exposure, const Config& config);

/// The plan of an image whose file is not opened yet. If the configuration does not name the planes to combine, their
/// number is guessed. `found_in`: configuration of the detection image; null: there is none.
Plan plan_of(const Shape& shape, const Config& config, bool of_difference, const Config* found_in = nullptr);

}  // namespace srcextract
