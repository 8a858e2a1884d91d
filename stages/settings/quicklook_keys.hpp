#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(Stretch) {
  return {"linear", "sqrt", "log", "asinh", "equalize"};
}
inline std::vector<std::string> names_of(Limits) {
  return {"zscale", "minmax", "values"};
}
inline std::vector<std::string> names_of(Overlay) {
  return {"none", "ellipses", "pixels"};
}

}  // namespace srcextract

namespace srcextract::config {

/// The keys of the section `quicklook`.
template <MaybeConst<Settings> AnySettings, class F>
void for_each_quicklook_field(AnySettings& c, F&& f) {
  const Section section{"quicklook", "The picture that output.quicklook writes"};
  const auto of_values = [&](double value) {
    return use_problem(c.quicklook.limits == Limits::values, value, 0.0, "quicklook.limits values");
  };
  f(Field{.section = section,
          .key = "stretch",
          .description = "From pixel values to grey: `linear`, `sqrt`, `log`, `asinh`, or `equalize` (the histogram)"},
    c.quicklook.stretch);
  f(Field{.section = section,
          .key = "limits",
          .description =
              "Pixel values of black and white: `zscale` (IRAF's), `minmax`, or `values` (`low` and `high`)"},
    c.quicklook.limits);
  f(Field{.section = section,
          .key = "low",
          .description = "Value drawn black, with `limits: values`",
          .unused = of_values(c.quicklook.low)},
    c.quicklook.low);
  f(Field{.section = section,
          .key = "high",
          .description = "Value drawn white, with `limits: values`",
          .allowed = "> `low`",
          .unused = of_values(c.quicklook.high),
          .problem = high_problem(c.quicklook)},
    c.quicklook.high);
  f(Field{.section = section,
          .key = "bins",
          .description = "Bins between the limits, each with a grey of its own",
          .at_least = 256,
          .at_most = 65536,
          .why = "256 greys need as many bins, and more than 65536 make no difference"},
    c.quicklook.bins);
  f(Field{.section = section,
          .key = "overlay",
          .description = "Drawn over the image: `none`, `ellipses` (of the sources) or `pixels` (that are detected)"},
    c.quicklook.overlay);
  f(Field{.section = section,
          .key = "size",
          .description = "Most pixels of the longer side; a larger image is scaled down",
          .at_least = 16,
          .at_most = 65536,
          .why = "there would be nothing to see, or no viewer for it"},
    c.quicklook.size);
}

}  // namespace srcextract::config
