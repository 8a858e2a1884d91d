#include "io/wcs/wcs.hpp"

#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include "io/wcs/celestial_keywords.hpp"
#include "io/wcs/celestial_wcs.hpp"
#include "io/wcs/direction.hpp"
#include "io/wcs/sky_of_pixels.hpp"

namespace srcextract {

const char* const no_celestial_wcs = "the header has no celestial WCS (CTYPE1, CTYPE2)";

namespace {

/// Sky positions of sources [first, first + count); NaN off the sky.
std::string fill(wcsprm& wcs, bool galactic, std::size_t first, std::size_t count, Sources& sources) {
  std::vector<double> pixels(2 * count), world;
  for (std::size_t i = 0; i < count; ++i) {
    pixels[2 * i] = sources.x_image[first + i];
    pixels[2 * i + 1] = sources.y_image[first + i];
  }
  if (std::string reason = world_of_pixels(wcs, pixels, world); !reason.empty()) return reason;
  for (std::size_t i = 0; i < count; ++i) {
    const SkyPosition at = j2000_of(wcs, galactic, &world[2 * i]);
    sources.alpha_j2000[first + i] = at.alpha;
    sources.delta_j2000[first + i] = at.delta;
  }
  return "";
}

/// Fills the position columns by the given WCS.
std::string fill_all(const CelestialWcs& found, const std::string& header, Sources& sources, const Cpu& where) {
  const std::size_t count = sources.x_image.size();
  sources.alpha_j2000.resize(count);
  sources.delta_j2000.resize(count);
  std::string reason = in_batches(found, header, std::ssize(sources.x_image), where,
                                  [&](wcsprm& wcs, std::size_t first, std::size_t some) {
                                    return fill(wcs, found.galactic(), first, some, sources);
                                  });
  sources.sky = reason.empty();
  return reason;
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

/// Area of the parallelogram of the vectors a to b and c to d.
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

std::string find_on_image(const std::string& header, std::span<const double> alpha, std::span<const double> delta,
                          std::vector<double>& x, std::vector<double>& y, const Cpu& where) {
  const CelestialWcs found = parse_celestial_wcs(header);
  if (!found.wcs) return found.reason;
  x.resize(alpha.size());
  y.resize(alpha.size());
  return in_batches(found, header, std::ssize(alpha), where,
                    [&](wcsprm& wcs, std::size_t first, std::size_t count) -> std::string {
                      for (std::size_t i = first; i < first + count; ++i) {
                        double longitude = alpha[i], latitude = delta[i], pixel[2];
                        if (found.galactic()) icrs_to_galactic(longitude, latitude);
                        if (std::string reason = pixel_of_place(wcs, longitude, latitude, pixel); !reason.empty())
                          return reason;
                        x[i] = pixel[0];
                        y[i] = pixel[1];
                      }
                      return "";
                    });
}

std::string measure_pixel(const std::string& header, const Shape& shape, double& side) {
  const CelestialWcs found = parse_celestial_wcs(header);
  if (!found.wcs) return found.reason;
  const double x = (static_cast<double>(shape.width) + 1) / 2, y = (static_cast<double>(shape.height) + 1) / 2;
  Sources sides;  // middles of the pixel's four sides
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

LinearPixel linear_pixel(const std::string& header) {
  const CelestialKeywords keywords = read_celestial_keywords(header);
  const auto pixel_of = [&](const std::string& matrix, double first, double last) -> LinearPixel {
    const auto element = [&](const char* at, double usual) { return keywords.real(matrix + at).value_or(usual); };
    const double own = element("2_2", 1) * last;
    const double area = element("1_1", 1) * first * own - element("1_2", 0) * first * element("2_1", 0) * last;
    return {std::sqrt(std::abs(area)), std::abs(own)};
  };
  for (const char* element : {"CD1_1", "CD1_2", "CD2_1", "CD2_2"})
    if (keywords.real(element)) return pixel_of("CD", 1, 1);
  LinearPixel pixel = pixel_of("PC", keywords.real("CDELT1").value_or(1), keywords.real("CDELT2").value_or(1));
  if (!keywords.real("PC2_2")) pixel.last_by_last *= std::abs(std::cos(keywords.real("CROTA2").value_or(0) * degree));
  return pixel;
}

}  // namespace srcextract
