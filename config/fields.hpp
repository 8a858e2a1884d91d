#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <vector>

#include "config/config.hpp"
#include "config/field.hpp"

namespace srcextract {

/// The words for an enumeration, in the order of its enumerators.
inline std::vector<std::string> names_of(ThresholdUnit) {
  return {"sigma", "absolute"};
}
inline std::vector<std::string> names_of(Reference) {
  return {"background", "zero"};
}
inline std::vector<std::string> names_of(CatalogFormat) {
  return {"fits", "ecsv", "csv", "reg"};
}

/// The one declaration of the configuration's keys: calls f(Field, member) for each, section by section. Parser, dump,
/// error messages and the test of schema.json walk this; a new key is a member of its struct, a line here, and its
/// entries in schema.json and default.yaml, which the tests ask for. A limit may depend on other members of `c`; limits
/// are checked when every key has been read.
template <class ConfigOrConst, class F>
requires std::same_as<std::remove_const_t<ConfigOrConst>, Config>
void for_each_field(ConfigOrConst& c, F&& f) {
  f(Field{.section = "input",
          .key = "hdu",
          .description = "HDU to read: auto (the first that holds an image), a number (0 is the primary HDU), an "
                         "EXTNAME, or all"},
    c.input.hdu);
  f(Field{.section = "input",
          .key = "plane",
          .description = "Plane of a cube, from 1, counted through all axes above the second",
          .at_least = 1,
          .why = "planes are counted from 1"},
    c.input.plane);

  f(Field{.section = "background",
          .key = "kappa",
          .description = "Pixels at or beyond median +- kappa sigma are clipped",
          .above = 1,
          .at_most = 100,
          .why = "at 1 sigma or less a clip can remove every pixel, and 3 is usual"},
    c.background.kappa);
  f(Field{.section = "background",
          .key = "max_iterations",
          .description = "Rounds of clipping; 0 = until nothing is clipped any more",
          .at_least = 0,
          .why = "0 means until nothing is clipped any more"},
    c.background.max_iterations);

  f(Field{.section = "detection",
          .key = "threshold",
          .description = "A pixel belongs to a source if it is greater: in sigma above the reference, or a pixel value",
          .above = c.detection.threshold_unit == ThresholdUnit::sigma ? 0 : -no_limit,
          .why = "it is in sigma above the reference; for a pixel value set threshold_unit to absolute"},
    c.detection.threshold);
  f(Field{.section = "detection",
          .key = "threshold_unit",
          .description = "Unit of threshold: sigma (of the clipped background) or absolute (pixel value)"},
    c.detection.threshold_unit);
  f(Field{.section = "detection",
          .key = "reference",
          .description = "What a threshold in sigma is counted from: background (the clipped median) or zero"},
    c.detection.reference);
  f(Field{.section = "detection",
          .key = "connectivity",
          .description = "Neighbours that join a source: 4 = pixels sharing a side, 8 = also a corner",
          .one_of = {4, 8},
          .why = "4 joins pixels that share a side, 8 also a corner"},
    c.detection.connectivity);
  f(Field{.section = "detection",
          .key = "min_area",
          .description = "Sources of fewer pixels are dropped",
          .at_least = 1,
          .why = "1 keeps every source"},
    c.detection.min_area);

  f(Field{.section = "measurement",
          .key = "reference",
          .description = "Level subtracted from every pixel that is measured: background (the clipped median) or zero"},
    c.measurement.reference);
  f(Field{.section = "measurement",
          .key = "gain",
          .description = "Detector gain in e-/count, for the Poisson term of FLUXERR_ISO; 0 = no such term",
          .at_least = 0,
          .why = "0 leaves the Poisson term out"},
    c.measurement.gain);

  f(Field{.section = "output", .key = "formats", .description = "Formats in which the catalogue is written"},
    c.output.formats);
  f(Field{.section = "output",
          .key = "segmentation",
          .description = "Also write the label map {stem}.seg.fits (pixel = NUMBER, 0 = no source)"},
    c.output.segmentation);
}

}  // namespace srcextract
