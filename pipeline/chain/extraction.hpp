#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/core/runs.hpp"
#include "stages/core/stage_record.hpp"
#include "stages/detect/threshold.hpp"
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

/// What check images are made of, on the host; of pixels only those that some are asked for of.
struct CheckData {
  SkyMesh<Cpu> mesh;           ///< if the background is one
  Image<float, Cpu> above;     ///< the image above its sky
  Image<float, Cpu> filtered;  ///< in which sources were found, if it is another
};

/// What the pipeline leaves behind, on the host.
struct Extraction {
  Sources sources;
  Background background;
  Levels levels;
  std::int64_t masked_nan = 0, masked_infinite = 0, masked_blank = 0, masked_weight = 0, masked_mask = 0;

  std::int64_t masked() const { return masked_nan + masked_infinite + masked_blank + masked_weight + masked_mask; }

  std::int64_t detected = 0;  ///< components before min_area
  Runs<Cpu> runs;             ///< with `label`, the segmentation; kept only if something asks for it
  Buffer<std::int32_t, Cpu> label;
  CheckData check;                            ///< if check images are asked for
  std::vector<float> brightest;               ///< pixel of every source, if one may be saturated
  std::optional<Picture> picture;             ///< if output.quicklook asks for one
  std::optional<DifferenceFacts> difference;  ///< if a reference was subtracted
};

void record_fields(const Extraction& extraction, FieldRecorder& to);

/// One extraction of what became brighter and what became fainter: SIGN tells them apart, and what became fainter comes
/// after what became brighter. `fainter` was found in the negated difference; its statistics are left out.
Extraction join_sides(Extraction brighter, const Extraction& fainter);

}  // namespace srcextract
