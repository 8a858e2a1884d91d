#include "pipeline/exposure/open_reference.hpp"

#include <spdlog/spdlog.h>

#include <utility>
#include <vector>

#include "io/wcs/map_pixels.hpp"
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
  spdlog::info("{}: {} is resampled to its pixels, from up to {:.2f} pixels away", name, reference_name, shift);
  return std::make_shared<const PixelMap>(std::move(map));
}

}  // namespace

OpenReference open_reference(const std::string& path, const OpenFrame& fresh, const std::string& name,
                             const Config& config, const Config* own, const Cpu& where, std::int64_t most_inflated) {
  const Config& read_by = own != nullptr ? *own : config;
  const HduNames hdu = read_by.input.hdu.several() ? std::to_string(fresh.image().hdu()) : read_by.input.hdu;
  FitsImages file(path, most_inflated);
  std::vector<SelectedImage> images = file.select(hdu);
  images.resize(1);
  most_inflated -= file.held_bytes();
  SelectedMaps selected;
  if (own != nullptr) selected = pair_maps(file, images, *own, most_inflated).front();
  OpenFrame frame(images.front().open(), path, read_by, most_inflated);
  OpenMaps maps = open_maps(selected, path, frame, read_by);
  auto subtracted = std::make_shared<ReferenceFrame>();
  subtracted->planes = frame.planes();
  subtracted->map = align(fresh, name, frame, path, config, where);
  if (maps.weights) subtracted->weights = maps.weights->pixels;
  if (maps.mask) subtracted->mask = maps.mask->pixels;
  return {path, std::move(frame), std::move(maps), std::move(subtracted)};
}

}  // namespace srcextract
