#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(ThresholdUnit) {
  return {"sigma", "absolute", "detection_sigma", "mag_per_arcsec2"};
}
inline std::vector<std::string> names_of(DetectionSign) {
  return {"positive", "negative", "both"};
}
inline std::vector<std::string> names_of(Baseline) {
  return {"background", "zero"};
}
inline std::vector<std::string> names_of(MorphologicalOperation) {
  return {"none", "erosion", "opening"};
}
inline std::vector<std::string> names_of(StructuringElement) {
  return {"cross", "square"};
}

}  // namespace srcextract

namespace srcextract::config {

template <MaybeConst<Settings> AnySettings, class F>
void for_each_detection_field(AnySettings& c, F&& f) {
  const Section section{"detection", "Which pixels belong to sources, and which pixels belong together"};
  f(Field{.section = section,
          .key = "threshold",
          .description = "A pixel belongs to a source if it is brighter: in σ above the reference, a pixel value, or a "
                         "surface brightness",
          .above = counts_in_sigmas(c.detection) ? 0 : -no_limit,
          .allowed = "any if the unit is `absolute` or `mag_per_arcsec2`, else > 0",
          .why = "it is in sigma above the reference; for a pixel value set threshold_unit to absolute"},
    c.detection.threshold);
  f(Field{.section = section,
          .key = "threshold_unit",
          .description = "Unit of threshold: `sigma` (of the image itself, SExtractor's), `absolute` (a pixel value; "
                         "with a mesh, above it), `detection_sigma` (of the convolved image) or `mag_per_arcsec2` (by "
                         "`measurement.zero_point` and `pixel_scale`)",
          .problem = threshold_unit_problem(c)},
    c.detection.threshold_unit);
  f(Field{.section = section,
          .key = "reference",
          .description =
              "A threshold in σ counts from `background` (the mesh's level, or the clipped median) or from `zero`"},
    c.detection.reference);
  f(Field{.section = section,
          .key = "connectivity",
          .description = "Neighbours that join a source: 4 = pixels sharing a side, 8 = also a corner",
          .one_of = {4, 8},
          .why = "4 joins pixels that share a side, 8 also a corner"},
    c.detection.connectivity);
  f(Field{.section = section,
          .key = "min_area",
          .description = "Sources of fewer pixels are dropped; 0 = a third of the beam, at least 3 (with "
                         "`fit.model: gaussians`)",
          .at_least = fits_gaussians(c) ? 0.0 : 1.0,
          .allowed = "≥ 1; with `fit.model: gaussians` ≥ 0",
          .why = "1 keeps every source"},
    c.detection.min_area);
  f(Field{.section = section,
          .key = "max_area",
          .description = "Sources of more pixels are dropped after deblending and before CLEAN (SExtractor's "
                         "DETECT_MAXAREA); 0 = none are",
          .at_least = 0,
          .allowed = "0, or ≥ `min_area`",
          .why = "0 keeps sources of any size",
          .unused = use_problem(!fits_gaussians(c) && !fits_crowd(c), c.detection.max_area, std::int64_t{0},
                                "fit.model none and crowd.method none"),
          .problem = max_area_problem(c.detection)},
    c.detection.max_area);
  f(Field{.section = section,
          .key = "sign",
          .description = "`positive` (brighter than the sky), `negative` (fainter: found in the image with its sign "
                         "turned) or `both`, told apart by the column SIGN; `difference` always uses `both`",
          .problem = sign_problem(c)},
    c.detection.sign);
  f(Field{.section = section,
          .key = "seed",
          .description = "A source must have a pixel above this value, in the unit of threshold; its other pixels need "
                         "only be above threshold; 0 = no such condition",
          .allowed = "0, or more than threshold; with `mag_per_arcsec2` less",
          .problem = seed_problem(c.detection)},
    c.detection.seed);
  f(Field{.section = section,
          .key = "analysis_threshold",
          .description = "Threshold of ISOAREA_IMAGE, in the unit of threshold and in the measured image (SExtractor's "
                         "ANALYSIS_THRESH); 0 = no such column",
          .at_least = counts_in_sigmas(c.detection) ? 0 : -no_limit,
          .allowed = "any if the unit is `absolute` or `mag_per_arcsec2`, else ≥ 0",
          .why = "it is in sigma above the reference; 0 leaves ISOAREA_IMAGE out"},
    c.detection.analysis_threshold);
  f(Field{.section = section,
          .key = "false_discovery_rate",
          .description = "Chooses the threshold: of the pixels above it, at most this share is expected to be noise "
                         "(Benjamini & Hochberg 1995; Hopkins et al. 2002); 0 = threshold is used",
          .allowed = "0, or from 1e-6 to below 1, where the unit is `sigma` or `detection_sigma`",
          .problem = false_discovery_problem(c)},
    c.detection.false_discovery_rate);
  f(Field{.section = section,
          .key = "correlated_pixels",
          .description =
              "Number n of pixels with common noise, such as those of a beam. It divides false_discovery_rate by 1 + "
              "1/2 + ... + 1/n (Hopkins et al. 2002); 1 = no division; 0 = from the image's beam, or 1 without a beam",
          .at_least = 0,
          .at_most = 1'000'000,
          .why = "1 divides by nothing, and 0 asks for the beam",
          .unused = correlated_pixels_use(c.detection)},
    c.detection.correlated_pixels);
}

template <MaybeConst<Settings> AnySettings, class F>
void for_each_morphology_field(AnySettings& c, F&& f) {
  const Section section{"morphology", "Erosion or opening of the mask of pixels above the threshold", "clean"};
  const MorphologyConfig usual;
  const auto of_operation = [&](const auto& value, const auto& usual_value) {
    return use_problem(c.morphology.operation != MorphologicalOperation::none, value, usual_value,
                       "morphology.operation erosion or opening");
  };
  f(Field{.section = section,
          .key = "operation",
          .description =
              "Morphology on the pixels above the threshold: `none`, `erosion` or `opening` (erosion, then dilation)"},
    c.morphology.operation);
  f(Field{.section = section,
          .key = "element",
          .description = "Structuring element: `cross` (the pixel and its 4 neighbours) or `square` (and the corners)",
          .unused = of_operation(c.morphology.element, usual.element)},
    c.morphology.element);
  f(Field{.section = section,
          .key = "iterations",
          .description = "Number of erosions and, for `opening`, of the dilations after them",
          .at_least = 1,
          .at_most = 1000,
          .why = "each takes a pixel off every side; nothing would be left",
          .unused = of_operation(c.morphology.iterations, usual.iterations)},
    c.morphology.iterations);
}

}  // namespace srcextract::config
