#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/field.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(ThresholdUnit) {
  return {"sigma", "absolute", "detection_sigma"};
}
inline std::vector<std::string> names_of(Baseline) {
  return {"background", "zero"};
}

}  // namespace srcextract

namespace srcextract::config {

/// The keys of the section `detection`.
template <MaybeConst<Config> AnyConfig, class F>
void for_each_detection_field(AnyConfig& c, F&& f) {
  const Section section{"detection", "Which pixels belong to sources, and which pixels belong together"};
  f(Field{.section = section,
          .key = "threshold",
          .description = "A pixel belongs to a source if it is greater: in σ above the reference, or a pixel value",
          .above = c.detection.threshold_unit != ThresholdUnit::absolute ? 0 : -no_limit,
          .allowed = "any if the unit is `absolute`, else > 0",
          .why = "it is in sigma above the reference; for a pixel value set threshold_unit to absolute"},
    c.detection.threshold);
  f(Field{.section = section,
          .key = "threshold_unit",
          .description = "Unit of threshold: `sigma` (of the image above the reference, SExtractor's, also where it "
                         "is convolved), `absolute` (a pixel value; of what is above the meshes, where the background "
                         "is one) or `detection_sigma` (of the convolved image above its median, or above zero, as "
                         "`reference` says)"},
    c.detection.threshold_unit);
  f(Field{.section = section,
          .key = "reference",
          .description = "What a threshold in σ is counted from: `background` (the mesh's level, or the clipped "
                         "median) or `zero`"},
    c.detection.reference);
  f(Field{.section = section,
          .key = "connectivity",
          .description = "Neighbours that join a source: 4 = pixels sharing a side, 8 = also a corner",
          .one_of = {4, 8},
          .why = "4 joins pixels that share a side, 8 also a corner"},
    c.detection.connectivity);
  f(Field{.section = section,
          .key = "min_area",
          .description = "Sources of fewer pixels are dropped",
          .at_least = 1,
          .why = "1 keeps every source"},
    c.detection.min_area);
}

}  // namespace srcextract::config
