#pragma once

#include <algorithm>

#include "config/config.hpp"
#include "pipeline/chain/detect_sources.hpp"
#include "pipeline/chain/step.hpp"
#include "stages/photometry/families.hpp"

namespace srcextract {

/// Parts of an extraction before the detection: from files to the pixels in which sources are found.

struct CombinePlanes {
  static constexpr const char* name = "combine";
  static bool used(const Plan& plan) { return plan.config.combine.method != CombineMethod::none; }
  static KeptImages keeps(const Plan& plan) { return {.host = plan.planes, .device = plan.planes}; }
  static RowsAtOnce rows(const Plan& plan) { return plan.planes; }
};

struct ApplyMask : ByRows<1> {
  static constexpr const char* name = "mask";
  static bool used(const Plan& plan) { return has_mask(plan.config.mask); }
  static KeptImages keeps(const Plan&) { return {.host = 1, .device = 1}; }
};

struct ApplyWeights {
  static constexpr const char* name = "weights";
  static bool used(const Plan& plan) { return has_map(plan.config.weights); }
  /// The map, and in some configurations the image before the map masked pixels. The host keeps the map for check
  /// images; a device needs the memory while it estimates the map's scale.
  static KeptImages keeps(const Plan& plan) {
    const std::int64_t map = keeps_pixels(plan.config.weights) ? 2 : 1;
    return {.host = map, .device = map};
  }
  static RowsAtOnce rows(const Plan& plan) { return keeps_pixels(plan.config.weights) ? 3 : 2; }
};

struct SubtractGivenLevel : ByRows<1> {
  static constexpr const char* name = "level";
  static bool used(const Plan& plan) { return has_level(plan.config.given_sky); }
  static KeptImages keeps(const Plan&) { return {.host = 1, .device = 1}; }
};

struct SubtractReference : InOnePiece {
  static constexpr const char* name = "difference";
  static bool used(const Plan& plan) { return plan.of_difference(); }
  /// The reference and the new frame. With a gain also the noise of the difference, and the difference divided by that
  /// noise. A device also keeps the results of the steps align, match_width, weigh and variance.
  static KeptImages keeps(const Plan& plan) {
    return {.host = plan.may_have_gain() ? 4 : 2, .device = 6 + plan.reference_planes};
  }
};

struct FitKernel : InOnePiece {
  static constexpr const char* name = "fit_kernel";
  static bool used(const Plan& plan) { return plan.fits_kernel(); }
  /// The noise of the difference, and the sums over the stars' cut-outs. A device also has light and variance of a
  /// frame; for a device, the host fits the kernel to copies of both frames.
  static KeptImages keeps(const Plan&) { return {.host = 2, .device = 5}; }
};

/// The convolution that makes the score image of a difference. Plan::is_scored() is known only after the file is
/// opened; before, this part counts the memory of a score image.
struct FilterByStars : InOnePiece {
  static constexpr const char* name = "score";
  static bool used(const Plan& plan) { return plan.fits_kernel() && !plan.is_filtered(); }
  static KeptImages keeps(const Plan& plan) { return Convolve::keeps(plan); }
};

struct ReadMapsOfFrames : InOnePiece {
  static constexpr const char* name = "noise of frames";
  static bool used(const Plan& plan) { return plan.frames_have_maps; }
  /// The weight maps of both frames, two images of the difference's noise, and the difference divided by its noise.
  static KeptImages keeps(const Plan&) { return {.host = 5, .device = 5}; }
};

struct KeepFramesOfStars : InOnePiece {
  static constexpr const char* name = "stars of frames";
  static bool used(const Plan& plan) {
    return plan.fits_kernel() && ColumnChoice(plan.config.output.columns).needs(StarFramesFamily::name);
  }
  /// The matched reference, the noise of both frames, and the reference minus its sky mesh.
  static KeptImages keeps(const Plan&) { return {.host = 4, .device = 4}; }
};

using ReadingParts = PartList<CombinePlanes, ApplyMask, ApplyWeights, SubtractGivenLevel, SubtractReference, FitKernel,
                              FilterByStars, ReadMapsOfFrames, KeepFramesOfStars>;

/// Dual-image mode: the image in which sources were found. Whether it goes by rows, its own plan says.
struct KeepDetectionImage : ByRows<0> {
  static constexpr const char* name = "detection image";
  static bool used(const Plan& plan) { return plan.found_in != nullptr; }
  /// The image and its filtered copy; its weight map; image and weights with gaps filled; and on the host the planes
  /// that are combined. A device also keeps the filtered image and the image minus the mesh.
  static KeptImages keeps(const Plan& plan) {
    const WeightsConfig& weights = plan.config.weights;
    const std::int64_t map = has_map(weights) ? 1 + (keeps_pixels(weights) ? 2 : 1) : 0;
    const std::int64_t found = 2 + map + (interpolates(weights) ? 2 : 0);
    const bool combines = plan.found_in->combine.method != CombineMethod::none;
    return {.host = found + (combines ? plan.found_planes : 0),
            .device = found + (plan.is_filtered() ? 1 : 0) + (plan.has_mesh() ? 1 : 0)};
  }
};

/// Parts beside and after the detection.

struct FindFainterSide : ByRows<1> {
  static constexpr const char* name = "fainter side";
  static bool used(const Plan& plan) { return plan.extracts_twice(); }
  /// Check images of the first extraction, which are kept during the second.
  static KeptImages keeps(const Plan& plan) {
    return {.host = (plan.shows_pixels() ? 2 : 0) + (plan.shows_variance() ? 2 : 0)};
  }
};

struct FitCrowd : InOnePiece {
  static constexpr const char* name = "crowd";
  static bool used(const Plan& plan) { return fits_crowd(plan.config); }
  /// Model, residual and weights; three images of significance; and which pixels are good. The host also has two copies
  /// of the image.
  static KeptImages keeps(const Plan&) { return {.host = 9, .device = 7}; }
};

struct MakePsf : KeepsNothing, InOnePiece {
  static constexpr const char* name = "psf";
  static bool used(const Plan& plan) { return plan.config.psf.method == PsfMethod::fit; }
};

struct MeasureLocalSky : ByRows<0> {
  static constexpr const char* name = "local sky";
  static bool used(const Plan& plan) { return FrameSkyFamily::is_known(plan.config) && cleans_sources(plan.config); }
  /// The map of owners with the pixels of sources that CLEAN merged into others.
  static KeptImages keeps(const Plan&) { return {.host = 1, .device = 1}; }
};

struct MeasureApertureNoise : InOnePiece {
  static constexpr const char* name = "aperture noise";
  static bool used(const Plan& plan) { return plan.measures_aperture_noise(); }
  /// Copies of the image and of its variance. Empty apertures are measured on the host for both back ends.
  static KeptImages keeps(const Plan& plan) {
    return {.host = has_map(plan.config.weights) || plan.of_difference() ? 2 : 1};
  }
};

struct ShowPixels : ByRows<0> {
  static constexpr const char* name = "check images";
  static bool used(const Plan& plan) { return plan.shows_pixels(); }
  /// The image minus the sky, and the filtered image.
  static KeptImages keeps(const Plan&) { return {.host = 2}; }
};

struct FitGaussians : InOnePiece {
  static constexpr const char* name = "gaussians";
  static bool used(const Plan& plan) { return fits_gaussians(plan.config); }
  /// Of a cube: a plane minus its sky, and the plane without its sources.
  static KeptImages keeps(const Plan& plan) { return {.host = measures_cube(plan.config) ? 2 : 0}; }
};

struct FitGalaxies : InOnePiece {
  static constexpr const char* name = "galaxies";
  static bool used(const Plan& plan) { return fits_galaxies(plan.config); }
  /// The variance of each pixel, the map of owners, the sum of the models, and their stamps.
  static KeptImages keeps(const Plan&) { return {.host = 4}; }
};

struct KeepFrames : InOnePiece {
  static constexpr const char* name = "cut-outs of frames";
  static bool used(const Plan& plan) { return plan.of_difference() && plan.config.output.cuts_frames(); }
  /// Copies of both frames.
  static KeptImages keeps(const Plan&) { return {.host = 2}; }
};

struct WriteAlerts : InOnePiece {
  static constexpr const char* name = "alerts";
  static bool used(const Plan& plan) { return !plan.config.output.alerts.empty(); }
  /// The map of owners.
  static KeptImages keeps(const Plan& plan) {
    return MeasurePhotometry::used(plan) ? KeptImages{} : KeptImages{.host = 1, .device = 1};
  }
};

struct InjectCopies : InOnePiece {
  static constexpr const char* name = "completeness";
  static bool used(const Plan& plan) { return plan.config.output.report_copies > 0; }
  /// The image without the copies of its stars, and the image with them.
  static KeptImages keeps(const Plan&) { return {.host = 2}; }
};

using FurtherParts =
    PartList<KeepDetectionImage, FindFainterSide, FitCrowd, MakePsf, MeasureLocalSky, MeasureApertureNoise, ShowPixels,
             FitGaussians, FitGalaxies, KeepFrames, WriteAlerts, InjectCopies>;

/// All parts of an extraction that keep images or decide whether it goes by rows.
using AllParts = JoinedList<ReadingParts, DetectionSteps, FurtherParts>;

}  // namespace srcextract
