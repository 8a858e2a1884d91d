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

}  // namespace srcextract

namespace srcextract::config {

/// The keys of the section `difference`.
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
  f(Field{.section = section,
          .key = "match_flux",
          .description = "Scale the reference to the brightness of the new frame"},
    c.difference.match_flux);
  f(Field{.section = section, .key = "match_background", .description = "Subtract the sky from both frames"},
    c.difference.match_background);
  f(Field{.section = section,
          .key = "reference_fwhm",
          .description = "Width of the stars of the reference, in pixels of the new frame; 0 = do not match the widths",
          .at_least = 0,
          .at_most = 18,
          .why = "wider stars need a larger kernel than there can be"},
    c.difference.reference_fwhm);
  f(Field{.section = section,
          .key = "new_fwhm",
          .description = "Width of the stars of the new frame, in pixels; 0 = do not match the widths; both or neither",
          .at_least = 0,
          .at_most = 18,
          .why = "wider stars need a larger kernel than there can be",
          .problem = fwhm_problem(c.difference)},
    c.difference.new_fwhm);
}

}  // namespace srcextract::config
