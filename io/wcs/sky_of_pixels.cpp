#include "io/wcs/sky_of_pixels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stages/core/parallel.hpp"

namespace srcextract {

namespace {

/// Number of positions in a batch, which limits the temporary memory.
constexpr std::int64_t places_per_batch = 16384;

SkyPosition around(SkyPosition at) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (!std::isfinite(at.alpha) || !std::isfinite(at.delta)) return {nan, nan};
  double longitude = std::fmod(at.alpha, 360);
  if (longitude < 0) longitude += 360;
  if (longitude >= 360) longitude -= 360;  // a tiny negative remainder plus 360 rounds to 360
  return {longitude, at.delta};
}

}  // namespace

std::string world_of_pixels(wcsprm& wcs, const std::vector<double>& pixels, std::vector<double>& world) {
  const std::size_t count = pixels.size() / 2;
  std::vector<double> intermediate(2 * count), phi(count), theta(count);
  std::vector<int> bad(count, 0);
  world.resize(2 * count);
  const int status = wcsp2s(&wcs, static_cast<int>(count), 2, pixels.data(), intermediate.data(), phi.data(),
                            theta.data(), world.data(), bad.data());
  if (status != 0 && status != WCSERR_BAD_PIX) {
    return std::string("wcslib cannot evaluate the WCS (") + wcs_errmsg[status] +
           "); check its CRVAL, CD and projection keywords";
  }
  for (std::size_t i = 0; i < count; ++i)
    if (bad[i] != 0) world[2 * i] = world[2 * i + 1] = std::numeric_limits<double>::quiet_NaN();
  return "";
}

std::string pixel_of_place(wcsprm& wcs, double longitude, double latitude, double (&pixel)[2]) {
  pixel[0] = pixel[1] = std::numeric_limits<double>::quiet_NaN();
  if (!std::isfinite(longitude) || !std::isfinite(latitude)) return "";
  double world[2], intermediate[2], phi, theta, found[2];
  world[wcs.lng] = longitude;
  world[wcs.lat] = latitude;
  int bad = 0;
  // Converts one position per call: if the inverse of the distortion fails for one, wcslib converts none of the call.
  const int status = wcss2p(&wcs, 1, 2, world, &phi, &theta, intermediate, found, &bad);
  if (status != 0 && status != WCSERR_BAD_WORLD)
    return std::string("wcslib cannot invert the WCS (") + wcs_errmsg[status] + ")";
  if (status == 0 && std::isfinite(found[0]) && std::isfinite(found[1])) std::copy_n(found, 2, pixel);
  return "";
}

SkyPosition native_of(const wcsprm& wcs, const double* world) {
  return around({world[wcs.lng], world[wcs.lat]});
}

SkyPosition j2000_of(const wcsprm& wcs, const SkySystem& frame, const double* world) {
  SkyPosition at{world[wcs.lng], world[wcs.lat]};
  to_j2000(frame, at.alpha, at.delta);
  return around(at);
}

std::string in_batches(const CelestialWcs& found, const std::string& header, std::int64_t count, const Cpu& where,
                       const std::function<std::string(wcsprm& wcs, std::size_t first, std::size_t count)>& body) {
  std::vector<std::string> reasons(static_cast<std::size_t>(count / places_per_batch + 1));
  parallel_for(count, places_per_batch, where, [&](std::int64_t begin, std::int64_t end) {
    // Every batch but the first parses its own WCS, since wcslib writes error messages into the struct.
    const CelestialWcs own = begin == 0 ? CelestialWcs{} : parse_celestial_wcs(header);
    reasons[static_cast<std::size_t>(begin / places_per_batch)] = body(
        begin == 0 ? *found.wcs : *own.wcs, static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  });
  for (const std::string& reason : reasons)
    if (!reason.empty()) return reason;
  return "";
}

}  // namespace srcextract
