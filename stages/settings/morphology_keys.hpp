#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(MorphologicalOperation) {
  return {"none", "erosion", "opening"};
}
inline std::vector<std::string> names_of(StructuringElement) {
  return {"cross", "square"};
}

}  // namespace srcextract

namespace srcextract::config {

/// The keys of the section `morphology`.
template <MaybeConst<Settings> AnySettings, class F>
void for_each_morphology_field(AnySettings& c, F&& f) {
  const Section section{"morphology", "Erosion or opening of what is above the threshold", "clean"};
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
          .description = "How often it erodes, and then dilates",
          .at_least = 1,
          .at_most = 1000,
          .why = "each takes a pixel off every side; nothing would be left",
          .unused = of_operation(c.morphology.iterations, usual.iterations)},
    c.morphology.iterations);
}

}  // namespace srcextract::config
