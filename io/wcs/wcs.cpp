#include "io/wcs/wcs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "io/wcs/celestial_wcs.hpp"
#include "io/wcs/direction.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {

const char* const no_celestial_wcs = "the header has no celestial WCS (CTYPE1, CTYPE2)";

namespace {

/// Positions that a thread computes at a time; bounds the work space.
constexpr std::int64_t sources_per_batch = 16384;

/// Sky positions of sources [first, first + count); NaN where the projection has no sky, as off the edge of an all-sky
/// map.
/// Returns wcslib's reason if it cannot evaluate the description at all.
std::string fill(wcsprm& wcs, bool galactic, std::size_t first, std::size_t count, Sources& sources) {
  std::vector<double> pixel(2 * count), intermediate(2 * count), phi(count), theta(count), world(2 * count);
  std::vector<int> bad(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    pixel[2 * i] = sources.x_image[first + i];
    pixel[2 * i + 1] = sources.y_image[first + i];
  }
  const int status = wcsp2s(&wcs, static_cast<int>(count), 2, pixel.data(), intermediate.data(), phi.data(),
                            theta.data(), world.data(), bad.data());
  if (status != 0 && status != WCSERR_BAD_PIX) {
    return std::string("wcslib cannot evaluate the WCS (") + wcs_errmsg[status] +
           "); check its CRVAL, CD and projection keywords";
  }
  for (std::size_t i = 0; i < count; ++i) {
    double longitude = world[2 * i + static_cast<std::size_t>(wcs.lng)];
    double latitude = world[2 * i + static_cast<std::size_t>(wcs.lat)];
    if (galactic) galactic_to_icrs(longitude, latitude);
    longitude = std::fmod(longitude, 360);
    if (longitude < 0) longitude += 360;
    if (longitude >= 360) longitude -= 360;  // also where the sum above rounded up
    const bool valid = bad[i] == 0 && std::isfinite(longitude) && std::isfinite(latitude);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    sources.alpha_j2000[first + i] = valid ? longitude : nan;
    sources.delta_j2000[first + i] = valid ? latitude : nan;
  }
  return "";
}

/// Fills the columns with what was found in the header.
std::string fill_all(const CelestialWcs& found, const std::string& header, Sources& sources, const Cpu& where) {
  const std::size_t count = sources.x_image.size();
  sources.alpha_j2000.resize(count);
  sources.delta_j2000.resize(count);
  std::vector<std::string> reasons(count / sources_per_batch + 1);
  parallel_for(std::ssize(sources.x_image), sources_per_batch, where, [&](std::int64_t begin, std::int64_t end) {
    // wcslib writes into a description what goes wrong: every batch but the first parses one of its own.
    const CelestialWcs own = begin == 0 ? CelestialWcs{} : parse_celestial_wcs(header);
    const auto first = static_cast<std::size_t>(begin);
    reasons[first / sources_per_batch] = fill(begin == 0 ? *found.wcs : *own.wcs, found.galactic(), first,
                                              static_cast<std::size_t>(end - begin), sources);
  });
  for (const std::string& problem : reasons) {
    if (!problem.empty()) return problem;
  }
  sources.sky = true;
  return "";
}

/// The outer corners of an image.
std::vector<SkyPosition> corners(const CelestialWcs& found, const Shape& shape) {
  const auto right = static_cast<double>(shape.width) + 0.5, top = static_cast<double>(shape.height) + 0.5;
  Sources four;
  four.x_image = {0.5, right, right, 0.5};
  four.y_image = {0.5, 0.5, top, top};
  four.alpha_j2000.resize(4);
  four.delta_j2000.resize(4);
  std::vector<SkyPosition> footprint;
  if (!fill(*found.wcs, found.galactic(), 0, 4, four).empty()) return footprint;
  for (std::size_t i = 0; i < 4; ++i) footprint.push_back({four.alpha_j2000[i], four.delta_j2000[i]});
  return footprint;
}

/// The area that the vector from a to b spans with that from c to d.
double parallelogram(const Direction& a, const Direction& b, const Direction& c, const Direction& d) {
  Direction u{}, v{};
  for (std::size_t i = 0; i < 3; ++i) {
    u[i] = b[i] - a[i];
    v[i] = d[i] - c[i];
  }
  return std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
}

}  // namespace

std::string add_sky_positions(const std::string& header, Sources& sources, const Cpu& where) {
  const CelestialWcs found = parse_celestial_wcs(header);
  return found.wcs ? fill_all(found, header, sources, where) : found.reason;
}

std::string add_sky_positions(const std::string& header, const Shape& shape, Sources& sources,
                              std::vector<SkyPosition>& footprint, const Cpu& where) {
  const CelestialWcs found = parse_celestial_wcs(header);
  if (!found.wcs) return found.reason;
  std::string problem = fill_all(found, header, sources, where);
  if (problem.empty()) footprint = corners(found, shape);
  return problem;
}

std::string measure_pixel(const std::string& header, const Shape& shape, double& side) {
  const CelestialWcs found = parse_celestial_wcs(header);
  if (!found.wcs) return found.reason;
  const double x = (static_cast<double>(shape.width) + 1) / 2, y = (static_cast<double>(shape.height) + 1) / 2;
  Sources sides;  // the middles of the pixel's four sides
  sides.x_image = {x - 0.5, x + 0.5, x, x};
  sides.y_image = {y, y, y - 0.5, y + 0.5};
  sides.alpha_j2000.resize(4);
  sides.delta_j2000.resize(4);
  if (std::string problem = fill(*found.wcs, found.galactic(), 0, 4, sides); !problem.empty()) return problem;
  std::array<Direction, 4> at{};
  for (std::size_t i = 0; i < 4; ++i) at[i] = direction_of(sides.alpha_j2000[i], sides.delta_j2000[i]);
  const double area = parallelogram(at[0], at[1], at[2], at[3]);
  if (!(area > 0)) return "the centre of the image is off the sky";
  side = std::sqrt(area) / degree * 3600;
  return "";
}

}  // namespace srcextract
