#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "stages/settings/field.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(GoodPixels) {
  return {"zero", "nonzero"};
}
inline std::vector<std::string> names_of(FlagType) {
  return {"or", "and", "min", "max", "most"};
}
inline std::vector<std::string> names_of(WeightType) {
  return {"none", "background", "rms", "variance", "weight"};
}

inline std::vector<std::string> names_of(MapPhotons) {
  return {"auto", "included", "excluded"};
}

inline std::vector<std::string> names_of(Interpolate) {
  return {"none", "variance", "all"};
}

inline std::vector<std::string> names_of(BeyondThreshold) {
  return {"mask", "detect"};
}

}  // namespace srcextract

namespace srcextract::config {

/// Description, for users, of the key `hdu` of a map: how the HDUs of maps and images are paired.
inline constexpr const char* paired_hdus =
    "HDUs of the map, as `input.hdu`; in the image's own file without `auto` and `all`. Several images are paired with "
    "as "
    "many maps: in the image's own file by EXTVER, in `file` by EXTNAME (`auto`: of all its images), else by order. "
    "One "
    "HDU may serve all images";

/// Error messages about a map's keys: Field::unused of `file` and of `hdu`, and Field::problem of `file`. Empty: no
/// error.
struct MapKeys {
  std::string file_unused = {}, hdu_unused = {}, file_problem = {};
};

/// Declares the keys `file` and `hdu` of a section that names a map of the image's shape. `what` is part of the
/// description of `file`, and `hdus` is the description of `hdu`.
template <class Map, class F>
void for_each_map_field(const Section& section, Map& map, const std::string& what, const std::string& hdus,
                        const MapKeys& keys, F&& f) {
  f(Field{.section = section,
          .key = "file",
          .description =
              "FITS file with " + what +
              "; relative to the working directory. Empty = the image's own file, if `hdu` names another HDU",
          .is_path = true,
          .unused = keys.file_unused,
          .problem = keys.file_problem},
    map.file);
  f(Field{.section = section,
          .key = "hdu",
          .description = hdus,
          .allowed = "as `input.hdu`",
          .unused = keys.hdu_unused,
          .problem = hdu_problem(map)},
    map.hdu);
}

template <MaybeConst<Settings> AnySettings, class F>
void for_each_mask_field(AnySettings& c, F&& f) {
  const Section section{"mask", "Which pixels are left out"};
  for_each_map_field(section, c.mask, "a map of bad pixels, of the image's shape",
                     std::string(paired_hdus) + ". `auto` without a file: no map", {}, f);
  f(Field{.section = section,
          .key = "bits",
          .description = "Bits of the map that count: numbers from 0, or names in its header (`MP_BAD = 0`, as LSST "
                         "writes); none given = every bit",
          .allowed = "0 to 63, or names",
          .unused = bits_use(c.mask)},
    c.mask.bits);
  f(Field{.section = section,
          .key = "good",
          .description = "A pixel is good if these bits are all `zero`, or if one of them is set (`nonzero`)"},
    c.mask.good);
}

/// Declares the keys of one flag map. `file_problem` is Field::problem of the key `file`.
template <MaybeConst<FlagMapConfig> AnyMap, class F>
void for_each_flag_map_field(const Section& section, AnyMap& map, const std::string& file_problem, F&& f) {
  for_each_map_field(section, map, "a map of the image's shape, of integers of up to 32 bits",
                     "HDUs of the map, as `mask.hdu`", {.file_problem = file_problem}, f);
  f(Field{.section = section,
          .key = "type",
          .description =
              "How the nonzero flags of a source's pixels are joined to IMAFLAGS_ISO: `or` or `and` of their bits, the "
              "`min`imum, the `max`imum, or the flag of `most` pixels (if several are equal, the first)",
          .unused = type_use(map)},
    map.type);
  f(Field{.section = section,
          .key = "bits",
          .description = "Bits of the map that count, as `mask.bits`; none given = every bit",
          .allowed = "0 to 31, or names",
          .unused = bits_use(map)},
    map.bits);
}

template <MaybeConst<Settings> AnySettings, class F>
void for_each_flags_field(AnySettings& c, F&& f) {
  const Section section{"flags", "Maps of flags of pixels, which are joined for each source"};
  std::conditional_t<std::is_const_v<AnySettings>, const FlagMapConfig, FlagMapConfig>& first = c.flags;
  for_each_flag_map_field(section, first, "", f);
  f(Field{.section = section,
          .key = "further",
          .description = "More maps, each with the keys above, as in `[{hdu: DQ2, type: max}]`. The first has the "
                         "columns IMAFLAGS_ISO_1 and NIMAFLAGS_ISO_1, and so on",
          .allowed = "at most 99",
          .unused = further_use(c.flags),
          .problem = further_problem(c.flags)},
    c.flags.further);
}

/// Declares the keys of the section `weights` that are about the interpolation of bad pixels.
template <MaybeConst<Settings> AnySettings, class F>
void for_each_interpolation_field(const Section& section, AnySettings& c, F&& f) {
  f(Field{.section = section,
          .key = "interpolate",
          .description = "What bad pixels of the map take from the last good pixel in their row, or else from the row "
                         "before: `none` (nothing; they are masked), `variance`, or `all` (value and variance, also "
                         "for NaN and masked pixels)",
          .unused = map_use(c.weights, c.weights.interpolate != Interpolate::none)},
    c.weights.interpolate);
  f(Field{.section = section,
          .key = "interpolate_columns",
          .description = "Largest number of bad pixels in succession along a row that are filled",
          .at_least = 0,
          .at_most = 1000,
          .unused = interpolated_use(c.weights, c.weights.interpolate_columns)},
    c.weights.interpolate_columns);
  f(Field{.section = section,
          .key = "interpolate_rows",
          .description =
              "Largest number of bad pixels in succession along a column that are filled from the row before",
          .at_least = 0,
          .at_most = 1000,
          .unused = interpolated_use(c.weights, c.weights.interpolate_rows)},
    c.weights.interpolate_rows);
}

template <MaybeConst<Settings> AnySettings, class F>
void for_each_weights_field(AnySettings& c, F&& f) {
  const Section section{"weights", "How noisy each pixel is"};
  f(Field{.section = section,
          .key = "type",
          .description = "`none` (one σ), `background` (the noise of the mesh), or a map of the image's shape with "
                         "`rms` (σ), `variance` (σ²) or `weight` (1 / σ²) of each pixel. A value that is not finite or "
                         "not above 0 masks the pixel",
          .problem = type_problem(c.weights)},
    c.weights.type);
  const MapKeys keys{.file_unused = map_use(c.weights, !c.weights.file.empty()),
                     .hdu_unused = map_use(c.weights, c.weights.hdu != "auto")};
  for_each_map_field(section, c.weights, "the map", "HDUs of the map, as `mask.hdu`", keys, f);
  f(Field{.section = section,
          .key = "threshold",
          .description = "A pixel is bad if its `weight` is at most this, or its `rms` or `variance` at least this, in "
                         "the map's units; 0 = none",
          .at_least = 0,
          .unused = map_use(c.weights, c.weights.threshold != 0)},
    c.weights.threshold);
  f(Field{.section = section,
          .key = "beyond",
          .description = "Use of pixels beyond `threshold`: `mask` (they are masked), or `detect`, as in SExtractor: "
                         "sources are found on them and isophotal sums count them, but the sky and apertures leave "
                         "them out. With `detect` and `rescale`, apertures and `interpolate` compare the threshold "
                         "with rescaled variances: give a calibrated map",
          .unused = beyond_use(c.weights)},
    c.weights.beyond);
  f(Field{.section = section,
          .key = "rescale",
          .description = "Take the noise from the background, and from a `variance` or `weight` map only the ratios "
                         "between pixels: for maps without a known scale. An `rms` map is never rescaled"},
    c.weights.rescale);
  f(Field{.section = section,
          .key = "scale_gain",
          .description = "The gain of a pixel is in proportion to its weight, so that photon noise goes with its "
                         "variance (WEIGHT_GAIN), in errors of fluxes and of windowed positions"},
    c.weights.scale_gain);
  f(Field{.section = section,
          .key = "photons",
          .description = "Whether the noise in the map includes the photons of sources: `included` (errors of fluxes "
                         "do not add them again), `excluded` (the map has the noise of the sky alone), or `auto` "
                         "(decided from the values of the map under bright sources)",
          .unused = map_use(c.weights, c.weights.photons != MapPhotons::automatic)},
    c.weights.photons);
  f(Field{.section = section,
          .key = "convolve",
          .description = "With a filter: convolve the variances too, for thresholds, as SExtractor does. Otherwise a "
                         "convolved pixel has the noise of the pixel",
          .unused = map_use(c.weights, c.weights.convolve)},
    c.weights.convolve);
  for_each_interpolation_field(section, c, f);
}

}  // namespace srcextract::config

namespace srcextract {

/// Declares the keys of one map in the list `flags.further`.
template <config::MaybeConst<FlagMapConfig> AnyMap, class F>
void for_each_field(AnyMap& map, F&& f) {
  config::for_each_flag_map_field({"flags.further", "One more map of flags"}, map, config::further_map_problem(map), f);
}

}  // namespace srcextract
