#pragma once

#include <cstdint>
#include <optional>

#include "stages/catalogue/sources.hpp"
#include "stages/core/runs.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/picture/picture.hpp"
#include "stages/sky/background.hpp"

namespace srcextract {

/// How the frames of a difference compared.
struct DifferenceFacts {
  Statistics reference, fresh;  ///< their skies, after the clip and as wide as each other
  std::int64_t ratios = 0;      ///< bright pixels that told the ratio of their brightness
  double scale = 1;             ///< what the reference was multiplied by
};

/// What the pipeline leaves behind, on the host.
struct Extraction {
  Sources sources;
  Background background;
  Levels levels;
  std::int64_t masked_nan = 0, masked_infinite = 0, masked_blank = 0;
  std::int64_t detected = 0;  ///< components before min_area
  Runs<Cpu> runs;             ///< with `label`, the segmentation; kept only if an output shows it
  Buffer<std::int32_t, Cpu> label;
  std::optional<Picture> picture;             ///< if output.quicklook asks for one
  std::optional<DifferenceFacts> difference;  ///< if a reference was subtracted
};

void record_fields(const Extraction& extraction, FieldRecorder& to);

/// One extraction of what became brighter and what became fainter: SIGN tells them apart, and what became fainter comes
/// after what became brighter. `fainter` was found in the negated difference; its statistics are left out.
Extraction join_sides(Extraction brighter, const Extraction& fainter);

}  // namespace srcextract
