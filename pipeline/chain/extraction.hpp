#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "config/config.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/core/runs.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/crowd/crowd_fit.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/difference/fit/fit_facts.hpp"
#include "stages/fit/fit_islands.hpp"
#include "stages/galaxy/fitted_galaxies.hpp"
#include "stages/ingest/decode.hpp"
#include "stages/measure/aperture_noise.hpp"
#include "stages/measure/saturation.hpp"
#include "stages/measure/shared_noise.hpp"
#include "stages/picture/picture.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// How the two frames of a difference image compare.
struct DifferenceFacts {
  Statistics reference, fresh;  ///< sky of each frame, clipped, after the widths of the stars were matched; not set if
                                ///< the kernel was fitted
  std::int64_t ratios = 0;  ///< number of bright pixels from which the brightness ratio of the frames was derived; 0 if
                            ///< the kernel was fitted or difference.match_flux is false
  double scale = 1;         ///< factor by which the reference was multiplied before subtraction
  std::optional<FitFacts> fit = std::nullopt;  ///< set if the kernel was fitted
  double star_noise =
      0;  ///< error of a faint star's flux divided by the noise of one pixel; 0 unless the kernel was fitted
};

/// Level of a sky map that the user gave: median, minimum and maximum over unmasked pixels. The values are exact,
/// except that the median of a map is taken over a sample of its pixels.
struct GivenLevel {
  double middle = 0, least = 0, most = 0;
};

/// Dual-image mode: sky, levels and mask counts of the image in which sources were found.
struct FoundIn {
  Background background;
  Levels levels;
  MaskCounts masked;
};

/// Both frames of a difference on the pixel grid of the new frame, before brightness and star widths are matched.
struct FramesAsRead {
  Image<float, Cpu> reference, fresh;
};

/// Data in host memory for check images and other outputs. An image is kept only if an output or a fit needs it, and
/// else is empty.
struct CheckData {
  SkyMesh<Cpu> mesh;           ///< empty if the sky is one level
  Image<float, Cpu> above;     ///< the image minus its sky
  Image<float, Cpu> filtered;  ///< image in which sources were found; empty if that is the measured image
  Image<float, Cpu> level;     ///< sky level that the user gave; empty if none was given
  Image<float, Cpu>
      variance;  ///< variance of each pixel from a weight map, to be multiplied by levels.noise_scale squared
  /// Foreground before and after the morphological operation. One element per extraction: a second for sources fainter
  /// than the sky.
  std::vector<Runs<Cpu>> thresholded, reshaped;
};

/// Results of the pipeline for one image, in host memory.
struct Extraction {
  Sources sources;
  Background background;
  Levels levels;
  MaskCounts masked;
  std::int64_t detected = 0;  ///< number of components before those smaller than min_area are dropped
  Runs<Cpu> runs;  ///< runs of the segmentation, whose labels are in `label`; empty unless an output needs them
  Buffer<std::int32_t, Cpu> label;
  CheckData check;                     ///< filled if an output or a fit needs it
  std::vector<BrightPixel> brightest;  ///< brightest pixel of each source, for the warning about saturation; may cover
                                       ///< only the first sources
  std::optional<Picture> picture;      ///< set if output.quicklook is true
  std::optional<DifferenceFacts> difference;    ///< set if a reference was subtracted
  std::optional<FramesAsRead> frames;           ///< set if an output has cut-outs of both frames of a difference
  std::optional<ApertureNoise> aperture_noise;  ///< noise of sums over empty apertures of the measured image; set if
                                                ///< measurement.noise is `apertures`
  /// How much noise pixels share, as the filtered image tells; set if thresholds count in its noise, mesh by mesh
  std::optional<SharedNoise> shared_noise;
  /// The extraction of the negated image, to which Gaussians are fitted; null if no fit needs it.
  std::unique_ptr<Extraction> negated;
  std::optional<FittedIslands> fitted;     ///< set if fit.model is `gaussians`
  std::optional<FittedGalaxies> galaxies;  ///< set if model.fit is not `none`
  std::optional<CrowdFit> crowd;    ///< result of fitting all stars at once, if crowd.method asks for that; contains
                                    ///< images only if check images or the report show them
  std::optional<FoundIn> found_in;  ///< set in dual-image mode; the other members are of the measured image
  /// Set if the user gave the level of the sky, which was subtracted from the image. `background` and `levels` then
  /// describe the image after that subtraction.
  std::optional<GivenLevel> given_level;

  /// The sky level of the whole image as one number: the median of the given level, else the clipped median of the
  /// image.
  double sky_level() const { return given_level ? given_level->middle : background.clipped.median; }
};

void record_fields(const Extraction& extraction, FieldRecorder& to);

/// Joins two extractions of an image: sources brighter than the sky, and fainter sources found in the negated image. In
/// a difference image these are changes in both directions.
///
/// The column SIGN is 1 for brighter and -1 for fainter sources, which come last. Of `fainter`, only sources and their
/// pixels are used; none of them counts as saturated.
///
/// If the threshold is lower than the error of the sky level, a pixel may be in sources of both extractions. The
/// segmentation then gives the pixel to the source whose run begins first.
Extraction join_sides(Extraction brighter, Extraction fainter);

/// Returns the result of join_sides() with only the fainter sources. All members that are not about sources come from
/// `brighter`.
Extraction leave_fainter(Extraction brighter, Extraction fainter);

/// Returns the result of join_sides() or, with detection.sign negative, of leave_fainter(). If Gaussians are fitted,
/// keeps of `fainter` what their fit needs.
Extraction join_signs(Extraction brighter, Extraction fainter, const Config& config);

/// Negates the column BACKGROUND of sources that were found in the negated image. BACKGROUND is then the sky of the
/// original image.
void turn_backgrounds(Sources& sources);

}  // namespace srcextract
