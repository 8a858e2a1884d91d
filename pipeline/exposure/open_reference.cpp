#include "pipeline/exposure/open_reference.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "io/wcs/map_pixels.hpp"
#include "pipeline/exposure/choose_plane.hpp"
#include "pipeline/exposure/image_needs.hpp"
#include "pipeline/exposure/map_pairs.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Largest distance, in pixels, between corresponding pixels of both frames that need no resampling. With
/// difference.align = wcs, a hundredth of this distance.
constexpr double same_place = 0.1;

std::string size_of(const Shape& shape) {
  return fmt::format("{} x {} pixels", shape.width, shape.height);
}

/// Whether the frames overlap: the map leads one of its nodes into an image of that shape, or nearly so. Near enough is
/// a distance at which a pixel between the nodes may be inside.
bool overlap(const PixelMap& map, const Shape& shape) {
  constexpr auto margin = static_cast<double>(PixelMap::step);
  for (std::size_t node = 0; node < map.x.size(); ++node) {
    if (map.x[node] > -margin && map.x[node] < static_cast<double>(shape.width) + margin && map.y[node] > -margin &&
        map.y[node] < static_cast<double>(shape.height) + margin)
      return true;
  }
  return false;
}

/// The map from pixels of the new frame to the reference; null if both frames have the same pixels. Without
/// difference.align = wcs, frames without a WCS are assumed to have the same pixels, and a warning is logged.
std::shared_ptr<const PixelMap> align(const OpenFrame& fresh, const std::string& name, const OpenFrame& reference,
                                      const std::string& reference_name, const Config& config, const Cpu& where) {
  const Shape &shape = fresh.first().shape, &other = reference.first().shape;
  const bool by_wcs = config.difference.align == Align::wcs;
  const std::string remedy = "; set difference.align: wcs to resample the reference";
  if (!by_wcs && shape != other)
    throw Error(ErrorKind::input, fmt::format("{}: {} is {} and {} is {}: they cannot be subtracted pixel by pixel{}",
                                              config.place_of("difference.align"), reference_name, size_of(other), name,
                                              size_of(shape), remedy));
  if (!by_wcs && !(has_celestial_wcs(fresh) && has_celestial_wcs(reference))) {
    spdlog::warn(
        "{}: {} has no WCS that can be used, so nothing tells whether {} shows the same sky, pixel by pixel. It is "
        "taken for granted: look at the picture (output.quicklook), or give frames with a WCS",
        name, has_celestial_wcs(fresh) ? reference_name : name, reference_name);
    return nullptr;
  }
  PixelMap map = map_pixels(shape, fresh.image().header(), name, reference.image().header(), reference_name, where);
  const double shift = largest_shift(map);
  if (shape == other && shift <= (by_wcs ? same_place / 100 : same_place)) return nullptr;
  if (!by_wcs)
    throw Error(ErrorKind::input,
                fmt::format("{}: {} and {} do not show the same sky: their WCS are apart by up to {:.2f} pixels{}",
                            config.place_of("difference.align"), reference_name, name, shift, remedy));
  if (!overlap(map, other))
    throw Error(ErrorKind::input, fmt::format("{} and {} show no sky in common: by their WCS no pixel of one is in the "
                                              "other; were they exchanged with frames of another field?",
                                              reference_name, name));
  spdlog::debug("{}: {} is resampled to its pixels, from up to {:.2f} pixels away", name, reference_name, shift);
  return std::make_shared<const PixelMap>(std::move(map));
}

/// A run of rows of both frames. Masked pixels are NaN.
struct RowsOfBoth {
  Image<float, Cpu> fresh, reference;
};

/// Calls f(rows) for the rows of both frames, a few at a time, until f returns false. Returns the last result.
template <class F>
bool for_rows_of_both(const PixelSource& fresh, const PixelSource& reference, F&& f) {
  constexpr std::int64_t pixels_at_once = std::int64_t{1} << 16;
  const Shape& shape = fresh.shape;
  const std::int64_t step = std::max<std::int64_t>(1, pixels_at_once / shape.width);
  for (std::int64_t row = 0; row < shape.height; row += step) {
    const std::int64_t first = row * shape.width, count = std::min(step, shape.height - row) * shape.width;
    if (!f(RowsOfBoth{read_part(fresh, first, count), read_part(reference, first, count)})) return false;
  }
  return true;
}

/// The line fresh = factor * reference + offset through two pixels of a part of both frames.
struct LineOfFrames {
  double factor = 0, offset = 0;
  double low = 0, span = 0;  ///< value of the lower pixel in the reference, and the difference of both

  static std::optional<LineOfFrames> through(const RowsOfBoth& rows) {
    const Buffer<float, Cpu>&x = rows.reference.pixels, &y = rows.fresh.pixels;
    std::int64_t low = -1, high = -1;
    for (std::int64_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i]) || std::isnan(y[i])) continue;
      if (low < 0 || x[i] < x[low]) low = i;
      if (high < 0 || x[i] > x[high]) high = i;
    }
    if (low < 0 || x[low] == x[high]) return std::nullopt;
    const double span = static_cast<double>(x[high]) - static_cast<double>(x[low]);
    const double factor = (static_cast<double>(y[high]) - static_cast<double>(y[low])) / span;
    return LineOfFrames{factor, static_cast<double>(y[low]) - factor * static_cast<double>(x[low]),
                        static_cast<double>(x[low]), span};
  }

  /// Whether a pixel of both frames is on the line, but for the rounding of three pixels to float32.
  bool holds(double x, double y) const {
    constexpr double rounding = 4 * 0x1p-24;
    const double size = std::max({std::abs(factor * x), std::abs(offset), std::abs(y), std::abs(factor * low)});
    return std::abs(factor * x + offset - y) <= rounding * size * (1 + std::abs(x - low) / span);
  }
};

/// Returns true if one frame is the other, or a copy of it in another unit or with a constant added: all pixels that
/// are masked in neither are on one line. Reads both frames as far as that holds.
bool are_one_exposure(const PixelSource& fresh, const PixelSource& reference) {
  std::optional<LineOfFrames> line;
  bool any = false;
  const bool all = for_rows_of_both(fresh, reference, [&](const RowsOfBoth& rows) {
    if (!line) line = LineOfFrames::through(rows);
    const Buffer<float, Cpu>&x = rows.reference.pixels, &y = rows.fresh.pixels;
    for (std::int64_t i = 0; line && i < x.size(); ++i) {
      if (std::isnan(x[i]) || std::isnan(y[i])) continue;
      any = true;
      if (!(line->factor > 0) || !line->holds(static_cast<double>(x[i]), static_cast<double>(y[i]))) return false;
    }
    return true;
  });
  return all && any;
}

void require_two_exposures(const OpenFrame& fresh, const std::string& name, const OpenFrame& reference,
                           const std::string& reference_name) {
  if (fresh.planes().size() > 1 || reference.planes().size() > 1) return;
  if (fresh.first().shape != reference.first().shape || !are_one_exposure(fresh.first(), reference.first())) return;
  throw Error(ErrorKind::input, fmt::format("{} and {} are one exposure, pixel by pixel, so nothing changed between "
                                            "them; name two exposures",
                                            reference_name, name));
}

}  // namespace

OpenReference open_reference(const std::string& path, const OpenFrame& fresh, const std::string& name,
                             const Config& config, const Config* own, const Cpu& where, std::int64_t most_inflated) {
  const Config& read_by = own != nullptr ? *own : config;
  const HduNames hdu = read_by.input.hdu.several() ? std::to_string(fresh.image().hdu()) : read_by.input.hdu;
  FitsImages file(path, most_inflated);
  std::vector<SelectedImage> images = file.select(hdu, "input.hdu", image_needs(read_by));
  images.resize(1);
  most_inflated -= file.held_bytes();
  SelectedMaps selected;
  if (own != nullptr) selected = pair_maps(file, images, *own, most_inflated).front();
  OpenFrame frame(images.front().open(), path, read_by, most_inflated);
  OpenMaps maps = open_maps(selected, path, frame, read_by);
  auto subtracted = std::make_shared<ReferenceFrame>();
  subtracted->planes = frame.planes();
  subtracted->map = align(fresh, name, frame, path, config, where);
  if (subtracted->map == nullptr) require_two_exposures(fresh, name, frame, path);
  if (maps.weights) subtracted->weights = maps.weights->pixels;
  if (maps.mask) subtracted->mask = maps.mask->pixels;
  return {path, std::move(frame), std::move(maps), std::move(subtracted)};
}

}  // namespace srcextract
