#include "pipeline/exposure/open_map.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "pipeline/exposure/mask_planes.hpp"
#include "stages/core/error.hpp"
#include "stages/weights/given_level.hpp"
#include "stages/weights/mask_source.hpp"

namespace srcextract {
namespace {

void require_shape(const OpenMap& map, const OpenFrame& frame) {
  const Shape &shape = frame.first().shape, &other = map.pixels.shape;
  if (other == shape) return;
  throw Error(ErrorKind::input,
              fmt::format("HDU {} of {} is {} x {} pixels and the image {} x {}: a map must have a value for each of "
                          "its pixels; name the map that belongs to the image",
                          map.image.hdu(), map.path, other.width, other.height, shape.width, shape.height));
}

void require_other_image(const OpenMap& map, const OpenFrame& frame) {
  if (map.image.hdu() != frame.image().hdu()) return;
  throw Error(ErrorKind::input,
              fmt::format("HDU {} of {} is the image itself; name the HDU of the map, or the file that holds it",
                          map.image.hdu(), map.path));
}

OpenMap open_map(const MapKeys& keys, const SelectedImage& selected, const std::string& path, const OpenFrame& frame,
                 const Config& config) {
  return said_at(config.place_of(keys.key()), [&] {
    FitsImage image = selected.open();
    const std::int64_t plane = image.planes() > 1 ? frame.plane_numbers().front() : 1;
    if (image.planes() > 1 && frame.plane_numbers().size() > 1)
      spdlog::warn("HDU {} of {} is a cube: its plane {} counts for all planes that are combined", image.hdu(),
                   keys.file.empty() ? path : keys.file, plane);
    PixelSource pixels = image.plane(plane);
    OpenMap map{keys.file.empty() ? path : keys.file, std::move(image), plane, std::move(pixels)};
    if (keys.file.empty()) require_other_image(map, frame);
    require_shape(map, frame);
    return map;
  });
}

/// The bits of a quality map that `wanted` selects, by names or numbers. `key`: the configuration key of `wanted`, for
/// messages.
std::uint64_t bits_of(const OpenMap& map, const std::vector<std::string>& wanted, const std::string& key,
                      const Config& config) {
  return said_at(fmt::format("{}: HDU {} of {}", config.place_of(key), map.image.hdu(), map.path),
                 [&] { return wanted_bits(wanted, map.image.header(), map.pixels.format); });
}

/// Replaces the pixels of the mask by pixels that are masked where mask.bits and mask.good select bad pixels.
void mask_by_bits(const Config& config, OpenMap& map) {
  const std::uint64_t bits = bits_of(map, config.mask.bits, "mask.bits", config);
  said_at(config.place_of("mask.bits"), [&] { map.pixels = mask_source(map.pixels, {bits, config.mask.good}); });
}

OpenFlags open_flag_map(const MapKeys& keys, const FlagMapConfig& flags, const SelectedImage& selected,
                        const std::string& path, const OpenFrame& frame, const Config& config) {
  OpenMap map = open_map(keys, selected, path, frame, config);
  if (const std::string problem = flags_problem(map.pixels.format); !problem.empty())
    throw Error(ErrorKind::input,
                fmt::format("{}: HDU {} of {} {}", config.place_of(keys.key()), map.image.hdu(), map.path, problem));
  const std::string section = keys.file_key.substr(0, keys.file_key.rfind('.'));
  FlagMap source{map.pixels, 0, flags.type, section};
  source.bits = bits_of(map, flags.bits, section + ".bits", config);
  return {std::move(map), std::move(source)};
}

}  // namespace

void OpenMaps::forget_reads() const {
  for (const std::optional<OpenMap>* map : {&weights, &mask, &level})
    if (*map) (*map)->forget_reads();
}

void OpenMaps::require_unchanged() const {
  for (const std::optional<OpenMap>* map : {&weights, &mask, &level})
    if (*map) (*map)->image.require_unchanged();
}

OpenMaps open_maps(const SelectedMaps& selected, const std::string& path, const OpenFrame& frame,
                   const Config& config) {
  const auto open = [&](const MapKeys& keys, const SelectedMap& map) -> std::optional<OpenMap> {
    if (!map) return std::nullopt;
    return open_map(keys, *map, path, frame, config);
  };
  OpenMaps maps;
  maps.weights = open(keys_of(config.weights), selected.weights);
  maps.mask = open(keys_of(config.mask), selected.mask);
  if (maps.mask) mask_by_bits(config, *maps.mask);
  maps.level = open(keys_of(config.given_sky), selected.level);
  return maps;
}

Exposure exposure_of(const OpenFrame& frame, const OpenMaps& maps, const Config& config) {
  Exposure exposure(frame.planes());
  if (maps.weights) exposure.weights = maps.weights->pixels;
  if (maps.mask) exposure.mask = maps.mask->pixels;
  if (maps.level) {
    exposure.level = maps.level->pixels;
  } else if (const auto level = given_number(config.given_sky.level)) {
    exposure.level = constant_source(frame.first().shape, *level);
  }
  return exposure;
}

std::vector<OpenFlags> open_flags(const std::vector<SelectedMap>& selected, const std::string& path,
                                  const OpenFrame& frame, const Config& config) {
  const std::vector<MapKeys> keys = keys_of(config.flags);
  std::vector<OpenFlags> opened;
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const FlagMapConfig& flags = i == 0 ? config.flags : config.flags.further[i - 1];
    opened.push_back(open_flag_map(keys[i], flags, *selected[i], path, frame, config));
  }
  return opened;
}

}  // namespace srcextract
