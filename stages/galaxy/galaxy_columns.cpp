#include "stages/galaxy/galaxy_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <string_view>
#include <vector>

namespace srcextract {
namespace {

using At = FluxCalibration;

constexpr const char* whole_model = "model";
constexpr const char* of_its_spheroid = "spheroid";
constexpr const char* of_its_disk = "disk";
constexpr const char* brightness_ucd = "phot.mag.sb";
constexpr const char* size_ucd = "phys.angSize;instr.det";
constexpr const char* size_error_ucd = "stat.error;phys.angSize;instr.det";
constexpr const char* angle_ucd = "pos.posAng;instr.det";
constexpr const char* angle_error_ucd = "stat.error;pos.posAng;instr.det";
constexpr const char* shape_ucd = "src.morph.param";
constexpr const char* shape_error_ucd = "stat.error;src.morph.param";
constexpr const char* magnitude_per_area = "mag.arcsec**(-2)";
constexpr double scales_in_radius = 1.6783469900166605;  ///< half-light radius of an exponential profile in e-folds

/// Angle between the line of sight and the normal of a thin disk, with its error as SExtractor has it.
WithError inclination(const ProfileShape& disk) {
  constexpr double degrees = 180 / std::numbers::pi, least_sine = 0.1;
  const double q = disk.aspect.value, sine = std::sqrt(std::fmax(0, 1 - q * q));
  return {portable_atan2(sine, q) * degrees, disk.aspect.error / std::fmax(sine, least_sine) * degrees};
}

/// The four columns of a flux: value, error, magnitude and its error.
template <class Flux>
std::vector<GalaxyColumn> light(std::array<const char*, 4> names, std::array<const char*, 4> texts, const char* group,
                                Flux) {
  return {{names[0], pixel_sum_unit, flux_ucd, texts[0], group,
           [](const GalaxyRow& r, const At&) { return Flux{}(r).value; }},
          {names[1], pixel_sum_unit, flux_error_ucd, texts[1], group,
           [](const GalaxyRow& r, const At&) { return Flux{}(r).error; }},
          {names[2], "mag", magnitude_ucd, texts[2], group,
           [](const GalaxyRow& r, const At& at) { return at.magnitude(Flux{}(r).value); }},
          {names[3], "mag", magnitude_error_ucd, texts[3], group,
           [](const GalaxyRow& r, const At& at) { return at.magnitude_error(Flux{}(r).value, Flux{}(r).error); }}};
}

/// The six columns of a profile's brightness without the PSF: at its centre, at its half-light radius, and the mean
/// within that.
template <class Shape, class Flux>
std::vector<GalaxyColumn> brightness(std::array<const char*, 6> names, std::array<const char*, 6> texts,
                                     const char* group, Shape, Flux) {
  return {{names[0], pixel_value_unit, "phot.flux;stat.max", texts[0], group,
           [](const GalaxyRow& r, const At&) { return Flux{}(r)*Shape{}(r).at_centre; }},
          {names[1], pixel_value_unit, flux_ucd, texts[1], group,
           [](const GalaxyRow& r, const At&) { return Flux{}(r)*Shape{}(r).at_radius; }},
          {names[2], pixel_value_unit, "phot.flux;stat.mean", texts[2], group,
           [](const GalaxyRow& r, const At&) { return Flux{}(r)*Shape{}(r).within_radius; }},
          {names[3], magnitude_per_area, brightness_ucd, texts[3], group,
           [](const GalaxyRow& r, const At& at) { return at.surface_brightness(Flux{}(r)*Shape{}(r).at_centre); }},
          {names[4], magnitude_per_area, brightness_ucd, texts[4], group,
           [](const GalaxyRow& r, const At& at) { return at.surface_brightness(Flux{}(r)*Shape{}(r).at_radius); }},
          {names[5], magnitude_per_area, brightness_ucd, texts[5], group,
           [](const GalaxyRow& r, const At& at) { return at.surface_brightness(Flux{}(r)*Shape{}(r).within_radius); }}};
}

std::vector<GalaxyColumn> all_galaxy_columns() {
  std::vector<GalaxyColumn> all;
  const auto add = [&](std::vector<GalaxyColumn> more) { all.insert(all.end(), more.begin(), more.end()); };
  add(light({"FLUX_MODEL", "FLUXERR_MODEL", "MAG_MODEL", "MAGERR_MODEL"},
            {"Total light of the fitted model", "RMS error of FLUX_MODEL",
             "Magnitude of FLUX_MODEL; 99 if that is not above 0", "RMS error of MAG_MODEL"},
            whole_model, [](const GalaxyRow& r) { return r.total(); }));
  add({{"XMODEL_IMAGE", "pixel", "pos.cartesian.x;instr.det", "x of the fitted model, 1-based", whole_model,
        [](const GalaxyRow& r, const At&) { return r.x + 1; }},
       {"YMODEL_IMAGE", "pixel", "pos.cartesian.y;instr.det", "y of the fitted model, 1-based", whole_model,
        [](const GalaxyRow& r, const At&) { return r.y + 1; }},
       {"ERRX2MODEL_IMAGE", "pixel**2", x2_error_ucd, "Variance of XMODEL_IMAGE", whole_model,
        [](const GalaxyRow& r, const At&) { return r.variance(of_centre_x); }},
       {"ERRY2MODEL_IMAGE", "pixel**2", y2_error_ucd, "Variance of YMODEL_IMAGE", whole_model,
        [](const GalaxyRow& r, const At&) { return r.variance(of_centre_y); }},
       {"ERRXYMODEL_IMAGE", "pixel**2", xy_error_ucd, "Covariance of XMODEL_IMAGE and YMODEL_IMAGE", whole_model,
        [](const GalaxyRow& r, const At&) { return r.covariance(of_centre_x, of_centre_y); }},
       {"CHI2_MODEL", "", "stat.fit.chi2", "Reduced chi^2 of the model", whole_model,
        [](const GalaxyRow& r, const At&) { return r.chi2(); }},
       {"NITER_MODEL", "", "meta.number", "Steps of the fit", whole_model,
        [](const GalaxyRow& r, const At&) { return static_cast<std::int32_t>(r.fit.rounds); }},
       {"FLAGS_MODEL", "", "meta.code",
        "1 cut by the largest box, 4 too few pixels (all values are NaN), 8 a parameter at its lower limit, 16 at its "
        "upper "
        "limit, 32 the fit did not end",
        whole_model, [](const GalaxyRow& r, const At&) { return static_cast<std::int16_t>(r.fit.flags); }}});
  add(light({"FLUX_POINTSOURCE", "FLUXERR_POINTSOURCE", "MAG_POINTSOURCE", "MAGERR_POINTSOURCE"},
            {"Light of the fitted star", "RMS error of FLUX_POINTSOURCE",
             "Magnitude of FLUX_POINTSOURCE; 99 if that is not above 0", "RMS error of MAG_POINTSOURCE"},
            whole_model, [](const GalaxyRow& r) { return r.flux(of_point_flux); }));
  add({{"FLUX_BACKOFFSET", pixel_value_unit, "instr.background", "Fitted level of the sky above BACKGROUND",
        whole_model, [](const GalaxyRow& r, const At&) { return r.flux(of_level).value; }},
       {"FLUXERR_BACKOFFSET", pixel_value_unit, "stat.error;instr.background", "RMS error of FLUX_BACKOFFSET",
        whole_model, [](const GalaxyRow& r, const At&) { return r.flux(of_level).error; }}});

  add(light({"FLUX_SPHEROID", "FLUXERR_SPHEROID", "MAG_SPHEROID", "MAGERR_SPHEROID"},
            {"Total light of the spheroid (Sersic profile)", "RMS error of FLUX_SPHEROID",
             "Magnitude of FLUX_SPHEROID; 99 if that is not above 0", "RMS error of MAG_SPHEROID"},
            of_its_spheroid, [](const GalaxyRow& r) { return r.flux(of_spheroid_flux); }));
  add({{"FLUXRATIO_SPHEROID", "", "phot.flux;arith.ratio", "Share of the spheroid in FLUX_MODEL", of_its_spheroid,
        [](const GalaxyRow& r, const At&) { return r.share(of_spheroid_flux).value; }},
       {"FLUXRATIOERR_SPHEROID", "", "stat.error;phot.flux;arith.ratio", "RMS error of FLUXRATIO_SPHEROID",
        of_its_spheroid, [](const GalaxyRow& r, const At&) { return r.share(of_spheroid_flux).error; }},
       {"SPHEROID_REFF_IMAGE", "pixel", size_ucd, "Half-light radius of the spheroid, on the major axis",
        of_its_spheroid, [](const GalaxyRow& r, const At&) { return r.spheroid().radius.value; }},
       {"SPHEROID_REFFERR_IMAGE", "pixel", size_error_ucd, "RMS error of SPHEROID_REFF_IMAGE", of_its_spheroid,
        [](const GalaxyRow& r, const At&) { return r.spheroid().radius.error; }},
       {"SPHEROID_ASPECT_IMAGE", "", shape_ucd, "Axis ratio of the spheroid, at most 1", of_its_spheroid,
        [](const GalaxyRow& r, const At&) { return r.spheroid().aspect.value; }},
       {"SPHEROID_ASPECTERR_IMAGE", "", shape_error_ucd, "RMS error of SPHEROID_ASPECT_IMAGE", of_its_spheroid,
        [](const GalaxyRow& r, const At&) { return r.spheroid().aspect.error; }},
       {"SPHEROID_THETA_IMAGE", "deg", angle_ucd, "Angle of the spheroid's major axis, from x towards y",
        of_its_spheroid, [](const GalaxyRow& r, const At&) { return r.spheroid().theta.value; }},
       {"SPHEROID_THETAERR_IMAGE", "deg", angle_error_ucd, "RMS error of SPHEROID_THETA_IMAGE", of_its_spheroid,
        [](const GalaxyRow& r, const At&) { return r.spheroid().theta.error; }},
       {"SPHEROID_SERSICN", "", shape_ucd, "Sersic index of the spheroid", of_its_spheroid,
        [](const GalaxyRow& r, const At&) { return r.spheroid().index.value; }},
       {"SPHEROID_SERSICNERR", "", shape_error_ucd, "RMS error of SPHEROID_SERSICN; 0 if the index is fixed",
        of_its_spheroid, [](const GalaxyRow& r, const At&) { return r.spheroid().index.error; }}});
  add(brightness(
      {"FLUX_MAX_SPHEROID", "FLUX_EFF_SPHEROID", "FLUX_MEAN_SPHEROID", "MU_MAX_SPHEROID", "MU_EFF_SPHEROID",
       "MU_MEAN_SPHEROID"},
      {"Spheroid at its centre, before the PSF", "Spheroid at its half-light radius",
       "Mean of the spheroid within that radius", "Surface brightness of FLUX_MAX_SPHEROID",
       "Surface brightness of FLUX_EFF_SPHEROID", "Surface brightness of FLUX_MEAN_SPHEROID"},
      of_its_spheroid, [](const GalaxyRow& r) { return r.spheroid(); },
      [](const GalaxyRow& r) { return r.fit.at.spheroid_flux; }));

  add(light({"FLUX_DISK", "FLUXERR_DISK", "MAG_DISK", "MAGERR_DISK"},
            {"Total light of the disk (exponential profile)", "RMS error of FLUX_DISK",
             "Magnitude of FLUX_DISK; 99 if that is not above 0", "RMS error of MAG_DISK"},
            of_its_disk, [](const GalaxyRow& r) { return r.flux(of_disk_flux); }));
  add({{"FLUXRATIO_DISK", "", "phot.flux;arith.ratio", "Share of the disk in FLUX_MODEL", of_its_disk,
        [](const GalaxyRow& r, const At&) { return r.share(of_disk_flux).value; }},
       {"FLUXRATIOERR_DISK", "", "stat.error;phot.flux;arith.ratio", "RMS error of FLUXRATIO_DISK", of_its_disk,
        [](const GalaxyRow& r, const At&) { return r.share(of_disk_flux).error; }},
       {"DISK_SCALE_IMAGE", "pixel", size_ucd, "Scale length (e-fold) of the disk, on the major axis", of_its_disk,
        [](const GalaxyRow& r, const At&) { return r.disk().radius.value / scales_in_radius; }},
       {"DISK_SCALEERR_IMAGE", "pixel", size_error_ucd, "RMS error of DISK_SCALE_IMAGE", of_its_disk,
        [](const GalaxyRow& r, const At&) { return r.disk().radius.error / scales_in_radius; }},
       {"DISK_ASPECT_IMAGE", "", shape_ucd, "Axis ratio of the disk, at most 1", of_its_disk,
        [](const GalaxyRow& r, const At&) { return r.disk().aspect.value; }},
       {"DISK_ASPECTERR_IMAGE", "", shape_error_ucd, "RMS error of DISK_ASPECT_IMAGE", of_its_disk,
        [](const GalaxyRow& r, const At&) { return r.disk().aspect.error; }},
       {"DISK_INCLINATION", "deg", angle_ucd, "Inclination of a thin disk of this axis ratio; 0: face-on", of_its_disk,
        [](const GalaxyRow& r, const At&) { return inclination(r.disk()).value; }},
       {"DISK_INCLINATIONERR", "deg", angle_error_ucd, "RMS error of DISK_INCLINATION", of_its_disk,
        [](const GalaxyRow& r, const At&) { return inclination(r.disk()).error; }},
       {"DISK_THETA_IMAGE", "deg", angle_ucd, "Angle of the disk's major axis, from x towards y", of_its_disk,
        [](const GalaxyRow& r, const At&) { return r.disk().theta.value; }},
       {"DISK_THETAERR_IMAGE", "deg", angle_error_ucd, "RMS error of DISK_THETA_IMAGE", of_its_disk,
        [](const GalaxyRow& r, const At&) { return r.disk().theta.error; }}});
  add(brightness(
      {"FLUX_MAX_DISK", "FLUX_EFF_DISK", "FLUX_MEAN_DISK", "MU_MAX_DISK", "MU_EFF_DISK", "MU_MEAN_DISK"},
      {"Disk at its centre, before the PSF", "Disk at its half-light radius", "Mean of the disk within that radius",
       "Surface brightness of FLUX_MAX_DISK", "Surface brightness of FLUX_EFF_DISK",
       "Surface brightness of FLUX_MEAN_DISK"},
      of_its_disk, [](const GalaxyRow& r) { return r.disk(); }, [](const GalaxyRow& r) { return r.fit.at.disk_flux; }));
  return all;
}

}  // namespace

std::span<const GalaxyColumn> galaxy_columns() {
  // The list is never destroyed, because a daemon thread of Python may use it while the process ends.
  static const auto& all = *new std::vector<GalaxyColumn>(all_galaxy_columns());
  return all;
}

std::vector<const char*> galaxy_groups(const GalaxyModel& model) {
  std::vector<const char*> groups = {whole_model};
  if (model.spheroid) groups.push_back(of_its_spheroid);
  if (model.disk) groups.push_back(of_its_disk);
  return groups;
}

GalaxyModel galaxy_model(const ModelConfig& config) {
  GalaxyModel model;
  model.spheroid = config.has_spheroid();
  model.free_index = config.has_free_index();
  model.disk = config.has_disk();
  model.point = config.fit == ModelFit::point;
  model.level = config.sky == ModelSky::free;
  return model;
}

void add_galaxy_columns(std::span<const GalaxyRow> rows, const GalaxyModel& model, const MeasurementConfig& config,
                        const ColumnChoice& choice, Sources& sources, const Cpu& where) {
  FluxCalibration calibration;
  calibration.zero_point = config.zero_point;
  calibration.pixel_scale = config.pixel_scale;
  const std::vector<const char*> groups = galaxy_groups(model);
  const auto has_group = [&](std::string_view group) {
    return std::ranges::any_of(groups, [&](const char* one) { return group == one; });
  };
  for (const GalaxyColumn& column : galaxy_columns()) {
    const std::string_view name = column.declared.column.name;
    const bool is_there = has_group(column.declared.group) && (model.point || name.find("POINTSOURCE") == name.npos) &&
                          (model.level || name.find("BACKOFFSET") == name.npos);
    if (is_there && choice.fills(name))
      add_column(column, CatalogPart::requested, sources, where,
                 [&](auto formula, std::size_t row) { return formula(rows[row], calibration); });
  }
}

}  // namespace srcextract
