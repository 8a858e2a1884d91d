#pragma once

#include <array>
#include <cmath>

#include "stages/catalogue/declared_columns.hpp"
#include "stages/catalogue/local_sky.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/measure/ellipse.hpp"

namespace srcextract {

/// Input of a column's formula: the sky coordinates at a position, and a quantity in pixels to convert to degrees.
struct SkyRow {
  const LocalSky& sky;
  /// the quantity: second moments x2, y2, xy in pixels^2, or a single length or area in pixels, or an
  /// ellipse: semi-major axis in pixels, axis ratio, and angle in degrees from x towards y
  std::array<double, 3> turned;

  double x() const { return sky.world[0]; }
  double y() const { return sky.world[1]; }
  double longitude() const { return sky.native.alpha; }
  double latitude() const { return sky.native.delta; }
  double right_ascension() const { return sky.j2000.alpha; }
  double declination() const { return sky.j2000.delta; }
  double right_ascension_b1950() const { return sky.b1950.alpha; }
  double declination_b1950() const { return sky.b1950.delta; }
  double x2() const { return world().x2; }
  double y2() const { return world().y2; }
  double xy() const { return world().xy; }
  double a() const { return ellipse_or_none(world()).a; }
  double b() const { return ellipse_or_none(world()).b; }
  double theta() const { return ellipse_or_none(world()).theta; }
  double position_angle() const { return north_to_east(sky.native_steps); }
  double position_angle_j2000() const { return north_to_east(sky.j2000_steps); }
  double position_angle_b1950() const { return north_to_east(sky.b1950_steps); }
  double polarisation() const { return polarisation_of(world()); }
  double cxx() const { return form_of(world()).cxx; }
  double cyy() const { return form_of(world()).cyy; }
  double cxy() const { return form_of(world()).cxy; }
  double profile_size() const { return of_ellipse().a(); }
  double profile_aspect() const { return of_ellipse().b() / of_ellipse().a(); }
  double profile_theta() const { return of_ellipse().theta(); }
  double profile_position_angle() const { return of_ellipse().position_angle(); }
  double profile_position_angle_j2000() const { return of_ellipse().position_angle_j2000(); }
  double profile_position_angle_b1950() const { return of_ellipse().position_angle_b1950(); }
  double area() const { return turned[0] * pixel(); }
  double width() const { return turned[0] * std::sqrt(pixel()); }

 private:
  /// The ellipse that `turned` describes, as second moments.
  SkyRow of_ellipse() const {
    constexpr double radians = 0.017453292519943295;
    const CosineSine at = portable_cosine_sine(turned[2] * radians);
    const double a2 = turned[0] * turned[0], b2 = a2 * turned[1] * turned[1];
    return {sky,
            {a2 * at.cosine * at.cosine + b2 * at.sine * at.sine, a2 * at.sine * at.sine + b2 * at.cosine * at.cosine,
             (a2 - b2) * at.cosine * at.sine}};
  }
  /// Returns the second moments in degrees^2, with x to the east and y to the north.
  SecondMoments moments(const SkySteps& steps) const {
    const double x2 = turned[0], y2 = turned[1], xy = turned[2];
    const auto along = [&](const std::array<double, 2>& a, const std::array<double, 2>& b) {
      return a[0] * b[0] * x2 + a[1] * b[1] * y2 + (a[0] * b[1] + a[1] * b[0]) * xy;
    };
    return {along(steps.east, steps.east), along(steps.north, steps.north), along(steps.east, steps.north)};
  }
  /// Returns the second moments along the header's first and second sky coordinate, in degrees^2.
  SecondMoments world() const {
    const SecondMoments m = moments(sky.native_steps);
    return sky.latitude_first ? SecondMoments{m.y2, m.x2, m.xy} : m;
  }
  /// Returns the angle of the major axis in degrees, from north to east.
  double north_to_east(const SkySteps& steps) const {
    const SecondMoments m = moments(steps);
    return ellipse_or_none({m.y2, m.x2, m.xy}).theta;
  }
  /// Returns the area of a pixel at this position in square degrees.
  double pixel() const {
    const SkySteps& steps = sky.native_steps;
    return std::abs(steps.east[0] * steps.north[1] - steps.east[1] * steps.north[0]);
  }
};

struct SkyColumn {
  DeclaredColumn declared;
  double (SkyRow::*value)() const;

  constexpr SkyColumn(const char* name, const char* unit, const char* ucd, const char* description,
                      const ColumnNeeds& needs, double (SkyRow::*formula)() const, bool image = of_measured)
      : declared{{name, unit, ucd, description, 0, image}, {}, "world", false, ColumnType::float64, needs},
        value(formula) {}
};

inline constexpr const char* world_variance_ucd = "stat.variance;pos";
inline constexpr const char* world_covariance_ucd = "stat.covariance;pos";
inline constexpr const char* world_error_ucd = "stat.error;pos";

inline constexpr ColumnNeeds of_position = {"X_IMAGE", "Y_IMAGE"};
inline constexpr ColumnNeeds of_peak = {"XPEAK_IMAGE", "YPEAK_IMAGE"};
inline constexpr ColumnNeeds of_window_position = {"XWIN_IMAGE", "YWIN_IMAGE"};
inline constexpr ColumnNeeds of_star_position = {"XPSF_IMAGE", "YPSF_IMAGE"};
inline constexpr ColumnNeeds of_model_position = {"XMODEL_IMAGE", "YMODEL_IMAGE"};
inline constexpr ColumnNeeds of_spheroid = {"XMODEL_IMAGE", "YMODEL_IMAGE", "SPHEROID_REFF_IMAGE",
                                            "SPHEROID_ASPECT_IMAGE", "SPHEROID_THETA_IMAGE"};
inline constexpr ColumnNeeds of_disk = {"XMODEL_IMAGE", "YMODEL_IMAGE", "DISK_SCALE_IMAGE", "DISK_ASPECT_IMAGE",
                                        "DISK_THETA_IMAGE"};
inline constexpr ColumnNeeds of_moments = {"X_IMAGE", "Y_IMAGE", "X2_IMAGE", "Y2_IMAGE", "XY_IMAGE"};
inline constexpr ColumnNeeds of_errors = {"X_IMAGE", "Y_IMAGE", "ERRX2_IMAGE", "ERRY2_IMAGE", "ERRXY_IMAGE"};
inline constexpr ColumnNeeds of_window_moments = {"XWIN_IMAGE", "YWIN_IMAGE", "X2WIN_IMAGE", "Y2WIN_IMAGE",
                                                  "XYWIN_IMAGE"};
inline constexpr ColumnNeeds of_window_errors = {"XWIN_IMAGE", "YWIN_IMAGE", "ERRX2WIN_IMAGE", "ERRY2WIN_IMAGE",
                                                 "ERRXYWIN_IMAGE"};
inline constexpr ColumnNeeds of_area = {"X_IMAGE", "Y_IMAGE", "NPIX"};
inline constexpr ColumnNeeds of_analysed_area = {"X_IMAGE", "Y_IMAGE", "ISOAREA_IMAGE"};
inline constexpr ColumnNeeds of_width = {"X_IMAGE", "Y_IMAGE", "FWHM_IMAGE"};

/// The columns in catalogue order. Columns with the same needs must be adjacent.
inline constexpr SkyColumn sky_columns[] = {
    {"X_WORLD", "deg", "pos", "First sky coordinate of X_IMAGE, Y_IMAGE, in the header's system", of_position,
     &SkyRow::x, of_found},
    {"Y_WORLD", "deg", "pos", "Second sky coordinate of it", of_position, &SkyRow::y, of_found},
    {"ALPHA_SKY", "deg", "pos", "Longitude of X_IMAGE, Y_IMAGE, in the header's system", of_position,
     &SkyRow::longitude, of_found},
    {"DELTA_SKY", "deg", "pos", "Latitude of it", of_position, &SkyRow::latitude, of_found},
    {"ALPHA_B1950", "deg", "pos.eq.ra", "Right ascension of X_IMAGE, Y_IMAGE (B1950)", of_position,
     &SkyRow::right_ascension_b1950, of_found},
    {"DELTA_B1950", "deg", "pos.eq.dec", "Declination of X_IMAGE, Y_IMAGE (B1950)", of_position,
     &SkyRow::declination_b1950, of_found},
    {"XPEAK_WORLD", "deg", "pos", "First sky coordinate of the brightest pixel, in the header's system", of_peak,
     &SkyRow::x, of_found},
    {"YPEAK_WORLD", "deg", "pos", "Second sky coordinate of it", of_peak, &SkyRow::y, of_found},
    {"ALPHAPEAK_SKY", "deg", "pos", "Longitude of the brightest pixel, in the header's system", of_peak,
     &SkyRow::longitude, of_found},
    {"DELTAPEAK_SKY", "deg", "pos", "Latitude of it", of_peak, &SkyRow::latitude, of_found},
    {"ALPHAPEAK_J2000", "deg", "pos.eq.ra", "Right ascension of the brightest pixel (J2000)", of_peak,
     &SkyRow::right_ascension, of_found},
    {"DELTAPEAK_J2000", "deg", "pos.eq.dec", "Declination of the brightest pixel (J2000)", of_peak,
     &SkyRow::declination, of_found},
    {"ALPHAPEAK_B1950", "deg", "pos.eq.ra", "Right ascension of the brightest pixel (B1950)", of_peak,
     &SkyRow::right_ascension_b1950, of_found},
    {"DELTAPEAK_B1950", "deg", "pos.eq.dec", "Declination of the brightest pixel (B1950)", of_peak,
     &SkyRow::declination_b1950, of_found},
    {"XWIN_WORLD", "deg", "pos", "First sky coordinate of the windowed position, in the header's system",
     of_window_position, &SkyRow::x},
    {"YWIN_WORLD", "deg", "pos", "Second sky coordinate of it", of_window_position, &SkyRow::y},
    {"ALPHAWIN_SKY", "deg", "pos", "Longitude of the windowed position, in the header's system", of_window_position,
     &SkyRow::longitude},
    {"DELTAWIN_SKY", "deg", "pos", "Latitude of it", of_window_position, &SkyRow::latitude},
    {"ALPHAWIN_J2000", "deg", "pos.eq.ra", "Right ascension of the windowed position (J2000)", of_window_position,
     &SkyRow::right_ascension},
    {"DELTAWIN_J2000", "deg", "pos.eq.dec", "Declination of the windowed position (J2000)", of_window_position,
     &SkyRow::declination},
    {"ALPHAWIN_B1950", "deg", "pos.eq.ra", "Right ascension of the windowed position (B1950)", of_window_position,
     &SkyRow::right_ascension_b1950},
    {"DELTAWIN_B1950", "deg", "pos.eq.dec", "Declination of the windowed position (B1950)", of_window_position,
     &SkyRow::declination_b1950},
    {"XPSF_WORLD", "deg", "pos", "First sky coordinate of the fitted star, in the header's system", of_star_position,
     &SkyRow::x},
    {"YPSF_WORLD", "deg", "pos", "Second sky coordinate of it", of_star_position, &SkyRow::y},
    {"ALPHAPSF_SKY", "deg", "pos", "Longitude of the fitted star, in the header's system", of_star_position,
     &SkyRow::longitude},
    {"DELTAPSF_SKY", "deg", "pos", "Latitude of it", of_star_position, &SkyRow::latitude},
    {"ALPHAPSF_J2000", "deg", "pos.eq.ra", "Right ascension of the fitted star (J2000)", of_star_position,
     &SkyRow::right_ascension},
    {"DELTAPSF_J2000", "deg", "pos.eq.dec", "Declination of the fitted star (J2000)", of_star_position,
     &SkyRow::declination},
    {"ALPHAPSF_B1950", "deg", "pos.eq.ra", "Right ascension of the fitted star (B1950)", of_star_position,
     &SkyRow::right_ascension_b1950},
    {"DELTAPSF_B1950", "deg", "pos.eq.dec", "Declination of the fitted star (B1950)", of_star_position,
     &SkyRow::declination_b1950},
    {"XMODEL_WORLD", "deg", "pos", "First sky coordinate of the fitted model, in the header's system",
     of_model_position, &SkyRow::x},
    {"YMODEL_WORLD", "deg", "pos", "Second sky coordinate of it", of_model_position, &SkyRow::y},
    {"ALPHAMODEL_SKY", "deg", "pos", "Longitude of the fitted model, in the header's system", of_model_position,
     &SkyRow::longitude},
    {"DELTAMODEL_SKY", "deg", "pos", "Latitude of it", of_model_position, &SkyRow::latitude},
    {"ALPHAMODEL_J2000", "deg", "pos.eq.ra", "Right ascension of the fitted model (J2000)", of_model_position,
     &SkyRow::right_ascension},
    {"DELTAMODEL_J2000", "deg", "pos.eq.dec", "Declination of the fitted model (J2000)", of_model_position,
     &SkyRow::declination},
    {"ALPHAMODEL_B1950", "deg", "pos.eq.ra", "Right ascension of the fitted model (B1950)", of_model_position,
     &SkyRow::right_ascension_b1950},
    {"DELTAMODEL_B1950", "deg", "pos.eq.dec", "Declination of the fitted model (B1950)", of_model_position,
     &SkyRow::declination_b1950},
    {"SPHEROID_REFF_WORLD", "deg", "phys.angSize", "SPHEROID_REFF_IMAGE on the sky", of_spheroid,
     &SkyRow::profile_size},
    {"SPHEROID_ASPECT_WORLD", "", "src.morph.param", "Axis ratio of the spheroid on the sky", of_spheroid,
     &SkyRow::profile_aspect},
    {"SPHEROID_THETA_WORLD", "deg", "pos.posAng", "Angle of its major axis, from the first coordinate to the second",
     of_spheroid, &SkyRow::profile_theta},
    {"SPHEROID_THETA_SKY", "deg", "pos.posAng", "Angle of its major axis, from north to east", of_spheroid,
     &SkyRow::profile_position_angle},
    {"SPHEROID_THETA_J2000", "deg", "pos.posAng", "The same from the north of J2000", of_spheroid,
     &SkyRow::profile_position_angle_j2000},
    {"SPHEROID_THETA_B1950", "deg", "pos.posAng", "The same from the north of B1950", of_spheroid,
     &SkyRow::profile_position_angle_b1950},
    {"DISK_SCALE_WORLD", "deg", "phys.angSize", "DISK_SCALE_IMAGE on the sky", of_disk, &SkyRow::profile_size},
    {"DISK_ASPECT_WORLD", "", "src.morph.param", "Axis ratio of the disk on the sky", of_disk, &SkyRow::profile_aspect},
    {"DISK_THETA_WORLD", "deg", "pos.posAng", "Angle of its major axis, from the first coordinate to the second",
     of_disk, &SkyRow::profile_theta},
    {"DISK_THETA_SKY", "deg", "pos.posAng", "Angle of its major axis, from north to east", of_disk,
     &SkyRow::profile_position_angle},
    {"DISK_THETA_J2000", "deg", "pos.posAng", "The same from the north of J2000", of_disk,
     &SkyRow::profile_position_angle_j2000},
    {"DISK_THETA_B1950", "deg", "pos.posAng", "The same from the north of B1950", of_disk,
     &SkyRow::profile_position_angle_b1950},
    {"X2_WORLD", "deg**2", world_variance_ucd, "Variance along the first coordinate of the sky", of_moments,
     &SkyRow::x2, of_found},
    {"Y2_WORLD", "deg**2", world_variance_ucd, "Variance along the second", of_moments, &SkyRow::y2, of_found},
    {"XY_WORLD", "deg**2", world_covariance_ucd, "Covariance of both", of_moments, &SkyRow::xy, of_found},
    {"A_WORLD", "deg", "phys.angSize.smajAxis", "Profile RMS along the major axis on the sky", of_moments, &SkyRow::a,
     of_found},
    {"B_WORLD", "deg", "phys.angSize.sminAxis", "Profile RMS along the minor axis on the sky", of_moments, &SkyRow::b,
     of_found},
    {"THETA_WORLD", "deg", "pos.posAng", "Angle of the major axis, from the first coordinate to the second", of_moments,
     &SkyRow::theta, of_found},
    {"THETA_SKY", "deg", "pos.posAng", "Angle of the major axis, from north to east", of_moments,
     &SkyRow::position_angle, of_found},
    {"THETA_J2000", "deg", "pos.posAng", "The same from the north of J2000", of_moments, &SkyRow::position_angle_j2000,
     of_found},
    {"THETA_B1950", "deg", "pos.posAng", "The same from the north of B1950", of_moments, &SkyRow::position_angle_b1950,
     of_found},
    {"POLAR_WORLD", "", "src.ellipticity", "(A_WORLD^2 - B_WORLD^2) / (A_WORLD^2 + B_WORLD^2)", of_moments,
     &SkyRow::polarisation, of_found},
    {"CXX_WORLD", "deg**(-2)", "src.morph.param", "Of the ellipse CXX dx^2 + CYY dy^2 + CXY dx dy = 1 on the sky",
     of_moments, &SkyRow::cxx, of_found},
    {"CYY_WORLD", "deg**(-2)", "src.morph.param", "Of that ellipse", of_moments, &SkyRow::cyy, of_found},
    {"CXY_WORLD", "deg**(-2)", "src.morph.param", "Of that ellipse", of_moments, &SkyRow::cxy, of_found},
    {"ISOAREAF_WORLD", "deg**2", "phys.angArea", "Area of the detected pixels on the sky", of_area, &SkyRow::area,
     of_found},
    {"ISOAREA_WORLD", "deg**2", "phys.angArea", "Area of the pixels above the analysis threshold on the sky",
     of_analysed_area, &SkyRow::area},
    {"FWHM_WORLD", "deg", "phys.angSize", "FWHM_IMAGE on the sky", of_width, &SkyRow::width},
    {"ERRX2_WORLD", "deg**2", world_error_ucd, "Variance of X_WORLD by noise", of_errors, &SkyRow::x2},
    {"ERRY2_WORLD", "deg**2", world_error_ucd, "Variance of Y_WORLD by noise", of_errors, &SkyRow::y2},
    {"ERRXY_WORLD", "deg**2", world_error_ucd, "Their covariance by noise", of_errors, &SkyRow::xy},
    {"ERRA_WORLD", "deg", "stat.error;phys.angSize.smajAxis",
     "RMS error of the position along its major axis on the sky", of_errors, &SkyRow::a},
    {"ERRB_WORLD", "deg", "stat.error;phys.angSize.sminAxis",
     "RMS error of the position along its minor axis on the sky", of_errors, &SkyRow::b},
    {"ERRTHETA_WORLD", "deg", "stat.error;pos.posAng",
     "Angle of the major axis of the position's error, from the first coordinate to the second", of_errors,
     &SkyRow::theta},
    {"ERRTHETA_SKY", "deg", "stat.error;pos.posAng",
     "Angle of the major axis of the position's error, from north to east", of_errors, &SkyRow::position_angle},
    {"ERRTHETA_J2000", "deg", "stat.error;pos.posAng", "The same from the north of J2000", of_errors,
     &SkyRow::position_angle_j2000},
    {"ERRTHETA_B1950", "deg", "stat.error;pos.posAng", "The same from the north of B1950", of_errors,
     &SkyRow::position_angle_b1950},
    {"ERRCXX_WORLD", "deg**(-2)", "stat.error;src.morph.param",
     "Of the ellipse CXX dx^2 + CYY dy^2 + CXY dx dy = 1 of these errors on the sky", of_errors, &SkyRow::cxx},
    {"ERRCYY_WORLD", "deg**(-2)", "stat.error;src.morph.param", "Of that ellipse", of_errors, &SkyRow::cyy},
    {"ERRCXY_WORLD", "deg**(-2)", "stat.error;src.morph.param", "Of that ellipse", of_errors, &SkyRow::cxy},
    {"X2WIN_WORLD", "deg**2", world_variance_ucd, "Variance along the first coordinate of the sky, windowed",
     of_window_moments, &SkyRow::x2},
    {"Y2WIN_WORLD", "deg**2", world_variance_ucd, "Variance along the second, windowed", of_window_moments,
     &SkyRow::y2},
    {"XYWIN_WORLD", "deg**2", world_covariance_ucd, "Covariance of both, windowed", of_window_moments, &SkyRow::xy},
    {"AWIN_WORLD", "deg", "phys.angSize.smajAxis", "Profile RMS along the major axis on the sky, windowed",
     of_window_moments, &SkyRow::a},
    {"BWIN_WORLD", "deg", "phys.angSize.sminAxis", "Profile RMS along the minor axis on the sky, windowed",
     of_window_moments, &SkyRow::b},
    {"THETAWIN_WORLD", "deg", "pos.posAng", "Angle of the windowed major axis, from the first coordinate to the second",
     of_window_moments, &SkyRow::theta},
    {"THETAWIN_SKY", "deg", "pos.posAng", "Angle of the windowed major axis, from north to east", of_window_moments,
     &SkyRow::position_angle},
    {"THETAWIN_J2000", "deg", "pos.posAng", "The same from the north of J2000", of_window_moments,
     &SkyRow::position_angle_j2000},
    {"THETAWIN_B1950", "deg", "pos.posAng", "The same from the north of B1950", of_window_moments,
     &SkyRow::position_angle_b1950},
    {"POLARWIN_WORLD", "", "src.ellipticity", "(AWIN_WORLD^2 - BWIN_WORLD^2) / (AWIN_WORLD^2 + BWIN_WORLD^2)",
     of_window_moments, &SkyRow::polarisation},
    {"CXXWIN_WORLD", "deg**(-2)", "src.morph.param",
     "Of the ellipse CXX dx^2 + CYY dy^2 + CXY dx dy = 1 on the sky, windowed", of_window_moments, &SkyRow::cxx},
    {"CYYWIN_WORLD", "deg**(-2)", "src.morph.param", "Of that ellipse", of_window_moments, &SkyRow::cyy},
    {"CXYWIN_WORLD", "deg**(-2)", "src.morph.param", "Of that ellipse", of_window_moments, &SkyRow::cxy},
    {"ERRX2WIN_WORLD", "deg**2", world_error_ucd, "Variance of XWIN_WORLD by noise", of_window_errors, &SkyRow::x2},
    {"ERRY2WIN_WORLD", "deg**2", world_error_ucd, "Variance of YWIN_WORLD by noise", of_window_errors, &SkyRow::y2},
    {"ERRXYWIN_WORLD", "deg**2", world_error_ucd, "Their covariance by noise", of_window_errors, &SkyRow::xy},
    {"ERRAWIN_WORLD", "deg", "stat.error;phys.angSize.smajAxis",
     "RMS error of the windowed position along its major axis on the sky", of_window_errors, &SkyRow::a},
    {"ERRBWIN_WORLD", "deg", "stat.error;phys.angSize.sminAxis",
     "RMS error of the windowed position along its minor axis on the sky", of_window_errors, &SkyRow::b},
    {"ERRTHETAWIN_WORLD", "deg", "stat.error;pos.posAng",
     "Angle of the major axis of the windowed position's error, from the first coordinate to the second",
     of_window_errors, &SkyRow::theta},
    {"ERRTHETAWIN_SKY", "deg", "stat.error;pos.posAng",
     "Angle of the major axis of the windowed position's error, from north to east", of_window_errors,
     &SkyRow::position_angle},
    {"ERRTHETAWIN_J2000", "deg", "stat.error;pos.posAng", "The same from the north of J2000", of_window_errors,
     &SkyRow::position_angle_j2000},
    {"ERRTHETAWIN_B1950", "deg", "stat.error;pos.posAng", "The same from the north of B1950", of_window_errors,
     &SkyRow::position_angle_b1950},
    {"ERRCXXWIN_WORLD", "deg**(-2)", "stat.error;src.morph.param",
     "Of the ellipse CXX dx^2 + CYY dy^2 + CXY dx dy = 1 of these errors on the sky", of_window_errors, &SkyRow::cxx},
    {"ERRCYYWIN_WORLD", "deg**(-2)", "stat.error;src.morph.param", "Of that ellipse", of_window_errors, &SkyRow::cyy},
    {"ERRCXYWIN_WORLD", "deg**(-2)", "stat.error;src.morph.param", "Of that ellipse", of_window_errors, &SkyRow::cxy},
};

}  // namespace srcextract
