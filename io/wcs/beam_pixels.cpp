#include <wcslib/prj.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "io/files/refuse.hpp"
#include "io/fits/header.hpp"
#include "io/wcs/celestial_wcs.hpp"
#include "io/wcs/cube_axes.hpp"
#include "io/wcs/direction.hpp"
#include "io/wcs/find_beam.hpp"
#include "io/wcs/look_at_sky.hpp"
#include "io/wcs/unit.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

constexpr double narrowest = 1;  // smallest major axis, in pixels, that can be fitted
constexpr double narrow = 2.5;   // minor axis, in pixels, below which fitted shapes are biased
constexpr double boltzmann = 1.380649e-23, light_speed = 299792458;
constexpr double jansky = 1e-26;

/// Rounds steps to a millionth of the largest.
SkySteps rounded(const SkySteps& steps) {
  SkySteps out;
  const double largest =
      std::max({std::abs(steps.east[0]), std::abs(steps.east[1]), std::abs(steps.north[0]), std::abs(steps.north[1])});
  for (std::size_t axis = 0; axis < 2; ++axis) {
    out.east[axis] = to_millionth(steps.east[axis], largest);
    out.north[axis] = to_millionth(steps.north[axis], largest);
  }
  return out;
}

/// Returns the steps on the sky of one pixel along x and y, by the linear part of the WCS; to a millionth if CROTA, of
/// which wcslib makes a matrix, is not 0.
SkySteps linear_steps(const wcsprm& wcs) {
  SkySteps steps;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    steps.east[axis] = wcs.cdelt[wcs.lng] * wcs.pc[2 * wcs.lng + static_cast<int>(axis)];
    steps.north[axis] = wcs.cdelt[wcs.lat] * wcs.pc[2 * wcs.lat + static_cast<int>(axis)];
  }
  return wcs.crota[0] != 0 || wcs.crota[1] != 0 ? rounded(steps) : steps;
}

double area_of(const SkySteps& steps) {
  return steps.east[0] * steps.north[1] - steps.east[1] * steps.north[0];
}

bool on_sky(const SkySteps& steps) {
  return std::isfinite(area_of(steps)) && area_of(steps) != 0;
}

/// Places in an image, in pixels from 1.
struct Places {
  std::vector<double> x, y;
};

/// Returns the centre of the image, then places over all of it.
Places sampled(const Shape& shape) {
  constexpr int steps = 8;
  const auto along = [](std::int64_t pixels, int step) {
    return 1 + (static_cast<double>(pixels) - 1) * static_cast<double>(step) / steps;
  };
  Places places{{(static_cast<double>(shape.width) + 1) / 2}, {(static_cast<double>(shape.height) + 1) / 2}};
  for (int row = 0; row <= steps; ++row)
    for (int column = 0; column <= steps; ++column) {
      places.x.push_back(along(shape.width, column));
      places.y.push_back(along(shape.height, row));
    }
  return places;
}

/// Returns the steps on the sky of one pixel at each place, to a millionth. They are NaN off the sky.
std::vector<SkySteps> steps_at(const std::string& header, const Places& places, std::string& reason) {
  std::vector<SkySteps> steps(places.x.size());
  reason = look_at_sky(header, places.x, places.y,
                       [&](std::size_t i, const LocalSky& sky) { steps[i] = rounded(sky.native_steps); });
  return steps;
}

/// Returns the steps on the sky of one pixel at the centre of the image, or at the place nearest to it that is on the
/// sky.
SkySteps central_steps(const std::string& header, const Shape& shape) {
  const Places places = sampled(shape);
  std::string reason;
  const std::vector<SkySteps> steps = steps_at(header, places, reason);
  if (!reason.empty()) refuse("the size of the beam in pixels is unknown: " + reason);
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double distance = length_of(places.x[i] - places.x[0], places.y[i] - places.y[0]);
    if (!on_sky(steps[i]) || distance >= least) continue;
    nearest = i;
    least = distance;
  }
  return steps[nearest];
}

/// Turns the steps at a place of a zenithal map so that angles count from the north of the reference point, carried
/// along the great circle. In terms of the linear steps, the local ones are then scaled but not rotated.
SkySteps carried(const SkySteps& local, const SkySteps& linear) {
  const double along = local.east[0] * linear.north[1] - local.east[1] * linear.north[0] -
                       local.north[0] * linear.east[1] + local.north[1] * linear.east[0];
  const double across = local.north[0] * linear.north[1] - local.north[1] * linear.north[0] +
                        local.east[0] * linear.east[1] - local.east[1] * linear.east[0];
  const double length = std::copysign(length_of(along, across), area_of(linear));
  const double c = along / length, s = across / length;
  SkySteps out;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    out.east[axis] = c * local.east[axis] + s * local.north[axis];
    out.north[axis] = c * local.north[axis] - s * local.east[axis];
  }
  return out;
}

SkySteps steps_of(const std::string& header, const Shape& shape, double pixel_scale) {
  const CelestialWcs found = parse_celestial_wcs(header);
  if (found.wcs)
    return found.wcs->cel.prj.category == ZENITHAL ? linear_steps(*found.wcs) : central_steps(header, shape);
  if (!(pixel_scale > 0))
    refuse("the size of the beam in pixels is unknown: " + found.reason +
           "; set measurement.pixel_scale, in arcseconds");
  const double side = pixel_scale / arcseconds;
  return {{-side, 0}, {0, side}};
}

/// Converts a beam to an ellipse in pixels. The covariance K on the sky becomes J^-1 K J^-T; the columns of J are the
/// steps on the sky of one pixel along x and y.
PixelBeam ellipse_in_pixels(const SkyBeam& beam, const SkySteps& steps) {
  const double determinant = area_of(steps);
  if (!(std::abs(determinant) > 0) || !std::isfinite(determinant))
    refuse("the size of the beam in pixels is unknown: a pixel has no area on the sky; correct the WCS");
  const auto [cosine, sine] = portable_cosine_sine(beam.angle * degree);
  const auto pixel_of = [&](double east, double north) -> std::array<double, 2> {
    return {(steps.north[1] * east - steps.east[1] * north) / determinant,
            (steps.east[0] * north - steps.north[0] * east) / determinant};
  };
  const double major = beam.major / arcseconds, minor = beam.minor / arcseconds;
  const auto [ax, ay] = pixel_of(major * sine, major * cosine);
  const auto [bx, by] = pixel_of(minor * cosine, -minor * sine);
  const double xx = ax * ax + bx * bx, xy = ax * ay + bx * by, yy = ay * ay + by * by;
  const double middle = (xx + yy) / 2, spread = length_of((xx - yy) / 2, xy);
  const double angle = portable_atan2(2 * xy, xx - yy) / 2;
  const double area = std::abs(ax * by - ay * bx);  // product of both axes, computed without cancellation
  const double long_axis = std::sqrt(middle + spread);
  return {long_axis, area / long_axis, angle < 0 ? angle + std::numbers::pi : angle};
}

/// Returns the solid angle of the beam in sr.
double solid_angle(const SkyBeam& beam) {
  const double radian = degree / arcseconds;
  return std::numbers::pi * beam.major * beam.minor * radian * radian / (4 * std::numbers::ln2);
}

}  // namespace

PixelBeam beam_in_pixels(const SkyBeam& beam, const std::string& header, const Shape& shape, double pixel_scale,
                         std::vector<std::string>& warnings) {
  const PixelBeam pixels = ellipse_in_pixels(beam, steps_of(header, shape, pixel_scale));
  const double most = static_cast<double>(std::min(shape.width, shape.height)) / 4;
  if (pixels.major < narrowest || pixels.major > most)
    refuse("the beam of " + shortest(beam.major) + " x " + shortest(beam.minor) + " arcseconds (" + origin_of(beam) +
           ") is " + shortest(std::round(pixels.major * 100) / 100) + " pixels long, and at least " +
           shortest(narrowest) + " and at most a quarter of the image, " + shortest(most) +
           ", make sense; are BMAJ and BMIN in arcseconds in place of degrees? beam.source: given with beam.fwhm in "
           "arcseconds overrides them");
  if (pixels.minor < narrow)
    warnings.push_back("the beam is only " + shortest(std::round(pixels.minor * 100) / 100) +
                       " pixels wide, so fitted shapes and fluxes are biased; image with smaller pixels");
  return pixels;
}

namespace {

/// The pixels of a map in Jy/sr or K hold brightness, and those in Jy/pixel flux, whatever made the map.
bool is_brightness(const std::string& header) {
  const std::string unit = fits_unit(Header(header).first_text("BUNIT"));
  return unit_factor(unit, "Jy/sr") || unit_factor(unit, "K") || unit_factor(unit, "Jy/pixel");
}

/// Whether two beams differ by more than 0.1 % in area or shape.
bool looks_other(const PixelBeam& one, const PixelBeam& other) {
  constexpr double least = 1e-3;
  const auto shape = [](const PixelBeam& beam) -> std::array<double, 3> {
    const auto [c, s] = portable_cosine_sine(beam.angle);
    const double major = beam.major * beam.major, minor = beam.minor * beam.minor;
    return {major * c * c + minor * s * s, (major - minor) * c * s, major * s * s + minor * c * c};
  };
  const std::array<double, 3> a = shape(one), b = shape(other);
  double most = std::abs(one.area() / other.area() - 1);
  for (std::size_t i = 0; i < 3; ++i) most = std::max(most, std::abs(a[i] - b[i]) / (b[0] + b[2]));
  return most > least;
}

/// The beam on the sky of a map, and what makes pixels of it.
struct MapOfBeam {
  SkyBeam beam;
  PixelBeam central;
  std::string header;
  std::optional<SkySteps> linear;  ///< set for a zenithal projection
  bool per_pixel = false;          ///< whether pixel values are in Jy/pixel

  std::vector<PixelBeam> at(const Places& places) const {
    std::string reason;
    std::vector<PixelBeam> out;
    for (const SkySteps& steps : steps_at(header, places, reason)) {
      if (!on_sky(steps)) {
        out.push_back(central);
        continue;
      }
      out.push_back(ellipse_in_pixels(beam, linear ? carried(steps, *linear) : steps));
      out.back().to_jansky = central.to_jansky * (per_pixel ? out.back().area() / central.area() : 1);
    }
    return out;
  }
};

}  // namespace

BeamsAt local_beams(const SkyBeam& beam, const PixelBeam& central, const std::string& header, const Shape& shape) {
  const CelestialWcs found = parse_celestial_wcs(header);
  if (!found.wcs) return {};
  const prjprm& projection = found.wcs->cel.prj;
  if (std::strncmp(projection.code, "SIN", 3) == 0 && !is_brightness(header)) return {};
  MapOfBeam map{.beam = beam, .central = central, .header = header, .linear = {}};
  if (projection.category == ZENITHAL) map.linear = linear_steps(*found.wcs);
  map.per_pixel = unit_factor(fits_unit(Header(header).first_text("BUNIT")), "Jy/pixel").has_value();
  const std::vector<PixelBeam> seen = map.at(sampled(shape));
  if (std::ranges::none_of(seen, [&](const PixelBeam& one) { return looks_other(one, central); })) return {};
  return [map](std::span<const double> x, std::span<const double> y) {
    Places places;
    for (std::size_t i = 0; i < x.size(); ++i) {
      places.x.push_back(x[i] + 1);
      places.y.push_back(y[i] + 1);
    }
    return map.at(places);
  };
}

std::optional<double> frequency_of(const BeamPlaces& places) {
  const CubeAxes axes(places.header, places.axes);
  const double mean =
      mean_over(places.planes, places.weights, [&](std::int64_t plane) { return axes.plane(plane).frequency; });
  if (mean > 0) return mean;
  return axes.rest_frequency() > 0 ? std::optional(axes.rest_frequency()) : std::nullopt;
}

double jansky_per_beam(const SkyBeam& beam, double beam_pixels, const BeamPlaces& places,
                       std::vector<std::string>& warnings) {
  const std::string written = Header(places.header).first_text("BUNIT"), unit = fits_unit(written);
  if (const auto factor = unit_factor(unit, "Jy/beam")) return *factor;
  if (const auto factor = unit_factor(unit, "Jy/pixel")) return *factor * beam_pixels;
  if (const auto factor = unit_factor(unit, "Jy/sr")) return *factor * solid_angle(beam);
  if (const auto factor = unit_factor(unit, "K")) {
    const auto frequency = frequency_of(places);
    if (!frequency)
      refuse(
          "the pixels are in K (BUNIT), and a flux needs their frequency, which the header does not tell: add an axis "
          "FREQ or RESTFRQ, or convert the image to Jy/beam");
    const double wave_number = *frequency / light_speed;
    return *factor * 2 * boltzmann * wave_number * wave_number * solid_angle(beam) / jansky;
  }
  const bool ambiguous = written.starts_with("MJY");
  warnings.push_back((written.empty() ? std::string("the header has no BUNIT")
                                      : "BUNIT = '" + written + "' is no brightness in Jy or K" +
                                            (ambiguous ? " (MJY may be milli or mega)" : "")) +
                     ", so fluxes have no unit: they are sums of pixel values divided by the beam's area; set BUNIT to "
                     "Jy/beam if it is");
  return 0;
}

}  // namespace srcextract
