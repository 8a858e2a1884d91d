#include "io/wcs/fk4.hpp"

#include <cmath>

#include "io/wcs/direction.hpp"

namespace srcextract {
namespace {

/// Rotation from FK5 to FK4 without the elliptic terms of aberration: the matrix at B1950, and its change in arcseconds
/// per century.
constexpr double rotation[3][3] = {{0.9999256794678425, 0.01118148281196562, 0.004859003848996022},
                                   {-0.01118148272969232, 0.9999374849247641, -2.717708936468247e-05},
                                   {-0.00485900399622881, -2.715579322970546e-05, 0.999988194643078}};
constexpr double change[3][3] = {{-0.0005508458576414713, 0.2384844384742432, -0.4356144527773499},
                                 {-0.2385354433560954, -0.002664266996872802, 0.01225282765749546},
                                 {0.4357269351676567, -0.008536768476441086, 0.002113420799663768}};

/// The elliptic terms of aberration at B1950, a vector in radians, which positions in FK4 include. The terms change by
/// aberration_change, in arcseconds per century.
constexpr double aberration[3] = {-1.62557e-6, -0.31919e-6, -0.13843e-6};
constexpr double aberration_change[3] = {1.245e-3, -1.580e-3, -0.659e-3};

/// Tropical centuries from B1950 to J2000.
constexpr double centuries = (51544.5 - 33281.92345905) / 36524.2198782;

}  // namespace

SkyPosition fk4_of(const SkyPosition& fk5) {
  constexpr double arcsecond = degree / arcseconds;
  const Direction from = direction_of(fk5.alpha, fk5.delta);
  Direction shifted{};
  double along = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double turned = 0;
    for (std::size_t j = 0; j < 3; ++j) turned += (rotation[i][j] + change[i][j] * centuries * arcsecond) * from[j];
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
