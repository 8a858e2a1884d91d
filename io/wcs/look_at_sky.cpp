#include "io/wcs/look_at_sky.hpp"

#include <cmath>
#include <cstddef>
#include <iterator>
#include <vector>

#include "io/wcs/direction.hpp"
#include "io/wcs/sky_of_pixels.hpp"

namespace srcextract {
namespace {

/// Offsets in pixels from a position: the position itself, then the middles of the sides of a pixel centred on it:
/// left, right, below, above.
constexpr std::array<std::array<double, 2>, 5> offsets = {{{0, 0}, {-0.5, 0}, {0.5, 0}, {0, -0.5}, {0, 0.5}}};

using CrossPositions = std::array<SkyPosition, offsets.size()>;

double product(const Direction& a, const Direction& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

SkySteps steps_between(const CrossPositions& at) {
  const SkyPosition& centre = at[0];
  const Direction east = direction_of(centre.alpha + 90, 0), north = direction_of(centre.alpha, centre.delta + 90);
  SkySteps steps;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const SkyPosition &before = at[2 * axis + 1], &after = at[2 * axis + 2];
    const Direction from = direction_of(before.alpha, before.delta), to = direction_of(after.alpha, after.delta);
    const Direction step = {(to[0] - from[0]) / degree, (to[1] - from[1]) / degree, (to[2] - from[2]) / degree};
    steps.east[axis] = product(step, east);
    steps.north[axis] = product(step, north);
  }
  return steps;
}

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

/// Converts a position in FK5, equinox J2000, to FK4, equinox B1950; both in degrees. As in SExtractor, the object has
/// no proper motion in FK5, and the epoch is J2000. From Standish 1982, A&A 115, 20, and Aoki et al. 1983, A&A 128,
/// 263.
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

std::array<double, 2> world_of(const LocalSky& sky) {
  const auto [longitude, latitude] = sky.native;
  if (sky.latitude_first) return {latitude, longitude};
  return {longitude, latitude};
}

LocalSky local_sky(const wcsprm& wcs, bool galactic, const double* world) {
  CrossPositions native, j2000, b1950;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    native[i] = native_of(wcs, world + 2 * i);
    j2000[i] = j2000_of(wcs, galactic, world + 2 * i);
    b1950[i] = fk4_of(j2000[i]);
  }
  LocalSky sky;
  sky.latitude_first = wcs.lat < wcs.lng;
  sky.native = native[0];
  sky.j2000 = j2000[0];
  sky.b1950 = b1950[0];
  sky.world = world_of(sky);
  sky.native_steps = steps_between(native);
  sky.j2000_steps = galactic ? steps_between(j2000) : sky.native_steps;
  sky.b1950_steps = steps_between(b1950);
  return sky;
}

}  // namespace

LocalSky in_j2000(LocalSky sky) {
  sky.native = sky.j2000;
  sky.native_steps = sky.j2000_steps;
  sky.world = world_of(sky);
  return sky;
}

std::string look_at_sky(const std::string& header, std::span<const double> x, std::span<const double> y,
                        const std::function<void(std::size_t, const LocalSky&)>& keep, const Cpu& where) {
  const CelestialWcs found = parse_celestial_wcs(header);
  if (!found.wcs) return found.reason;
  const auto look = [&](wcsprm& wcs, std::size_t first, std::size_t count) {
    std::vector<double> pixels, world;
    for (std::size_t i = first; i < first + count; ++i) {
      for (const auto& [dx, dy] : offsets) pixels.insert(pixels.end(), {x[i] + dx, y[i] + dy});
    }
    std::string reason = world_of_pixels(wcs, pixels, world);
    for (std::size_t i = 0; i < count && reason.empty(); ++i)
      keep(first + i, local_sky(wcs, found.galactic(), &world[2 * offsets.size() * i]));
    return reason;
  };
  return in_batches(found, header, std::ssize(x), where, look);
}

}  // namespace srcextract
