#include "pipeline/image/open_map.hpp"

#include <spdlog/fmt/fmt.h>

#include <utility>

#include "pipeline/image/mask_planes.hpp"
#include "stages/core/error.hpp"
#include "stages/weights/mask_source.hpp"

namespace srcextract {
namespace {

/// Where a section of the configuration says that its map is.
struct MapPlace {
  std::string file_key, hdu_key;
  const std::string& file;
  const std::string& hdu;

  /// Which of them names it.
  const std::string& key() const { return hdu == "auto" ? file_key : hdu_key; }
};

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
              fmt::format("HDU {} of {} is the image itself; name the HDU of the map", map.image.hdu(), map.path));
}

OpenMap open_map(const MapPlace& place, const std::string& path, const OpenFrame& frame, const Config& config) {
  const bool of_own_file = place.file.empty();
  try {
    const std::string& file = of_own_file ? path : place.file;
    FitsImage image = select_images(file, place.hdu).front().open();
    const std::int64_t plane = image.planes() > 1 ? config.input.plane : 1;
    PixelSource pixels = image.plane(plane);
    OpenMap map{file, std::move(image), plane, std::move(pixels)};
    if (of_own_file) require_other_image(map, frame);
    require_shape(map, frame);
    return map;
  } catch (const Error& error) {
    throw Error(error.kind(), config.place_of(place.key()) + ": " + error.what());
  }
}

}  // namespace

std::optional<OpenMap> open_weights(const std::string& path, const OpenFrame& frame, const Config& config) {
  if (!has_map(config.weights)) return std::nullopt;
  return open_map({"weights.file", "weights.hdu", config.weights.file, config.weights.hdu}, path, frame, config);
}

std::optional<OpenMap> open_level(const std::string& path, const OpenFrame& frame, const Config& config) {
  const GivenSkyConfig& sky = config.given_sky;
  if (!has_level(sky) || given_number(sky.level)) return std::nullopt;
  return open_map({"background.level", "background.level_hdu", sky.level, sky.level_hdu}, path, frame, config);
}

std::optional<OpenMap> open_mask(const std::string& path, const OpenFrame& frame, const Config& config) {
  const MaskConfig& mask = config.mask;
  if (!has_mask(mask)) return std::nullopt;
  OpenMap map = open_map({"mask.file", "mask.hdu", mask.file, mask.hdu}, path, frame, config);
  said_at(config.place_of("mask.bits"), [&] {
    const std::uint64_t bits = wanted_bits(mask.bits, map.image.header(), map.pixels.format);
    map.pixels = mask_source(map.pixels, {bits, mask.good});
  });
  return map;
}

std::optional<OpenFlags> open_flags(const std::string& path, const OpenFrame& frame, const Config& config) {
  const FlagsConfig& flags = config.flags;
  if (!has_flags(flags)) return std::nullopt;
  const MapPlace place{"flags.file", "flags.hdu", flags.file, flags.hdu};
  OpenMap map = open_map(place, path, frame, config);
  if (const std::string problem = flags_problem(map.pixels.format); !problem.empty())
    throw Error(ErrorKind::input,
                fmt::format("{}: HDU {} of {} {}", config.place_of(place.key()), map.image.hdu(), map.path, problem));
  FlagMap source{map.pixels, 0, flags.type};
  said_at(config.place_of("flags.bits"),
          [&] { source.bits = wanted_bits(flags.bits, map.image.header(), map.pixels.format); });
  return OpenFlags{std::move(map), std::move(source)};
}

}  // namespace srcextract
