#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(Align) {
  return {"none", "wcs"};
}
inline std::vector<std::string> names_of(Interpolation) {
  return {"bilinear", "lanczos3"};
}
inline std::vector<std::string> names_of(MatchingKernel) {
  return {"gaussian", "fitted"};
}
inline std::vector<std::string> names_of(Basis) {
  return {"gaussians", "delta"};
}
inline std::vector<std::string> names_of(Convolved) {
  return {"auto", "reference", "new"};
}
inline std::vector<std::string> names_of(DetectOn) {
  return {"score", "difference"};
}

}  // namespace srcextract

namespace srcextract::config {

template <MaybeConst<Settings> AnySettings, class F>
void for_each_difference_field(AnySettings& c, F&& f) {
  const Section section{"difference", "How srcextract difference makes two frames comparable"};
  f(Field{.section = section,
          .key = "align",
          .description = "Frames on different pixels: `none` (refuse them) or `wcs` (resample the reference)"},
    c.difference.align);
  f(Field{.section = section,
          .key = "interpolation",
          .description = "How the reference is resampled: `bilinear` or `lanczos3`",
          .unused = use_problem(c.difference.align == Align::wcs, c.difference.interpolation,
                                DifferenceConfig{}.interpolation, "difference.align wcs")},
    c.difference.interpolation);
  const bool fitted = c.difference.kernel == MatchingKernel::fitted;
  const std::string needs_fit = "difference.kernel fitted", needs_widths = "difference.kernel gaussian";
  const DifferenceConfig usual;
  f(Field{.section = section,
          .key = "kernel",
          .description =
              "The kernel that makes the stars of both frames alike: `fitted` (to the stars; it may change over the "
              "field, with brightness and sky) or `gaussian` (from the two widths below, for frames without stars)"},
    c.difference.kernel);
  f(Field{.section = section,
          .key = "basis",
          .description = "Functions that the fitted kernel is a sum of: `gaussians` (times polynomials) or `delta` "
                         "(one function per pixel, up to 6 pixels from the middle: slower, for trailed or split stars)",
          .unused = use_problem(fitted, c.difference.basis, usual.basis, needs_fit)},
    c.difference.basis);
  f(Field{.section = section,
          .key = "convolve",
          .description = "Which frame the fitted kernel convolves: `auto` (the sharper one), `reference` or `new`",
          .unused = use_problem(fitted, c.difference.convolve, usual.convolve, needs_fit)},
    c.difference.convolve);
  const auto order = [&](const std::string& key, const std::string& description, auto& value, int usual_order) {
    f(Field{.section = section,
            .key = key,
            .description = description,
            .at_least = 0,
            .at_most = 3,
            .why = "higher orders follow the noise of the stars",
            .unused = use_problem(fitted, value, usual_order, needs_fit)},
      value);
  };
  order("kernel_order", "Order of the polynomials by which the fitted kernel changes over the field",
        c.difference.kernel_order, usual.kernel_order);
  order("flux_order", "Order for the ratio of the frames' brightness", c.difference.flux_order, usual.flux_order);
  order("background_order", "Order for the difference of the frames' skies", c.difference.background_order,
        usual.background_order);
  f(Field{.section = section,
          .key = "detect_on",
          .description = "Where changes are found: `score` (the difference filtered by the shape of the stars, in "
                         "place of `convolve`; thresholds count in its own noise) or `difference`. A threshold that is "
                         "not in sigma needs `difference`, which is then used",
          .unused = use_problem(fitted, c.difference.detect_on, usual.detect_on, needs_fit)},
    c.difference.detect_on);
  f(Field{.section = section,
          .key = "match_flux",
          .description = "Scale the reference to the brightness of the new frame",
          .unused = use_problem(!fitted, c.difference.match_flux, usual.match_flux, needs_widths)},
    c.difference.match_flux);
  f(Field{.section = section,
          .key = "match_background",
          .description = "Subtract the sky from both frames",
          .unused = use_problem(!fitted, c.difference.match_background, usual.match_background, needs_widths)},
    c.difference.match_background);
  f(Field{.section = section,
          .key = "reference_fwhm",
          .description = "Width of the stars of the reference, in pixels of the new frame; 0 = do not match the widths",
          .at_least = 0,
          .at_most = 18,
          .why = "wider stars need a larger kernel than there can be",
          .unused = use_problem(!fitted, c.difference.reference_fwhm, usual.reference_fwhm, needs_widths),
          .problem = width_problem(c.difference.reference_fwhm, c.difference.new_fwhm)},
    c.difference.reference_fwhm);
  f(Field{.section = section,
          .key = "new_fwhm",
          .description = "Width of the stars of the new frame, in pixels; 0 = do not match the widths; both or neither",
          .at_least = 0,
          .at_most = 18,
          .why = "wider stars need a larger kernel than there can be",
          .unused = use_problem(!fitted, c.difference.new_fwhm, usual.new_fwhm, needs_widths),
          .problem = width_problem(c.difference.new_fwhm, c.difference.reference_fwhm)},
    c.difference.new_fwhm);
  f(Field{.section = section,
          .key = "refuse_bad",
          .description = "Fail where stars leave residuals or the noise is not as expected, instead of a warning"},
    c.difference.refuse_bad);
}

}  // namespace srcextract::config
