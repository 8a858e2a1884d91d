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

}  // namespace srcextract

namespace srcextract::config {

/// The keys of the section `detection`.
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
          .description = "Unit of threshold: `sigma` (of the image above the reference, SExtractor's, also where it "
                         "is convolved), `absolute` (a pixel value; of what is above the meshes, where the background "
                         "is one), `detection_sigma` (of the convolved image above its median, or above zero, as "
                         "`reference` says) or `mag_per_arcsec2` (what a pixel has above the reference, by "
                         "`measurement.zero_point` and `pixel_scale`)",
          .problem = threshold_unit_problem(c)},
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
  f(Field{.section = section,
          .key = "sign",
          .description = "`positive` (what is brighter than the sky), `negative` (what is fainter: found in the image "
                         "with its sign turned) or `both`, which the column SIGN tells apart; of `difference` always "
                         "`both`",
          .problem = sign_problem(c)},
    c.detection.sign);
  f(Field{.section = section,
          .key = "seed",
          .description = "A source has a pixel that is brighter than this, in the unit of threshold, down to which it "
                         "reaches; 0 = it need not",
          .allowed = "0, or more than threshold; with `mag_per_arcsec2` less",
          .problem = seed_problem(c.detection)},
    c.detection.seed);
  f(Field{.section = section,
          .key = "analysis_threshold",
          .description = "What ISOAREA_IMAGE counts pixels of a source above, in the unit of threshold and in the "
                         "image that is measured (SExtractor's ANALYSIS_THRESH); 0 = the column is left out",
          .at_least = counts_in_sigmas(c.detection) ? 0 : -no_limit,
          .allowed = "any if the unit is `absolute` or `mag_per_arcsec2`, else ≥ 0",
          .why = "it is in sigma above the reference; 0 leaves ISOAREA_IMAGE out"},
    c.detection.analysis_threshold);
  f(Field{.section = section,
          .key = "false_discovery_rate",
          .description = "Takes, in place of threshold, the one above which at most this share of the pixels is "
                         "expected to be noise (Benjamini & Hochberg 1995; Hopkins et al. 2002); 0 = threshold is what "
                         "is given",
          .allowed = "0, or from 1e-6 to below 1, where the unit is `sigma` or `detection_sigma`",
          .problem = false_discovery_problem(c)},
    c.detection.false_discovery_rate);
  f(Field{.section = section,
          .key = "correlated_pixels",
          .description = "Pixels that have their noise in common, as those of a beam: divides false_discovery_rate by "
                         "1 + 1/2 + ... + 1/n, as Hopkins et al. (2002) do; 1 = nothing is divided",
          .at_least = 1,
          .at_most = 1'000'000,
          .why = "1 divides by nothing",
          .unused = correlated_pixels_use(c.detection)},
    c.detection.correlated_pixels);
}

}  // namespace srcextract::config
