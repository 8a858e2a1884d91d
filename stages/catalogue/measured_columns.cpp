#include "stages/catalogue/measured_columns.hpp"

#include <algorithm>

namespace srcextract {
namespace {

constexpr const char* flux_ucd = "phot.flux";
constexpr const char* flux_error_ucd = "stat.error;phot.flux";
constexpr const char* magnitude_ucd = "phot.mag";
constexpr const char* magnitude_error_ucd = "stat.error;phot.mag";
constexpr const char* area_ucd = "phys.angArea;instr.pixel";
constexpr const char* x2_ucd = "stat.variance;pos.cartesian.x;instr.det";
constexpr const char* y2_ucd = "stat.variance;pos.cartesian.y;instr.det";
constexpr const char* xy_ucd = "stat.covariance;pos.cartesian;instr.det";
constexpr const char* x2_error_ucd = "stat.error;pos.cartesian.x;instr.det";
constexpr const char* y2_error_ucd = "stat.error;pos.cartesian.y;instr.det";
constexpr const char* xy_error_ucd = "stat.error;pos.cartesian;instr.det";

constexpr MeasuredColumn of_type(ColumnType type, MeasuredColumn column) {
  column.type = type;
  return column;
}

constexpr MeasuredColumn all_columns[] = {
    {{"MAG_ISO", "mag", magnitude_ucd, "Magnitude of FLUX_ISO; 99 if that is not above 0", 0},
     Family::isophote,
     "photometry"},
    {{"MAGERR_ISO", "mag", magnitude_error_ucd, "RMS error of MAG_ISO", 0}, Family::isophote, "photometry"},
    {{"FLUX_APER", pixel_sum_unit, flux_ucd, "Sum of pixels in a circle, above BACKGROUND", 0},
     Family::circles,
     "photometry",
     true},
    {{"FLUXERR_APER", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_APER", 0},
     Family::circles,
     "photometry",
     true},
    {{"MAG_APER", "mag", magnitude_ucd, "Magnitude of FLUX_APER; 99 if that is not above 0", 0},
     Family::circles,
     "photometry",
     true},
    {{"MAGERR_APER", "mag", magnitude_error_ucd, "RMS error of MAG_APER", 0}, Family::circles, "photometry", true},
    {{"FLUX_AUTO", pixel_sum_unit, flux_ucd, "Sum of pixels in the Kron ellipse, above BACKGROUND", 0},
     Family::kron,
     "photometry"},
    {{"FLUXERR_AUTO", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_AUTO", 0}, Family::kron, "photometry"},
    {{"MAG_AUTO", "mag", magnitude_ucd, "Magnitude of FLUX_AUTO; 99 if that is not above 0", 0},
     Family::kron,
     "photometry"},
    {{"MAGERR_AUTO", "mag", magnitude_error_ucd, "RMS error of MAG_AUTO", 0}, Family::kron, "photometry"},
    {{"KRON_RADIUS", "", "phys.angSize;arith.ratio", "Size of the Kron ellipse in units of A_IMAGE and B_IMAGE", 0},
     Family::kron,
     "photometry"},
    {{"FLUX_PETRO", pixel_sum_unit, flux_ucd, "Sum of pixels in the Petrosian ellipse, above BACKGROUND", 0},
     Family::petrosian,
     "profile"},
    {{"FLUXERR_PETRO", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_PETRO", 0}, Family::petrosian, "profile"},
    {{"MAG_PETRO", "mag", magnitude_ucd, "Magnitude of FLUX_PETRO; 99 if that is not above 0", 0},
     Family::petrosian,
     "profile"},
    {{"MAGERR_PETRO", "mag", magnitude_error_ucd, "RMS error of MAG_PETRO", 0}, Family::petrosian, "profile"},
    {{"PETRO_RADIUS", "", "phys.angSize;arith.ratio", "Size of the Petrosian ellipse in units of A_IMAGE and B_IMAGE",
      0},
     Family::petrosian,
     "profile"},
    {{"FLUX_RADIUS", "pixel", "phys.angSize;instr.det", "Radius of the circle that holds a part of FLUX_AUTO", 0},
     Family::light_radii,
     "profile",
     true},
    {{"XWIN_IMAGE", "pixel", "pos.cartesian.x;instr.det", "x under a Gaussian window that follows it, 1-based", 0},
     Family::window,
     "windowed"},
    {{"YWIN_IMAGE", "pixel", "pos.cartesian.y;instr.det", "y under that window, 1-based", 0},
     Family::window,
     "windowed"},
    {{"X2WIN_IMAGE", "pixel**2", x2_ucd, "Variance along x under that window", 0}, Family::window, "windowed"},
    {{"Y2WIN_IMAGE", "pixel**2", y2_ucd, "Variance along y under that window", 0}, Family::window, "windowed"},
    {{"XYWIN_IMAGE", "pixel**2", xy_ucd, "Covariance of x and y under that window", 0}, Family::window, "windowed"},
    {{"ERRX2WIN_IMAGE", "pixel**2", x2_error_ucd, "Variance of XWIN_IMAGE by noise", 0}, Family::window, "windowed"},
    {{"ERRY2WIN_IMAGE", "pixel**2", y2_error_ucd, "Variance of YWIN_IMAGE by noise", 0}, Family::window, "windowed"},
    {{"ERRXYWIN_IMAGE", "pixel**2", xy_error_ucd, "Their covariance by noise", 0}, Family::window, "windowed"},
    {{"AWIN_IMAGE", "pixel", "phys.angSize.smajAxis;instr.det", "Profile RMS along the major axis, windowed", 0},
     Family::window,
     "windowed"},
    {{"BWIN_IMAGE", "pixel", "phys.angSize.sminAxis;instr.det", "Profile RMS along the minor axis, windowed", 0},
     Family::window,
     "windowed"},
    {{"THETAWIN_IMAGE", "deg", "pos.posAng;instr.det", "Angle of the windowed major axis, from x towards y", 0},
     Family::window,
     "windowed"},
    {{"FLUX_WIN", pixel_sum_unit, flux_ucd, "Sum of pixels times the window", 0}, Family::window, "windowed"},
    {{"FLUXERR_WIN", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_WIN", 0}, Family::window, "windowed"},
    {{"MAG_WIN", "mag", magnitude_ucd, "Magnitude of FLUX_WIN; 99 if that is not above 0", 0},
     Family::window,
     "windowed"},
    {{"MAGERR_WIN", "mag", magnitude_error_ucd, "RMS error of MAG_WIN", 0}, Family::window, "windowed"},
    {{"SNR_WIN", "", "stat.snr", "FLUX_WIN / FLUXERR_WIN", 0}, Family::window, "windowed"},
    of_type(ColumnType::int16,
            {{"NITER_WIN", "", "meta.number", "Rounds until the window was at rest; 17 if it was not", 0},
             Family::window,
             "windowed"}),
    of_type(ColumnType::int16,
            {{"FLAGS_WIN", "", "meta.code",
              "1 no ellipse, 2 negative variance, 4 no light, 8 strayed: then values are isophotal", 0},
             Family::window,
             "windowed"}),
    {{"FWHM_IMAGE", "pixel", "phys.angSize;instr.det", "Width of the core at half maximum, as a Gaussian fits it", 0},
     Family::profile,
     "profile"},
    of_type(ColumnType::int32,
            {{"ISO0", "pixel", area_ucd, "Pixels above level 0 of 8 from the analysis threshold to the peak", 0},
             Family::profile,
             "profile"}),
    of_type(ColumnType::int32,
            {{"ISO1", "pixel", area_ucd, "Pixels above level 1 of 8 from the analysis threshold to the peak", 0},
             Family::profile,
             "profile"}),
    of_type(ColumnType::int32,
            {{"ISO2", "pixel", area_ucd, "Pixels above level 2 of 8 from the analysis threshold to the peak", 0},
             Family::profile,
             "profile"}),
    of_type(ColumnType::int32,
            {{"ISO3", "pixel", area_ucd, "Pixels above level 3 of 8 from the analysis threshold to the peak", 0},
             Family::profile,
             "profile"}),
    of_type(ColumnType::int32,
            {{"ISO4", "pixel", area_ucd, "Pixels above level 4 of 8 from the analysis threshold to the peak", 0},
             Family::profile,
             "profile"}),
    of_type(ColumnType::int32,
            {{"ISO5", "pixel", area_ucd, "Pixels above level 5 of 8 from the analysis threshold to the peak", 0},
             Family::profile,
             "profile"}),
    of_type(ColumnType::int32,
            {{"ISO6", "pixel", area_ucd, "Pixels above level 6 of 8 from the analysis threshold to the peak", 0},
             Family::profile,
             "profile"}),
    of_type(ColumnType::int32,
            {{"ISO7", "pixel", area_ucd, "Pixels above level 7 of 8 from the analysis threshold to the peak", 0},
             Family::profile,
             "profile"}),
    {{"ERRX2_IMAGE", "pixel**2", x2_error_ucd, "Variance of X_IMAGE by noise", 0}, Family::position_noise, "shapes"},
    {{"ERRY2_IMAGE", "pixel**2", y2_error_ucd, "Variance of Y_IMAGE by noise", 0}, Family::position_noise, "shapes"},
    {{"ERRXY_IMAGE", "pixel**2", xy_error_ucd, "Their covariance by noise", 0}, Family::position_noise, "shapes"},
    {{"ERRA_IMAGE", "pixel", "stat.error;phys.angSize.smajAxis;instr.det",
      "RMS error of the position along its major axis", 0},
     Family::position_noise,
     "shapes"},
    {{"ERRB_IMAGE", "pixel", "stat.error;phys.angSize.sminAxis;instr.det",
      "RMS error of the position along its minor axis", 0},
     Family::position_noise,
     "shapes"},
    {{"ERRTHETA_IMAGE", "deg", "stat.error;pos.posAng;instr.det", "Angle of that major axis, from x towards y", 0},
     Family::position_noise,
     "shapes"},
    {{"FLUX_ISOCOR", pixel_sum_unit, flux_ucd, "FLUX_ISO and what a Gaussian has below the isophote", 0},
     Family::isophote,
     "profile"},
    {{"FLUXERR_ISOCOR", pixel_sum_unit, flux_error_ucd, "RMS error of FLUX_ISOCOR", 0}, Family::isophote, "profile"},
    {{"MAG_ISOCOR", "mag", magnitude_ucd, "Magnitude of FLUX_ISOCOR; 99 if that is not above 0", 0},
     Family::isophote,
     "profile"},
    {{"MAGERR_ISOCOR", "mag", magnitude_error_ucd, "RMS error of MAG_ISOCOR", 0}, Family::isophote, "profile"},
    of_type(
        ColumnType::int64,
        {{"ISOAREAF_IMAGE", "pixel", area_ucd, "Number of detected pixels, as NPIX", 0}, Family::isophote, "profile"}),
    {{"MU_MAX", "mag.arcsec**(-2)", "phot.mag.sb;stat.max", "Surface brightness of FLUX_MAX", 0},
     Family::isophote,
     "profile"},
    {{"ELONGATION", "", "src.ellipticity", "A_IMAGE / B_IMAGE", 0}, Family::isophote, "shapes"},
    {{"ELLIPTICITY", "", "src.ellipticity", "1 - B_IMAGE / A_IMAGE", 0}, Family::isophote, "shapes"},
    {{"CXX_IMAGE", "pixel**(-2)", "src.morph.param;instr.det", "Of the ellipse CXX dx^2 + CYY dy^2 + CXY dx dy = 1", 0},
     Family::isophote,
     "shapes"},
    {{"CYY_IMAGE", "pixel**(-2)", "src.morph.param;instr.det", "Of that ellipse", 0}, Family::isophote, "shapes"},
    {{"CXY_IMAGE", "pixel**(-2)", "src.morph.param;instr.det", "Of that ellipse", 0}, Family::isophote, "shapes"},
};

/// The names of the columns that there are without being asked for.
std::vector<std::string> default_names() {
  Sources any;
  any.map_flags.emplace_back();
  any.analysed = any.deblended = any.has_sign = any.sky = true;
  std::vector<std::string> names;
  for_each_column(any, [&](const Column& column, const auto&) { names.emplace_back(column.name); });
  return names;
}

bool holds(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

std::span<const MeasuredColumn> measured_columns() {
  return all_columns;
}

std::vector<std::string> column_groups() {
  std::vector<std::string> groups = {"default"};
  for (const MeasuredColumn& measured : all_columns)
    if (!holds(groups, measured.group)) groups.emplace_back(measured.group);
  groups.emplace_back("all");
  return groups;
}

std::vector<std::string> column_names() {
  std::vector<std::string> names = column_groups();
  for (std::string& name : default_names()) names.push_back(std::move(name));
  for (const MeasuredColumn& measured : all_columns) names.emplace_back(measured.column.name);
  return names;
}

ColumnChoice::ColumnChoice(const std::vector<std::string>& asked) {
  const bool all = holds(asked, "all");
  if (all || holds(asked, "default")) names_ = default_names();
  for (const MeasuredColumn& measured : all_columns)
    if (all || holds(asked, measured.group)) names_.emplace_back(measured.column.name);
  names_.insert(names_.end(), asked.begin(), asked.end());
}

bool ColumnChoice::has(std::string_view name) const {
  return holds(names_, name);
}

bool ColumnChoice::needs(Family family) const {
  if (family == Family::kron && needs(Family::light_radii)) return true;
  if (family == Family::light_radii && needs(Family::window)) return true;
  return std::ranges::any_of(all_columns, [&](const MeasuredColumn& measured) {
    return measured.family == family && has(measured.column.name);
  });
}

}  // namespace srcextract
