#pragma once

#include <cstdint>

#include "stages/core/stage_record.hpp"

namespace srcextract {

struct SkyLevel {
  double median = 0, sigma = 0;
};

/// Facts about the fit of two frames, for the report.
struct FitFacts {
  SkyLevel reference_sky, new_sky;
  bool convolved_new = false;
  double reference_fwhm = 0, new_fwhm = 0;  ///< full width at half maximum of the stars, in pixels
  int half_width = 0;                       ///< half width of the kernel in pixels
  int kernel_order = 0, flux_order = 0, background_order = 0;
  std::int64_t candidates = 0, refused = 0, stamps = 0, used = 0;
  int iterations = 0;
  double condition = 0;
  double mean_sum = 0, least_sum = 0, most_sum = 0;  ///< mean, least and largest sum of the kernel over the field
  /// Position of the stars in the new frame minus position in the reference, in pixels.
  double shift_x = 0, shift_y = 0;
  /// In counts of the frame that is not convolved.
  double mean_background = 0, least_background = 0, most_background = 0;
  /// Median and 95th percentile of StampFit::chi over the used stamps (squares of pixels around stars).
  double chi_median = 0, chi_p95 = 0;
  double reference_pile_up = 0, new_pile_up = 0;  ///< FrameLevel::pile_up
  /// StarResidual::variance: ratio of the measured variance of pixels of bright stars to the variance expected from sky
  /// and gain.
  double star_variance = 1;
  double residual = 0;  ///< StarResidual::share: fraction of a star's light that the model misses
  /// Number of stars from which the shape of a star was made, and order of its polynomial over the field.
  int profile_stars = 0, profile_order = 0;
  double profile_error = 0;        ///< StarView::scale_error
  double profile_spread = 0;       ///< how much the stars' cores differ from that shape; a quarter differs by more
  double profile_ellipticity = 0;  ///< FrameStars::ellipticity()
  bool of_psf = false;             ///< whether the shape is that of FrameLight::psf
  bool of_crowd = false;           ///< whether the shape is that of profile_of_crowd()
  bool crowded = false;            ///< FrameStars::is_crowd()
  bool crowd_varies = false;       ///< whether of_crowd, though the widths of stars differ over the field
  double correlation = 1;          ///< StarView::correlation
  double sky_variance = 0;         ///< expected variance of the difference, in (counts of the new frame)^2
};

inline void record_fields(const FitFacts& facts, FieldRecorder& to) {
  to.value("sky of the reference", facts.reference_sky.median);
  to.value("noise of the reference", facts.reference_sky.sigma);
  to.value("sky of the new frame", facts.new_sky.median);
  to.value("noise of the new frame", facts.new_sky.sigma);
  to.value("convolves the new frame", facts.convolved_new);
  to.value("half width of the kernel", facts.half_width);
  to.value("stamps", facts.stamps);
  to.value("stamps used", facts.used);
  to.value("rounds of the fit", facts.iterations);
  to.value("condition", facts.condition);
  to.value("sum of the kernel", facts.mean_sum);
  to.value("shift in x", facts.shift_x);
  to.value("shift in y", facts.shift_y);
  to.value("background of the fit", facts.mean_background);
  to.value("chi of the stamps", facts.chi_median);
  to.value("pile-up of the reference", facts.reference_pile_up);
  to.value("pile-up of the new frame", facts.new_pile_up);
  to.value("variance of stars", facts.star_variance);
  to.value("residual of stars", facts.residual);
  to.value("stars of the profile", facts.profile_stars);
  to.value("error of the profile", facts.profile_error);
  to.value("correlation of the filtered sky", facts.correlation);
  to.value("expected variance of the sky", facts.sky_variance);
}

}  // namespace srcextract
