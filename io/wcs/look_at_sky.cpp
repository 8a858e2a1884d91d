#include "io/wcs/look_at_sky.hpp"

#include <cmath>
#include <cstddef>
#include <iterator>
#include <vector>

#include "io/wcs/direction.hpp"
#include "io/wcs/sky_frame.hpp"
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

std::array<double, 2> world_of(const LocalSky& sky) {
  const auto [longitude, latitude] = sky.native;
  if (sky.latitude_first) return {latitude, longitude};
  return {longitude, latitude};
}

LocalSky local_sky(const wcsprm& wcs, const SkySystem& frame, const double* world) {
  CrossPositions native, j2000, b1950;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    native[i] = native_of(wcs, world + 2 * i);
    j2000[i] = j2000_of(wcs, frame, world + 2 * i);
    b1950[i] = fk4_of(j2000[i]);
  }
  LocalSky sky;
  sky.latitude_first = wcs.lat < wcs.lng;
  sky.native = native[0];
  sky.j2000 = j2000[0];
  sky.b1950 = b1950[0];
  sky.world = world_of(sky);
  sky.native_steps = steps_between(native);
  sky.j2000_steps = frame.is_j2000 ? sky.native_steps : steps_between(j2000);
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
      keep(first + i, local_sky(wcs, found.frame, &world[2 * offsets.size() * i]));
    return reason;
  };
  return in_batches(found, header, std::ssize(x), where, look);
}

}  // namespace srcextract
