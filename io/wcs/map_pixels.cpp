#include "io/wcs/map_pixels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "io/wcs/celestial_wcs.hpp"
#include "io/wcs/sky_of_pixels.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Number of nodes that a thread computes at a time.
constexpr std::int64_t nodes_per_batch = 4096;

/// One of the two images: header (80-column cards), and name in messages.
struct Frame {
  const std::string& header;
  const std::string& name;

  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(ErrorKind::input, name + ": its pixels cannot be placed on another frame: " + reason +
                                      "; both frames need a celestial WCS that can be used");
  }
  CelestialWcs parse() const {
    CelestialWcs found = parse_celestial_wcs(header);
    if (!found.wcs) refuse(found.reason);
    return found;
  }
};

/// Returns longitude and latitude of pixels, alternating, in degrees; NaN off the sky. `pixels` has x and y,
/// alternating, with 1 at the centre of the first pixel.
std::vector<double> sky_of(const Frame& frame, wcsprm& wcs, const std::vector<double>& pixels) {
  std::vector<double> world, sky(pixels.size());
  if (const std::string reason = world_of_pixels(wcs, pixels, world); !reason.empty()) frame.refuse(reason);
  for (std::size_t i = 0; i < sky.size(); i += 2) {
    sky[i] = world[i + static_cast<std::size_t>(wcs.lng)];
    sky[i + 1] = world[i + static_cast<std::size_t>(wcs.lat)];
  }
  return sky;
}

/// Computes the positions of nodes [begin, end) in the other image.
void place_nodes(const Frame& frame, const Frame& other, std::int64_t begin, std::int64_t end, PixelMap& map) {
  const CelestialWcs from = frame.parse();
  const CelestialWcs to = other.parse();
  std::vector<double> pixels;
  for (std::int64_t node = begin; node < end; ++node) {
    const std::int64_t column = node % map.nodes.width;
    const std::int64_t row = node / map.nodes.width;
    pixels.push_back(static_cast<double>(column * PixelMap::step + 1));
    pixels.push_back(static_cast<double>(row * PixelMap::step + 1));
  }
  std::vector<double> sky = sky_of(frame, *from.wcs, pixels);
  for (std::size_t i = 0; i < sky.size(); i += 2) {
    if (from.frame != to.frame) {
      to_j2000(from.frame, sky[i], sky[i + 1]);
      from_j2000(to.frame, sky[i], sky[i + 1]);
    }
    double pixel[2];
    if (const std::string reason = pixel_of_place(*to.wcs, sky[i], sky[i + 1], pixel); !reason.empty())
      other.refuse(reason);
    const std::size_t node = static_cast<std::size_t>(begin) + i / 2;
    map.x[node] = pixel[0] - 1;
    map.y[node] = pixel[1] - 1;
  }
}

/// Returns true if positions interpolated near this node err by more than a quarter of a pixel. Midway between two
/// nodes the error is an eighth of the second difference over three nodes. `step` is the distance in `positions` to the
/// next node.
bool bends(const std::vector<double>& positions, std::int64_t node, std::int64_t step) {
  const auto at = [&](std::int64_t i) { return positions[static_cast<std::size_t>(i)]; };
  return std::abs(at(node - step) - 2 * at(node) + at(node + step)) > 2;
}

void drop_bent_nodes(PixelMap& map) {
  const std::vector<double> x = map.x;
  const std::vector<double> y = map.y;
  for (std::int64_t node = 0; node < map.nodes.count(); ++node) {
    const std::int64_t column = node % map.nodes.width;
    const std::int64_t row = node / map.nodes.width;
    bool bent = false;
    if (column > 0 && column + 1 < map.nodes.width) bent = bends(x, node, 1) || bends(y, node, 1);
    if (row > 0 && row + 1 < map.nodes.height) {
      bent = bent || bends(x, node, map.nodes.width) || bends(y, node, map.nodes.width);
    }
    if (bent) map.x[static_cast<std::size_t>(node)] = map.y[static_cast<std::size_t>(node)] = nan;
  }
}

}  // namespace

PixelMap map_pixels(const Shape& shape, const std::string& header, const std::string& name,
                    const std::string& other_header, const std::string& other_name, const Cpu& where) {
  PixelMap map(shape);
  map.x.resize(static_cast<std::size_t>(map.nodes.count()));
  map.y.resize(map.x.size());
  const Frame frame{header, name};
  const Frame other{other_header, other_name};
  parallel_for(map.nodes.count(), nodes_per_batch, where,
               [&](std::int64_t begin, std::int64_t end) { place_nodes(frame, other, begin, end, map); });
  drop_bent_nodes(map);
  return map;
}

double largest_shift(const PixelMap& map) {
  double largest = -1;
  for (std::int64_t node = 0; node < map.nodes.count(); ++node) {
    const std::int64_t x = node % map.nodes.width * PixelMap::step;
    const std::int64_t y = node / map.nodes.width * PixelMap::step;
    if (x >= map.shape.width || y >= map.shape.height) continue;
    const double shift = std::hypot(map.x[static_cast<std::size_t>(node)] - static_cast<double>(x),
                                    map.y[static_cast<std::size_t>(node)] - static_cast<double>(y));
    largest = std::max(largest, shift);  // std::max ignores a NaN here
  }
  return largest >= 0 ? largest : std::numeric_limits<double>::infinity();
}

}  // namespace srcextract
