#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "stages/measure/ellipse.hpp"
#include "stages/measure/row_column.hpp"
#include "stages/photometry/families.hpp"
#include "stages/photometry/star_network.hpp"
#include "stages/settings/settings.hpp"

namespace srcextract {

struct CorrectedFlux {
  double value, error;
};

/// Computes SExtractor's FLUX_ISOCOR (Maddox et al. 1990, MNRAS 243, 692) and its error: adds to the isophotal flux the
/// light that a Gaussian source has below the isophote. `pixels` is the number of pixels above `threshold`. A flux that
/// is not above 0 is returned unchanged.
inline CorrectedFlux corrected_flux(double flux, double error, double pixels, double threshold) {
  if (!(flux > 0)) return {flux, error};
  const double eta = std::clamp(pixels * threshold / flux, 0.0, 1.0), share = error * error / (flux * flux);
  const double delta = eta * std::sqrt(share + 1 / pixels);
  const double of_eta = 0.196099 * delta + 1.502416 * eta * delta;
  return {flux / (1 - 0.196099 * eta - 0.751208 * eta * eta), flux * std::sqrt(share + of_eta * of_eta)};
}

/// All results for source i: the columns that every catalogue has, with the final FLAGS, and the rows of the families
/// (groups of measurements) that were measured. A column whose formula reads the rows of a family must declare
/// family_names of this family.
struct SourceRow {
  const UsualValues& sources;
  std::size_t i;
  const Photometry<Cpu>& photometry;
  const MeasurementConfig& config;
  const Resources& resources;

  CorrectedFlux corrected() const {
    return corrected_flux(sources.flux_iso[i], sources.fluxerr_iso[i], static_cast<double>(sources.npix[i]),
                          sources.threshold[i]);
  }
  SecondMoments moments() const { return {sources.x2_image[i], sources.y2_image[i], sources.xy_image[i]}; }
  const EllipseFlux& kron() const { return *photometry.of<KronFamily>().of(static_cast<std::int64_t>(i)); }
  double growth_step() const { return photometry.of<GrowthFamily>().of(static_cast<std::int64_t>(i))->step; }
  const ProfileRow& profile() const { return *photometry.of<ProfileFamily>().of(static_cast<std::int64_t>(i)); }
  /// Whether neighbours or bad pixels cover more than a tenth of a measured ellipse. FLUX_BEST is then FLUX_ISOCOR.
  bool is_crowded() const { return (sources.flags[i] & flag::crowded) != 0; }
};

using SourceColumn = RowColumn<SourceRow>;

inline constexpr SourceColumn magnitude_columns[] = {
    {"MAG_ISO", "mag", magnitude_ucd, "Magnitude of FLUX_ISO; 99 if that is not above 0", "photometry",
     [](const SourceRow& s, const FluxCalibration& at) { return at.magnitude(s.sources.flux_iso[s.i]); }},
    {"MAGERR_ISO", "mag", magnitude_error_ucd, "RMS error of MAG_ISO", "photometry",
     [](const SourceRow& s, const FluxCalibration& at) {
       return at.magnitude_error(s.sources.flux_iso[s.i], s.sources.fluxerr_iso[s.i]);
     }},
};

inline constexpr SourceColumn isophote_columns[] = {
    {"FLUX_ISOCOR", pixel_sum_unit, flux_ucd, "FLUX_ISO and what a Gaussian has below the isophote", "profile",
     [](const SourceRow& s, const FluxCalibration&) { return s.corrected().value; }},
    {"FLUXERR_ISOCOR", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_ISOCOR", "profile",
     [](const SourceRow& s, const FluxCalibration&) { return s.corrected().error; }},
    {"MAG_ISOCOR", "mag", magnitude_ucd, "Magnitude of FLUX_ISOCOR; 99 if that is not above 0", "profile",
     [](const SourceRow& s, const FluxCalibration& at) { return at.magnitude(s.corrected().value); }},
    {"MAGERR_ISOCOR", "mag", magnitude_error_ucd, "RMS error of MAG_ISOCOR", "profile",
     [](const SourceRow& s, const FluxCalibration& at) {
       return at.magnitude_error(s.corrected().value, s.corrected().error);
     }},
    {"ISOAREAF_IMAGE", "pixel", area_ucd, "Number of detected pixels, as NPIX", "profile",
     [](const SourceRow& s, const FluxCalibration&) { return s.sources.npix[s.i]; }, of_found},
    {"THRESHOLDMAX", pixel_value_unit, "instr.sensitivity", "THRESHOLD, by the name that SExtractor has, too",
     "profile", [](const SourceRow& s, const FluxCalibration&) { return s.sources.threshold[s.i]; }, of_found},
    {"MU_MAX", "mag.arcsec**(-2)", "phot.mag.sb;stat.max", "Surface brightness of FLUX_MAX", "profile",
     [](const SourceRow& s, const FluxCalibration& at) { return at.surface_brightness(s.sources.flux_max[s.i]); }},
    {"MU_THRESHOLD", "mag.arcsec**(-2)", "phot.mag.sb;instr.sensitivity",
     "Surface brightness of the analysis threshold above the sky", "profile",
     [](const SourceRow& s, const FluxCalibration& at) {
       const double lowest = s.profile().threshold;
       const bool known = lowest > 0 && lowest <= std::numeric_limits<float>::max();
       return at.surface_brightness(known ? lowest : at.analysis);
     },
     of_measured, family_names<ProfileFamily>},
    {"ELONGATION", "", "src.ellipticity", "A_IMAGE / B_IMAGE", "shapes",
     [](const SourceRow& s, const FluxCalibration&) { return s.sources.a_image[s.i] / s.sources.b_image[s.i]; },
     of_found},
    {"ELLIPTICITY", "", "src.ellipticity", "1 - B_IMAGE / A_IMAGE", "shapes",
     [](const SourceRow& s, const FluxCalibration&) { return 1 - s.sources.b_image[s.i] / s.sources.a_image[s.i]; },
     of_found},
    {"POLAR_IMAGE", "", "src.ellipticity", "(A_IMAGE^2 - B_IMAGE^2) / (A_IMAGE^2 + B_IMAGE^2)", "shapes",
     [](const SourceRow& s, const FluxCalibration&) {
       const double a = s.sources.a_image[s.i], b = s.sources.b_image[s.i];
       return (a * a - b * b) / (a * a + b * b);
     },
     of_found},
    {"CXX_IMAGE", "pixel**(-2)", "src.morph.param;instr.det", "Of the ellipse CXX dx^2 + CYY dy^2 + CXY dx dy = 1",
     "shapes", [](const SourceRow& s, const FluxCalibration&) { return form_of(s.moments()).cxx; }, of_found},
    {"CYY_IMAGE", "pixel**(-2)", "src.morph.param;instr.det", "Of that ellipse", "shapes",
     [](const SourceRow& s, const FluxCalibration&) { return form_of(s.moments()).cyy; }, of_found},
    {"CXY_IMAGE", "pixel**(-2)", "src.morph.param;instr.det", "Of that ellipse", "shapes",
     [](const SourceRow& s, const FluxCalibration&) { return form_of(s.moments()).cxy; }, of_found},
};

inline constexpr SourceColumn classifier_columns[] = {
    {"CLASS_STAR",
     "",
     "src.class.starGalaxy",
     "From 0 (extended) to 1 (star), by a neural network",
     "profile",
     [](const SourceRow& s, const FluxCalibration& at) {
       const StarNetwork network{std::span(*s.resources.numbers_of(network_key)).first<StarNetwork::size>()};
       return star_class(network, s.profile(), s.config.seeing_fwhm,
                         s.resources.class_scale > 0 ? s.resources.class_scale : at.pixel_scale);
     },
     of_measured,
     family_names<ProfileFamily>,
     {network_key, [](const Settings& config) -> const std::string& { return config.measurement.nnw; }}},
};

/// The difference of radius between two circles of FLUX_GROWTH: one column, not one per circle.
inline constexpr SourceColumn growth_step_columns[] = {
    {"FLUX_GROWTHSTEP", "pixel", "phys.angSize;instr.det", "Step of radius between two circles of FLUX_GROWTH",
     "growth", [](const SourceRow& s, const FluxCalibration&) { return s.growth_step(); }, of_measured,
     family_names<GrowthFamily>},
    {"MAG_GROWTHSTEP", "pixel", "phys.angSize;instr.det", "FLUX_GROWTHSTEP, by the name that SExtractor has, too",
     "growth", [](const SourceRow& s, const FluxCalibration&) { return s.growth_step(); }, of_measured,
     family_names<GrowthFamily>},
};

/// FLUX_BEST, its error and magnitudes: the light in the Kron ellipse or, if the source is crowded, FLUX_ISOCOR.
inline constexpr SourceColumn best_columns[] = {
    {"FLUX_BEST", pixel_sum_unit, flux_ucd, "FLUX_AUTO, or FLUX_ISOCOR where FLAGS has 1", "profile",
     [](const SourceRow& s, const FluxCalibration&) { return s.is_crowded() ? s.corrected().value : s.kron().flux; },
     of_measured, family_names<KronFamily>},
    {"FLUXERR_BEST", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_BEST", "profile",
     [](const SourceRow& s, const FluxCalibration& at) {
       return s.is_crowded() ? s.corrected().error : s.kron().error(at);
     },
     of_measured, family_names<KronFamily>},
    {"MAG_BEST", "mag", magnitude_ucd, "Magnitude of FLUX_BEST; 99 if that is not above 0", "profile",
     [](const SourceRow& s, const FluxCalibration& at) {
       return at.magnitude(s.is_crowded() ? s.corrected().value : s.kron().flux);
     },
     of_measured, family_names<KronFamily>},
    {"MAGERR_BEST", "mag", magnitude_error_ucd, "RMS error of MAG_BEST", "profile",
     [](const SourceRow& s, const FluxCalibration& at) {
       return s.is_crowded() ? at.magnitude_error(s.corrected().value, s.corrected().error)
                             : at.magnitude_error(s.kron().flux, s.kron().error(at));
     },
     of_measured, family_names<KronFamily>},
};

}  // namespace srcextract
