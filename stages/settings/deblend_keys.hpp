#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(DeblendMethod) {
  return {"none", "tree"};
}

}  // namespace srcextract

namespace srcextract::config {

template <MaybeConst<Settings> AnySettings, class F>
void for_each_deblend_field(AnySettings& c, F&& f) {
  const Section section{
      "deblend",
      "Sources with several peaks are divided; false sources in the wings of bright ones are merged into them"};
  const DeblendConfig usual;
  const auto of_tree = [&](const auto& value, const auto& usual_value) {
    return use_problem(c.deblend.method == DeblendMethod::tree, value, usual_value, "deblend.method tree");
  };
  f(Field{.section = section,
          .key = "method",
          .description = "How touching sources are divided: `none`, or `tree` (by the tree of connected parts above "
                         "several levels: SExtractor's)",
          .problem = deblend_method_problem(c)},
    c.deblend.method);
  f(Field{.section = section,
          .key = "thresholds",
          .description = "Levels from the threshold to the peak, in equal steps of magnitude (SExtractor's "
                         "DEBLEND_NTHRESH)",
          .at_least = 2,
          .at_most = 256,
          .why = "one is the threshold itself; 32 is usual",
          .unused = of_tree(c.deblend.thresholds, usual.thresholds)},
    c.deblend.thresholds);
  f(Field{.section = section,
          .key = "contrast",
          .description = "A part is a source if its flux above the level is more than this share of the whole source's "
                         "flux (SExtractor's DEBLEND_MINCONT)",
          .at_least = 0,
          .at_most = 1,
          .why = "it is a part of the source's flux: 0 divides at every peak, 1 never",
          .unused = of_tree(c.deblend.contrast, usual.contrast)},
    c.deblend.contrast);
  f(Field{.section = section,
          .key = "clean",
          .description =
              "A source that only the wings of a brighter one lift above the threshold is joined to that one "
              "(SExtractor's CLEAN); with any method",
          .problem = deblend_clean_problem(c)},
    c.deblend.clean);
  f(Field{.section = section,
          .key = "clean_beta",
          .description =
              "Exponent of these wings, a Moffat profile (SExtractor's CLEAN_PARAM): lower absorbs more sources",
          .at_least = 0.1,
          .at_most = 10,
          .why = "wings fall as r^(-2 clean_beta); 1 is usual",
          .unused = use_problem(c.deblend.clean, c.deblend.clean_beta, usual.clean_beta, "deblend.clean true")},
    c.deblend.clean_beta);
}

}  // namespace srcextract::config
