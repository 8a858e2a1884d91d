#include "io/wcs/wcs.hpp"

#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include "io/wcs/celestial_keywords.hpp"
#include "io/wcs/celestial_wcs.hpp"
#include "io/wcs/direction.hpp"
#include "io/wcs/sky_of_pixels.hpp"
#include "stages/catalogue/position_columns.hpp"

namespace srcextract {

const char* const no_celestial_wcs = "the header has no celestial WCS (CTYPE1, CTYPE2)";

namespace {

/// Sets places [first, first + count) to the sky positions of the pixels with these indices; NaN off the sky.
std::string fill(wcsprm& wcs, const SkySystem& frame, std::span<const double> x, std::span<const double> y,
                 std::size_t first, std::size_t count, std::vector<SkyPosition>& places) {
  std::vector<double> pixels(2 * count), world;
  for (std::size_t i = 0; i < count; ++i) {
    pixels[2 * i] = x[first + i];
    pixels[2 * i + 1] = y[first + i];
  }
  if (std::string reason = world_of_pixels(wcs, pixels, world); !reason.empty()) return reason;
  for (std::size_t i = 0; i < count; ++i) places[first + i] = j2000_of(wcs, frame, &world[2 * i]);
  return "";
}

std::string fill_all(const CelestialWcs& found, const std::string& header, std::span<const double> x,
                     std::span<const double> y, std::vector<SkyPosition>& places, const Cpu& where) {
  places.resize(x.size());
  return in_batches(found, header, std::ssize(x), where, [&](wcsprm& wcs, std::size_t first, std::size_t count) {
    return fill(wcs, found.frame, x, y, first, count, places);
  });
}

std::string fill_four(const CelestialWcs& found, const std::array<double, 4>& x, const std::array<double, 4>& y,
                      std::vector<SkyPosition>& places) {
  places.resize(4);
  return fill(*found.wcs, found.frame, x, y, 0, 4, places);
}

/// Returns the sky positions of the image's outer corners, or nothing if these cannot be computed.
std::vector<SkyPosition> corners(const CelestialWcs& found, const Shape& shape) {
  const auto right = static_cast<double>(shape.width) + 0.5, top = static_cast<double>(shape.height) + 0.5;
  std::vector<SkyPosition> footprint;
  if (!fill_four(found, {0.5, right, right, 0.5}, {0.5, 0.5, top, top}, footprint).empty()) footprint.clear();
  return footprint;
}

/// Returns the area of the parallelogram spanned by the vector from a to b and the vector from c to d.
double parallelogram(const Direction& a, const Direction& b, const Direction& c, const Direction& d) {
  Direction u{}, v{};
  for (std::size_t i = 0; i < 3; ++i) {
    u[i] = b[i] - a[i];
    v[i] = d[i] - c[i];
  }
  return std::hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]);
}

}  // namespace

std::string find_on_sky(const std::string& header, std::span<const double> x, std::span<const double> y,
                        std::vector<SkyPosition>& places, const Cpu& where) {
  const CelestialWcs found = parse_celestial_wcs(header);
  return found.wcs ? fill_all(found, header, x, y, places, where) : found.reason;
}

std::string add_sky_positions(const std::string& header, const Shape& shape, Sources& sources,
                              std::vector<SkyPosition>& footprint, const Cpu& where) {
  const CelestialWcs found = parse_celestial_wcs(header);
  if (!found.wcs) return found.reason;
  std::vector<SkyPosition> places;
  std::string problem = fill_all(found, header, sources[columns::x_image], sources[columns::y_image], places, where);
  if (!problem.empty()) return problem;
  footprint = corners(found, shape);
  for (const ColumnOf<SkyPosition>& column : sky_position_columns)
    add_column(column, CatalogPart::sky, sources, where, [&](auto of, std::size_t row) { return of(places[row]); });
  return "";
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
                        from_j2000(found.frame, longitude, latitude);
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
  std::vector<SkyPosition> sides;  // middles of the four sides of the pixel
  std::string problem = fill_four(found, {x - 0.5, x + 0.5, x, x}, {y, y, y - 0.5, y + 0.5}, sides);
  if (!problem.empty()) return problem;
  std::array<Direction, 4> at{};
  for (std::size_t i = 0; i < 4; ++i) at[i] = direction_of(sides[i].alpha, sides[i].delta);
  const double area = parallelogram(at[0], at[1], at[2], at[3]);
  if (!(area > 0)) return "the centre of the image is off the sky";
  side = std::sqrt(area) / degree * arcseconds;
  side = to_millionth(side, side);
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
