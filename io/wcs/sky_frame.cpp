#include "io/wcs/sky_frame.hpp"

#include <cmath>

#include "io/wcs/direction.hpp"

namespace srcextract {
namespace {

using Matrix = std::array<std::array<double, 3>, 3>;

constexpr double arcsecond = degree / arcseconds;

/// Rotation from ICRS to galactic coordinates; each row is an axis of the galactic system in ICRS. From The Hipparcos
/// and Tycho Catalogues (ESA 1997, vol. 1, 1.5.3): pole at 192.85948, +27.12825 degrees, node at l = 32.93192 degrees.
constexpr Matrix galactic_axes = {{{-0.054875560416215368, -0.873437090234885049, -0.483835015548713227},
                                   {+0.494109427875583674, -0.444829629960011178, +0.746982244497218891},
                                   {-0.867666149019004701, -0.198076373431201528, +0.455983776175066922}}};

/// Rotation from FK5 to FK4 without the elliptic terms of aberration: the matrix at B1950, and its change in arcseconds
/// per century. From Standish 1982, A&A 115, 20, and Aoki et al. 1983, A&A 128, 263.
constexpr Matrix fk4_axes = {{{0.9999256794678425, 0.01118148281196562, 0.004859003848996022},
                              {-0.01118148272969232, 0.9999374849247641, -2.717708936468247e-05},
                              {-0.00485900399622881, -2.715579322970546e-05, 0.999988194643078}}};
constexpr Matrix fk4_change = {{{-0.0005508458576414713, 0.2384844384742432, -0.4356144527773499},
                                {-0.2385354433560954, -0.002664266996872802, 0.01225282765749546},
                                {0.4357269351676567, -0.008536768476441086, 0.002113420799663768}}};

/// The elliptic terms of aberration at B1950, a vector in radians, which positions in FK4 include. The terms change by
/// aberration_change, in arcseconds per century.
constexpr Direction aberration = {-1.62557e-6, -0.31919e-6, -0.13843e-6};
constexpr Direction aberration_change = {1.245e-3, -1.580e-3, -0.659e-3};

/// Tropical centuries from B1950 to J2000.
constexpr double centuries = (51544.5 - 33281.92345905) / 36524.2198782;

double dot(const Direction& a, const Direction& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Matrix multiplied(const Matrix& a, const Matrix& b) {
  Matrix out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) out[i][j] += a[i][k] * b[k][j];
  return out;
}

/// Returns the axes after a turn around the third or the first axis, by an angle in radians.
Matrix turned_around_z(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}};
}
Matrix turned_around_y(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{{c, 0, -s}, {0, 1, 0}, {s, 0, c}}};
}
Matrix turned_around_x(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{{1, 0, 0}, {0, c, s}, {0, -s, c}}};
}

Matrix precession(double zeta, double z, double theta) {
  return multiplied(turned_around_z(-z), multiplied(turned_around_y(theta), turned_around_z(-zeta)));
}

/// The axes of the mean equator and equinox of a Julian year, in J2000 (Capitaine et al. 2003, A&A 412, 567).
Matrix equator_of(double equinox) {
  const double t = (equinox - 2000) / 100;
  const double zeta = 2.650545 + t * (2306.083227 + t * (0.2988499 + t * (0.01801828 + t * -0.000005971)));
  const double z = -2.650545 + t * (2306.077181 + t * (1.0927348 + t * (0.01826837 + t * -0.000028596)));
  const double theta = t * (2004.191903 + t * (-0.4294934 + t * (-0.04182264 + t * -0.000007089)));
  return precession(zeta * arcsecond, z * arcsecond, theta * arcsecond);
}

/// The axes of the mean ecliptic and equinox of a Julian year, in J2000.
Matrix ecliptic_of(double equinox) {
  const double t = (equinox - 2000) / 100, obliquity = 84381.406 - t * (46.836769 + t * 0.0001831);
  return multiplied(turned_around_x(obliquity * arcsecond), equator_of(equinox));
}

/// The axes of FK4 of a Besselian year, in J2000: those of B1950, and the precession of Newcomb (Explanatory Supplement
/// 1992, 3.214).
Matrix fk4_of_equinox(double equinox) {
  const double from = 0.1, t = (equinox - 1950) / 1000;  // thousand years from B1850 to B1950, and from there
  const double common = 23035.545 + from * (139.720 + 0.060 * from);
  const double zeta = t * (common + t * (30.240 - 0.27 * from + t * 17.995));
  const double z = t * (common + t * (109.480 + 0.39 * from + t * 18.325));
  const double theta = t * (20051.12 - from * (85.29 + 0.37 * from) + t * (-42.65 - 0.37 * from + t * -41.8));
  return multiplied(precession(zeta * arcsecond, z * arcsecond, theta * arcsecond), fk4_axes);
}

/// The axes of supergalactic coordinates: the pole is at l = 47.37, b = 6.32 degrees, the origin at l = 137.37, b = 0.
Matrix supergalactic_axes() {
  const Direction x = direction_of(137.37, 0), z = direction_of(47.37, 6.32);
  const Direction y = {z[1] * x[2] - z[2] * x[1], z[2] * x[0] - z[0] * x[2], z[0] * x[1] - z[1] * x[0]};
  return multiplied({{x, y, z}}, galactic_axes);
}

/// Adds the elliptic terms to a direction. The position r in FK4 satisfies r (1 + r . terms) = direction + terms,
/// because r has length 1.
Direction with_terms(Direction direction, const Direction& terms) {
  for (std::size_t i = 0; i < 3; ++i) direction[i] += terms[i];
  const double scale = 2 / (1 + std::sqrt(1 + 4 * dot(terms, direction)));
  for (double& part : direction) part *= scale;
  return direction;
}

void angles_of(const Direction& direction, double& longitude, double& latitude) {
  longitude = std::atan2(direction[1], direction[0]) / degree;
  latitude = std::atan2(direction[2], std::hypot(direction[0], direction[1])) / degree;
}

}  // namespace

std::optional<SkySystem> sky_frame(const std::string& axes, const std::string& radesys, double equinox) {
  const bool fk4 = radesys == "FK4" || radesys == "FK4-NO-E";
  if (axes == "GLON, GLAT") return SkySystem{false, false, galactic_axes};
  if (axes == "SLON, SLAT") return SkySystem{false, false, supergalactic_axes()};
  if (!std::isfinite(equinox) || (!fk4 && radesys != "ICRS" && radesys != "FK5")) return std::nullopt;
  const double of_date = radesys == "ICRS" ? 2000 : equinox;
  if (axes == "RA, DEC" && fk4) return SkySystem{false, radesys == "FK4", fk4_of_equinox(equinox)};
  if (axes == "RA, DEC" && of_date == 2000) return SkySystem{};
  if (axes == "RA, DEC") return SkySystem{false, false, equator_of(of_date)};
  if (axes == "ELON, ELAT" && !fk4) return SkySystem{false, false, ecliptic_of(of_date)};
  return std::nullopt;
}

void to_j2000(const SkySystem& frame, double& longitude, double& latitude) {
  if (frame.is_j2000) return;
  Direction from = direction_of(longitude, latitude);
  if (frame.elliptic) {
    const double length = 1 + dot(from, aberration);
    for (std::size_t i = 0; i < 3; ++i) from[i] = from[i] * length - aberration[i];
  }
  Direction to{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) to[j] += frame.axes[i][j] * from[i];
  }
  angles_of(to, longitude, latitude);
}

void from_j2000(const SkySystem& frame, double& longitude, double& latitude) {
  if (frame.is_j2000) return;
  const Direction from = direction_of(longitude, latitude);
  Direction to{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) to[i] += frame.axes[i][j] * from[j];
  }
  angles_of(frame.elliptic ? with_terms(to, aberration) : to, longitude, latitude);
}

SkyPosition fk4_of(const SkyPosition& fk5) {
  const Direction from = direction_of(fk5.alpha, fk5.delta);
  Direction shifted{};
  double along = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double turned = 0;
    for (std::size_t j = 0; j < 3; ++j) turned += (fk4_axes[i][j] + fk4_change[i][j] * centuries * arcsecond) * from[j];
    const double terms = aberration[i] + aberration_change[i] * centuries * arcsecond;
    shifted[i] = turned + terms;
    along += terms * shifted[i];
  }
  // The position r in FK4 satisfies r (1 + r . terms) = shifted, because r has length 1.
  const double scale = 2 / (1 + std::sqrt(1 + 4 * along));
  for (double& part : shifted) part *= scale;
  const double longitude = std::atan2(shifted[1], shifted[0]) / degree;
  return {longitude < 0 ? longitude + 360 : longitude,
          std::atan2(shifted[2], std::hypot(shifted[0], shifted[1])) / degree};
}

}  // namespace srcextract
