#pragma once

#include <string>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(SipTerms) {
  return {"auto", "ctype", "apply"};
}
inline std::vector<std::string> names_of(CombineMethod) {
  return {"none", "weighted", "luminosity", "mean", "inverse_variance", "chi_square", "median"};
}
inline std::vector<std::string> names_of(BeamSource) {
  return {"auto", "header", "table", "history", "given"};
}

}  // namespace srcextract

namespace srcextract::config {

template <MaybeConst<Settings> AnySettings, class F>
void for_each_input_field(AnySettings& c, F&& f) {
  const Section section{"input", "Which pixels of the file are used"};
  f(Field{.section = section,
          .key = "hdu",
          .description = "HDUs to read: `auto` (the first image), `all` (every image), a number (0 is the primary "
                         "HDU), an EXTNAME (the first of that name), `EXTNAME,EXTVER`, a pattern such as `'SCI*'` or "
                         "`'SCI,*'`, or a list of these. Each is extracted by itself, in the order of the file. `all` "
                         "and patterns leave out masks and the HDUs of `weights.hdu` and `mask.hdu`. An EXTNAME made "
                         "of digits, `auto` or `all` can be reached by number only",
          .allowed = "`auto`, `all`, 0, 1, …, names and patterns of at most 68 characters, or a list",
          .problem = names_problem(c.input.hdu)},
    c.input.hdu);
  f(Field{.section = section,
          .key = "plane",
          .description =
              "Plane of a cube, from 1, counted through all axes above the second; 0 = the first of Stokes I "
              "that is not blank",
          .at_least = 0,
          .why = "planes are counted from 1, and 0 is the first that is not blank"},
    c.input.plane);
  f(Field{.section = section,
          .key = "padding",
          .description = "Which pixels without data, that have a number instead of NaN, are masked: `auto` (rows, "
                         "columns and corners at the edge that repeat one value, as in registered stacks), `keep` "
                         "(none) or a number (every pixel of that value)",
          .is_number = true,
          .allowed = "`auto`, `keep`, or a number",
          .problem = padding_problem(c.input)},
    c.input.padding);
}

template <MaybeConst<Settings> AnySettings, class F>
void for_each_wcs_field(AnySettings& c, F&& f) {
  const Section section{"wcs", "How positions on the sky are read from the header"};
  f(Field{.section = section,
          .key = "sip",
          .description =
              "When the SIP terms of the header (A_2_0 …) are applied: `auto` (if CTYPE ends with -SIP; else a warning "
              "tells what they would change), `ctype` (the same without the warning) or `apply` (always)"},
    c.wcs.sip);
}

template <MaybeConst<Settings> AnySettings, class F>
void for_each_combine_field(AnySettings& c, F&& f) {
  const Section section{"combine", "How several planes or images are joined to the image that is extracted"};
  f(Field{.section = section,
          .key = "method",
          .description = "How several planes or images of one shape become one; `none` = not at all"},
    c.combine.method);
  f(Field{.section = section,
          .key = "planes",
          .description = "Planes of the cube to combine, from 1; all of them without this, `hdus` and `files`",
          .at_least = 1,
          .unused = combined_use(c.combine, !c.combine.planes.empty()),
          .problem = planes_problem(c.combine)},
    c.combine.planes);
  f(Field{.section = section,
          .key = "hdus",
          .description = "HDUs of the file to combine: numbers (0 is the primary HDU) or EXTNAMEs",
          .allowed = "as `input.hdu`, but `auto` and `all`",
          .unused = combined_use(c.combine, !c.combine.hdus.empty()),
          .problem = hdus_problem(c.combine, c.input)},
    c.combine.hdus);
  f(Field{.section = section,
          .key = "files",
          .description = "Images to combine with the one on the command line, after it; read as `input` says. Paths "
                         "are relative to the working directory",
          .is_path = true,
          .unused = combined_use(c.combine, !c.combine.files.empty()),
          .problem = files_problem(c.combine, c.input)},
    c.combine.files);
  f(Field{.section = section,
          .key = "weights",
          .description = "With `weighted`: the weight of each plane or image",
          .allowed = "one for each, not all 0",
          .unused = use_problem(c.combine.method == CombineMethod::weighted, c.combine.weights, {},
                                "combine.method weighted"),
          .problem = weights_problem(c.combine)},
    c.combine.weights);
}

template <MaybeConst<Settings> AnySettings, class F>
void for_each_beam_field(AnySettings& c, F&& f) {
  const Section section{"beam", "The beam of a radio map"};
  const BeamConfig usual;
  const bool given = c.beam.source == BeamSource::given;
  f(Field{.section = section,
          .key = "source",
          .description = "Where the beam is taken from: `auto` (the first of the others that has it), `table` (CASA's "
                         "table BEAMS), `header` (BMAJ, BMIN, BPA), `history` (AIPS' cards HISTORY) or `given` (the "
                         "keys below)",
          .unused = use_problem(uses_beam(c) || counts_pixels_of_beam(c.detection), c.beam.source, usual.source,
                                "fit.model gaussians (as in the configuration radio), background.mesh_beams or "
                                "detection.correlated_pixels 0")},
    c.beam.source);
  f(Field{.section = section,
          .key = "fwhm",
          .description = "With `given`: full widths at half maximum of the major and the minor axis, in arcseconds",
          .allowed = "two numbers above 0, the larger first",
          .unused = use_problem(given, c.beam.fwhm, usual.fwhm, "beam.source given"),
          .problem = beam_width_problem(c.beam)},
    c.beam.fwhm);
  f(Field{.section = section,
          .key = "angle",
          .description = "With `given`: position angle of the major axis, in degrees from north through east",
          .at_least = -360,
          .at_most = 360,
          .why = "it is an angle in degrees",
          .unused = use_problem(given, c.beam.angle, usual.angle, "beam.source given")},
    c.beam.angle);
}

}  // namespace srcextract::config
