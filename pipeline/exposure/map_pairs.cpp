#include "pipeline/exposure/map_pairs.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "pipeline/exposure/image_needs.hpp"
#include "pipeline/exposure/open_frame.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

using Images = std::vector<SelectedImage>;

/// The header value by which a map is assigned to an image, such as EXTVER; nullopt if the HDU lacks the keyword.
using Identity = std::optional<std::string>;
using IdentityOf = Identity (*)(const SelectedImage&);

Identity version(const SelectedImage& image) {
  return image.extver ? Identity("EXTVER " + std::to_string(*image.extver)) : std::nullopt;
}

Identity name_and_version(const SelectedImage& image) {
  if (image.extname.empty()) return std::nullopt;
  return "EXTNAME " + in_capitals(image.extname) +
         (image.extver.value_or(1) == 1 ? "" : ", EXTVER " + std::to_string(*image.extver));
}

bool all_have_their_own(const Images& images, IdentityOf identity) {
  std::set<std::string> seen;
  return std::ranges::all_of(images, [&](const SelectedImage& image) {
    const Identity own = identity(image);
    return own && seen.insert(*own).second;
  });
}

/// A list of images for messages: "HDU 1 'SCI', HDU 4 'SCI'".
std::string listed(const Images& images) {
  return first_few(images.size(), [&](std::size_t i) {
    const SelectedImage& image = images[i];
    std::string name = fmt::format("HDU {}", image.hdu);
    if (!image.extname.empty()) name += " '" + image.extname + "'";
    if (image.extver) name += fmt::format(",{}", *image.extver);
    return name;
  });
}

/// Assigns the maps of one configuration section to images.
class Pairing {
 public:
  Pairing(const Images& images, const Images& maps, const MapKeys& keys) : images_(images), maps_(maps), keys_(keys) {}

  /// Index of the map of each image.
  std::vector<std::size_t> pairs() const {
    if (!keys_.file.empty())
      if (std::optional<std::vector<std::size_t>> named = by(name_and_version)) return std::move(*named);
    if (std::ranges::all_of(maps_, [](const SelectedImage& map) { return version(map).has_value(); }))
      if (std::optional<std::vector<std::size_t>> numbered = by(version)) return std::move(*numbered);
    return in_order();
  }

 private:
  /// Assigns to each image the map with the same `identity`. Returns nullopt if an image has no identity, if two images
  /// have the same identity, or if no image has a map. Throws Error{input} if only some images have one, or an image
  /// has several.
  std::optional<std::vector<std::size_t>> by(IdentityOf identity) const {
    if (!all_have_their_own(images_, identity)) return std::nullopt;
    std::map<Identity, std::vector<std::size_t>> called;
    for (std::size_t i = 0; i < maps_.size(); ++i) called[identity(maps_[i])].push_back(i);
    std::vector<std::size_t> pairs;
    const SelectedImage* without = nullptr;
    for (const SelectedImage& image : images_) {
      const auto found = called.find(identity(image));
      if (found == called.end()) without = &image;
      if (found != called.end() && found->second.size() > 1)
        fail(fmt::format("has several maps of {} for {}", *identity(image), image.name));
      pairs.push_back(found == called.end() ? maps_.size() : found->second.front());
    }
    if (without == nullptr) return pairs;
    if (std::ranges::count(pairs, maps_.size()) == std::ssize(pairs)) return std::nullopt;
    fail(fmt::format("has no map of {} for {}", *identity(*without), without->name));
  }

  std::vector<std::size_t> in_order() const {
    std::vector<std::size_t> pairs(images_.size(), 0);
    const bool one_name = keys_.hdus.names.size() == 1 && !keys_.hdus.open();
    if (one_name && (maps_.size() == 1 || images_.size() == 1)) return pairs;
    if (maps_.size() != images_.size())
      fail(fmt::format("has {} for {} ({}), and neither EXTNAME nor EXTVER tells which belong together",
                       counted(std::ssize(maps_), "map"), counted(std::ssize(images_), "image"), listed(images_)));
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = i;
    return pairs;
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error(ErrorKind::input, fmt::format("{} = {} {}: it names {}; name a map for each image, in their order",
                                              keys_.hdu_key, keys_.hdus.text(), problem, listed(maps_)));
  }

  const Images& images_;
  const Images& maps_;
  const MapKeys& keys_;
};

/// Returns the HDU names of the keys. Each name without an EXTVER is extended to all EXTVERs of that name.
HduNames of_any_version(const MapKeys& keys) {
  HduNames all = keys.hdus;
  if (all == "auto") return "all";
  for (std::string& name : all.names) {
    const bool number = name.find_first_not_of("0123456789") == std::string::npos;
    if (!number && name.find(',') == std::string::npos && !HduNames(name).open()) name += ",*";
  }
  return all;
}

/// Selects the maps that a configuration section names. `file` is the file of the images; null if the section names a
/// separate file. Reduces `most_inflated` by the inflated size of a separate file.
Images select_maps(const MapKeys& keys, FitsImages* file, const Config& config, std::int64_t& most_inflated) {
  Images maps = said_at(config.place_of(keys.key()), [&] {
    std::optional<FitsImages> other;
    if (!keys.file.empty()) other.emplace(keys.file, most_inflated);
    FitsImages& of = other ? *other : *file;
    const ImageNeeds needs = map_needs(config);
    Images named = of.select(keys.hdus, keys.hdu_key,
                             needs);  // first by the names as the user wrote them, which an error then contains
    const bool no_others = keys.hdus.several() || named.front().shape.count() == 0;
    if (!no_others) named = of.select(of_any_version(keys), keys.hdu_key, needs);
    if (other) most_inflated -= other->held_bytes();
    return named;
  });
  std::erase_if(maps, [](const SelectedImage& map) { return !map.has_header; });
  return maps;
}

void take_maps_out(Images& images, const Images& maps, const MapKeys& keys, const Config& config) {
  if (!keys.file.empty()) return;
  const bool any = !images.empty();
  std::set<int> hdus;
  for (const SelectedImage& map : maps) hdus.insert(map.hdu);
  std::erase_if(images, [&](const SelectedImage& image) { return image.by_pattern && hdus.contains(image.hdu); });
  if (any && images.empty())
    throw Error(
        ErrorKind::input,
        fmt::format("{}: {} = {} names every image that input.hdu = {} selects; name the maps, or the file that "
                    "holds them ({})",
                    config.place_of(keys.key()), keys.hdu_key, keys.hdus.text(), config.input.hdu.text(),
                    keys.file_key));
}

/// The keys of a map, and a function that returns its member of SelectedMaps.
struct NamedMap {
  MapKeys keys;
  std::function<SelectedMap&(SelectedMaps&)> of;
};

/// All maps that the configuration asks for.
std::vector<NamedMap> named_maps(const Config& config) {
  std::vector<NamedMap> named;
  const auto add = [&](const MapKeys& keys, SelectedMap SelectedMaps::*member) {
    named.push_back({keys, [member](SelectedMaps& maps) -> SelectedMap& { return maps.*member; }});
  };
  if (has_map(config.weights)) add(keys_of(config.weights), &SelectedMaps::weights);
  if (has_mask(config.mask)) add(keys_of(config.mask), &SelectedMaps::mask);
  for (const MapKeys& keys : keys_of(config.flags))
    named.push_back({keys, [](SelectedMaps& maps) -> SelectedMap& { return maps.flags.emplace_back(); }});
  if (has_level_map(config.given_sky)) add(keys_of(config.given_sky), &SelectedMaps::level);
  return named;
}

/// Assigns a map to each image. An image without a readable header, which is the last image, gets no map; opening that
/// image throws the error.
void pair_images(Images images, const Images& maps, const NamedMap& named, const Config& config,
                 std::vector<SelectedMaps>& all) {
  std::erase_if(images, [](const SelectedImage& image) { return !image.has_header; });
  const std::vector<std::size_t> pairs =
      said_at(config.place_of(named.keys.key()), [&] { return Pairing(images, maps, named.keys).pairs(); });
  for (std::size_t i = 0; i < images.size(); ++i) named.of(all[i]) = maps[pairs[i]];
}

}  // namespace

std::vector<MapKeys> keys_of(const FlagsConfig& config) {
  if (!has_flags(config)) return {};
  std::vector<MapKeys> keys = {{"flags.file", "flags.hdu", config.file, config.hdu}};
  for (const FlagMapConfig& map : config.further) {
    const std::string section = fmt::format("flags.further[{}]", keys.size());
    keys.push_back({section + ".file", section + ".hdu", map.file, map.hdu});
  }
  return keys;
}

std::vector<std::string> files_of_maps(const Config& config) {
  std::vector<std::string> files;
  for (const NamedMap& named : named_maps(config))
    if (!named.keys.file.empty()) files.push_back(named.keys.file);
  return files;
}

void add_maps_of_files(SelectedMaps& maps, const SelectedImage& image, const Config& config,
                       std::int64_t& most_inflated) {
  std::vector<SelectedMaps> all = {std::move(maps)};
  for (const NamedMap& named : named_maps(config)) {
    const MapKeys& keys = named.keys;
    SelectedMap& map = named.of(all.front());
    const bool in_file = !keys.file.empty();
    if (map && !in_file) continue;
    if (map)
      throw Error(ErrorKind::config, fmt::format("{}: this map is given as an array; leave one of them out",
                                                 config.place_of(keys.file_key)));
    if (!in_file)
      throw Error(
          ErrorKind::config,
          fmt::format("{}: {} = {} names an HDU of the image's file, and {} is given by itself, without one; name "
                      "the file with {}, or give the map as an array",
                      config.place_of(keys.key()), keys.hdu_key, keys.hdus.text(), image.name, keys.file_key));
    const Images one = {image};
    const Images found = select_maps(keys, nullptr, config, most_inflated);
    map = found[said_at(config.place_of(keys.key()), [&] { return Pairing(one, found, keys).pairs().front(); })];
  }
  maps = std::move(all.front());
}

std::vector<SelectedMaps> pair_maps(FitsImages& file, std::vector<SelectedImage>& images, const Config& config,
                                    std::int64_t& most_inflated) {
  const std::vector<NamedMap> named = named_maps(config);
  std::vector<Images> maps;
  for (const NamedMap& map : named) maps.push_back(select_maps(map.keys, &file, config, most_inflated));
  for (std::size_t i = 0; i < named.size(); ++i) take_maps_out(images, maps[i], named[i].keys, config);
  std::vector<SelectedMaps> all(images.size());
  for (std::size_t i = 0; i < named.size(); ++i) pair_images(images, maps[i], named[i], config, all);
  return all;
}

}  // namespace srcextract
