#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/core/runs.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/crowd/crowd_fit.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/difference/fit/fit_facts.hpp"
#include "stages/fit/fit_islands.hpp"
#include "stages/ingest/decode.hpp"
#include "stages/measure/aperture_noise.hpp"
#include "stages/measure/saturation.hpp"
#include "stages/picture/picture.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// How the frames of a difference compare.
struct DifferenceFacts {
  Statistics reference, fresh;  ///< clipped sky of each frame after their widths were matched; not used if the kernel
                                ///< was fitted
  std::int64_t ratios = 0;      ///< number of bright pixels from which the brightness ratio of the frames was derived
  double scale = 1;             ///< factor of the reference
  std::optional<FitFacts> fit = std::nullopt;  ///< set if the kernel was fitted
  double star_noise = 0;  ///< error of a faint star's flux, in noise of one pixel, if the kernel was fitted
};

/// Level of a sky that the user gave, over unmasked pixels. Exact, except that the middle of a map is the median of a
/// sample.
struct GivenLevel {
  double middle = 0, least = 0, most = 0;
};

/// The image in which sources were found, if another was measured.
struct FoundIn {
  Background background;
  Levels levels;
  MaskCounts masked;
};

/// Both frames of a difference, on the pixels of the new frame, before brightness and widths are matched.
struct FramesAsRead {
  Image<float, Cpu> reference, fresh;
};

/// Data for check images and other outputs, on the host. Images are kept only if an output or a fit needs them.
struct CheckData {
  SkyMesh<Cpu> mesh;           ///< set if the background is a mesh
  Image<float, Cpu> above;     ///< the image above its sky
  Image<float, Cpu> filtered;  ///< image in which sources were found, if it differs
  Image<float, Cpu> level;     ///< level of the sky, if it was given
  Image<float, Cpu> variance;  ///< of each pixel, from a map of weights, in units of levels.noise_scale squared
  /// The foreground before and after morphology, for each side of the sky that was searched.
  std::vector<Runs<Cpu>> thresholded, reshaped;
};

/// Results of the pipeline, on the host.
struct Extraction {
  Sources sources;
  Background background;
  Levels levels;
  std::int64_t masked_nan = 0, masked_infinite = 0, masked_blank = 0, masked_weight = 0, masked_mask = 0,
               masked_level = 0;

  std::int64_t masked() const {
    return masked_nan + masked_infinite + masked_blank + masked_weight + masked_mask + masked_level;
  }

  std::int64_t detected = 0;  ///< number of components before min_area
  Runs<Cpu> runs;             ///< runs of the segmentation, labelled by `label`; kept only if an output needs them
  Buffer<std::int32_t, Cpu> label;
  CheckData check;                              ///< set if an output or a fit needs it
  std::vector<BrightPixel> brightest;           ///< the brightest pixel of every source, or of the first sources only,
                                                ///< for the check of saturation
  std::optional<Picture> picture;               ///< set if output.quicklook asks for one
  std::optional<DifferenceFacts> difference;    ///< set if a reference was subtracted
  std::optional<FramesAsRead> frames;           ///< set if output.alerts asks for cut-outs of a difference
  std::optional<ApertureNoise> aperture_noise;  ///< noise of sums over empty apertures of the measured image, if
                                                ///< measurement.noise asks for it
  std::optional<FittedIslands> fitted;          ///< set if fit.model asks for Gaussians
  std::optional<CrowdFit> crowd;                ///< result of fitting all stars, if crowd.method asks for it; has
                                                ///< pixels only for check images
  std::optional<FoundIn> found_in;  ///< set if there is a detection image; the other members are of the measured image
  /// Set if the user gave the sky's level, which was subtracted. `background` and `levels` then describe the image
  /// minus that level.
  std::optional<GivenLevel> given_level;

  /// The level of the whole sky in one number: the given level's middle, else the clipped median.
  double sky_level() const { return given_level ? given_level->middle : background.clipped.median; }
};

void record_fields(const Extraction& extraction, FieldRecorder& to);

/// Joins the extractions of sources brighter than the sky and of fainter ones, or of changes in both directions. SIGN
/// is 1 or -1; fainter sources come last. `fainter` was found in the negated image; only its sources and their pixels
/// are used, and none is saturated. If the threshold is lower than the error of the sky, one pixel may belong to
/// sources of both sides. The segmentation then gives it to the source whose run begins first.
Extraction join_sides(Extraction brighter, Extraction fainter);

/// Like join_sides, without the brighter sources.
Extraction leave_fainter(Extraction brighter, Extraction fainter);

/// Gives sources found in the negated image the BACKGROUND of the original image, by negating that column.
void turn_backgrounds(Sources& sources);

}  // namespace srcextract
