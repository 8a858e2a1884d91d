#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/core/runs.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/ingest/decode.hpp"
#include "stages/measure/aperture_noise.hpp"
#include "stages/measure/saturation.hpp"
#include "stages/picture/picture.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// How the frames of a difference compared.
struct DifferenceFacts {
  Statistics reference, fresh;  ///< their skies, after the clip and as wide as each other
  std::int64_t ratios = 0;      ///< bright pixels that told the ratio of their brightness
  double scale = 1;             ///< what the reference was multiplied by
};

/// The level of a sky that was given, over the pixels that it does not mask: exact but for the middle of a map, which
/// is the median of a sample of it.
struct GivenLevel {
  double middle = 0, least = 0, most = 0;
};

/// The image in which sources were found, where another was measured.
struct FoundIn {
  Background background;
  Levels levels;
  MaskCounts masked;
};

/// What check images are made of, on the host; of pixels only those that some are asked for of.
struct CheckData {
  SkyMesh<Cpu> mesh;           ///< if the background is one
  Image<float, Cpu> above;     ///< the image above its sky
  Image<float, Cpu> filtered;  ///< in which sources were found, if it is another
  Image<float, Cpu> level;     ///< of the sky, if it was given
  Image<float, Cpu> variance;  ///< of every pixel, where a map of weights tells it, up to levels.noise_scale
};

/// What the pipeline leaves behind, on the host.
struct Extraction {
  Sources sources;
  Background background;
  Levels levels;
  std::int64_t masked_nan = 0, masked_infinite = 0, masked_blank = 0, masked_weight = 0, masked_mask = 0,
               masked_level = 0;

  std::int64_t masked() const {
    return masked_nan + masked_infinite + masked_blank + masked_weight + masked_mask + masked_level;
  }

  std::int64_t detected = 0;  ///< components before min_area
  Runs<Cpu> runs;             ///< with `label`, the segmentation; kept only if something asks for it
  Buffer<std::int32_t, Cpu> label;
  CheckData check;                              ///< if check images are asked for
  std::vector<BrightPixel> brightest;           ///< pixel of sources that may be saturated: all, or the first of them
  std::optional<Picture> picture;               ///< if output.quicklook asks for one
  std::optional<DifferenceFacts> difference;    ///< if a reference was subtracted
  std::optional<ApertureNoise> aperture_noise;  ///< if measurement.noise asks for it; of the image that is measured
  std::optional<FoundIn> found_in;  ///< if there is a detection image; all else is of the one that is measured
  /// If the sky's level was given, and subtracted: then `background` and `levels` are those of what is above it.
  std::optional<GivenLevel> given_level;

  /// The level of the sky in one number, as a pixel has it.
  double sky_level() const { return given_level ? given_level->middle : background.clipped.median; }
};

void record_fields(const Extraction& extraction, FieldRecorder& to);

/// One extraction of what is brighter than the sky and what is fainter, or of what became so: SIGN tells them apart,
/// and what is fainter comes after what is brighter. `fainter` was found in the negated image; of it there are the
/// sources and their pixels alone, none of which is saturated. Where the threshold is lower than the error of the sky,
/// so that a pixel is in both, the segmentation has it in the one whose run begins first.
Extraction join_sides(Extraction brighter, const Extraction& fainter);

/// The same without the sources that are brighter.
Extraction leave_fainter(Extraction brighter, Extraction fainter);

/// Gives sources that were found in the negated image the BACKGROUND of the image.
void turn_backgrounds(Sources& sources);

}  // namespace srcextract
