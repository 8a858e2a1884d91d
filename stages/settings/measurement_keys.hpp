#pragma once

#include <string>
#include <vector>

#include "stages/settings/detection_keys.hpp"
#include "stages/settings/field.hpp"
#include "stages/settings/network_numbers.hpp"
#include "stages/settings/problems.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

inline std::vector<std::string> names_of(MaskNeighbours) {
  return {"correct", "blank", "none"};
}

inline std::vector<std::string> names_of(NoiseOfSums) {
  return {"pixel", "apertures", "correlated"};
}

inline std::vector<std::string> names_of(Overlap) {
  return {"sub-pixels", "exact"};
}

}  // namespace srcextract

namespace srcextract::config {

template <MaybeConst<Settings> AnySettings, class F>
void for_each_measurement_field(AnySettings& c, F&& f) {
  const Section section{"measurement", "What is summed over the pixels of a source"};
  f(Field{.section = section,
          .key = "reference",
          .description =
              "Level subtracted from every measured pixel: `background` (the mesh's, or the clipped median) or `zero`"},
    c.measurement.reference);
  f(Field{.section = section,
          .key = "gain",
          .description = "Detector gain in e⁻/count, for the Poisson term of FLUXERR_ISO; 0 = no such term",
          .at_least = 0,
          .why = "0 leaves the Poisson term out"},
    c.measurement.gain);
  f(Field{.section = section,
          .key = "saturation",
          .description =
              "A source with a pixel of at least this value, sky included, has 4 in FLAGS; 0 = none, or with "
              "`saturation_keyword` the value at which three sources or more are clipped",
          .at_least = 0,
          .why = "0 means that no pixel is saturated"},
    c.measurement.saturation);
  f(Field{.section = section,
          .key = "saturation_keyword",
          .description = "Keyword of the header with that value, such as SATURATE; without it `saturation` counts",
          .allowed = "`none`, or 1 to 8 of A-Z, 0-9, - and _",
          .problem = keyword_problem(c.measurement.saturation_keyword)},
    c.measurement.saturation_keyword);
  f(Field{.section = section,
          .key = "gain_keyword",
          .description = "Keyword of the header with the gain, such as GAIN, in the HDU or in the primary HDU; without "
                         "it `gain` counts",
          .allowed = "`none`, or 1 to 8 of A-Z, 0-9, - and _",
          .problem = keyword_problem(c.measurement.gain_keyword)},
    c.measurement.gain_keyword);
  f(Field{.section = section,
          .key = "zero_point",
          .description = "Magnitude of a source of one count, for MAG_* and for thresholds in `mag_per_arcsec2`"},
    c.measurement.zero_point);
  f(Field{.section = section,
          .key = "pixel_scale",
          .description = "Side of a pixel in arcseconds, for such thresholds; 0 = by the WCS at the image's centre",
          .at_least = 0,
          .why = "0 takes it from the WCS of the image"},
    c.measurement.pixel_scale);
  f(Field{.section = section,
          .key = "mask",
          .description =
              "How an aperture counts pixels of other sources, and bad pixels (SExtractor's MASK_TYPE): `correct` (by "
              "the opposite pixel), `blank` (not at all) or `none` (pixels of other sources as they are)"},
    c.measurement.mask);
  f(Field{.section = section,
          .key = "noise",
          .description = "Noise of the sky in a flux: `pixel` (from the noise of a pixel, as if pixels were "
                         "independent: SExtractor's), `correlated` (also from the noise of the filtered image: of "
                         "pixels that share noise, as after resampling) or `apertures` (from sums over empty "
                         "apertures)"},
    c.measurement.noise);
  f(Field{.section = section,
          .key = "overlap",
          .description =
              "Share of a pixel at the edge of a circle of FLUX_APER: `sub-pixels` (of 5×5 those whose centres are "
              "inside: SExtractor's) or `exact` (its area: photutils' `exact`, SEP's `subpix=0`)"},
    c.measurement.overlap);
  f(Field{.section = section,
          .key = "apertures",
          .description = "Diameters of the circles of FLUX_APER in pixels (PHOT_APERTURES)",
          .allowed = "1 to 100 numbers, 0 to 10000",
          .problem = apertures_problem(c.measurement)},
    c.measurement.apertures);
  f(Field{.section = section,
          .key = "kron",
          .description = "FLUX_AUTO (PHOT_AUTOPARAMS): radius of its ellipse in Kron radii, and the least radius in "
                         "units of A_IMAGE",
          .allowed = "two numbers up to 100, the first above 0, the second not below",
          .problem = ellipse_problem(c.measurement.kron, "[2.5, 3.5]")},
    c.measurement.kron);
  f(Field{.section = section,
          .key = "petrosian",
          .description = "FLUX_PETRO (PHOT_PETROPARAMS): radius of its ellipse in Petrosian radii, and the least "
                         "radius in units of A_IMAGE",
          .allowed = "two numbers up to 100, the first above 0, the second not below",
          .problem = ellipse_problem(c.measurement.petrosian, "[2, 3.5]")},
    c.measurement.petrosian);
  f(Field{.section = section,
          .key = "least_apertures",
          .description =
              "Diameters in pixels of the circles that replace smaller ellipses (PHOT_AUTOAPERS): the first for the "
              "search of the radii of FLUX_AUTO, FLUX_PETRO and FLUX_RADIUS, the second for the fluxes",
          .allowed = "two numbers from 0 to 10000",
          .problem = least_apertures_problem(c.measurement)},
    c.measurement.least_apertures);
  f(Field{.section = section,
          .key = "flux_radius",
          .description = "Shares of FLUX_AUTO whose radii are FLUX_RADIUS (PHOT_FLUXFRAC)",
          .allowed = "1 to 100 numbers above 0, up to 1",
          .problem = fractions_problem(c.measurement)},
    c.measurement.flux_radius);
  f(Field{.section = section,
          .key = "growth_steps",
          .description =
              "Circles of FLUX_GROWTH, in equal steps of radius up to 6 A_IMAGE (SExtractor's FLUX_GROWTH(n))",
          .at_least = 1,
          .at_most = 64,
          .why = "the curve of growth has 64 circles"},
    c.measurement.growth_steps);
  f(Field{.section = section,
          .key = "annulus",
          .description = "Inner and outer radius in pixels of the annulus of ANNULUS_SKY",
          .allowed = "two numbers from 0 to 500, the second larger",
          .problem = annulus_problem(c.measurement)},
    c.measurement.annulus);
  f(Field{.section = section,
          .key = "local_sky",
          .description = "Thickness in pixels of the frame about each source whose sky is subtracted from its fluxes "
                         "(BACKPHOTO_THICK, with BACKPHOTO_TYPE LOCAL); 0 = none",
          .at_least = 0,
          .at_most = 1000,
          .why = "0 leaves the sky of the meshes alone"},
    c.measurement.local_sky);
  f(Field{.section = section,
          .key = "nnw",
          .description = "Neural network of CLASS_STAR: SExtractor's `.nnw` (STARNNW_NAME); empty = no such column",
          .is_path = true,
          .numbers = network_numbers},
    c.measurement.nnw);
  f(Field{.section = section,
          .key = "seeing_fwhm",
          .description = "Full width at half maximum of stars in arcseconds, for CLASS_STAR (SEEING_FWHM)",
          .at_least = 0.001,
          .at_most = 10000,
          .why = "by it that network compares sizes"},
    c.measurement.seeing_fwhm);
}

}  // namespace srcextract::config
