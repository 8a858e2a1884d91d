#include "pipeline/sextractor/map_extensions.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "config/values.hpp"
#include "io/image/fits_image.hpp"

namespace srcextract {
namespace {

using sextractor::NamedImage;
using sextractor::Request;
using sextractor::Setting;

/// The first extension that is an image; empty if there is none, or no such file.
std::string first_extension(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  for (const SelectedImage& image : select_images(path, "all"))
    if (image.hdu > 0) return std::to_string(image.hdu);
  return "";
}

/// The name of an image with which brackets of maps count.
std::string with_extension(const NamedImage& image) {
  std::error_code ignored;
  const bool is_there = std::filesystem::is_regular_file(image.path, ignored);
  return image.path + "[" + (is_there ? std::to_string(select_images(image.path, "all").front().hdu) : "1") + "]";
}

void settle(const char* key, const std::vector<NamedImage>& images, Request& request) {
  const Setting& setting = request[key];
  const NamedImage& image = images.front();  // the first image decides for both
  const bool counts = !image.extension.empty();
  std::vector<std::string> values;
  for (const std::string& value : setting.values) {
    const std::string place = setting.is_set() ? setting.place : request.path;
    NamedImage map = sextractor::named_image(value, place + ": " + setting.text());
    if (!map.extension.empty() && !counts)
      config::fail(place,
                   setting.text() + ": SExtractor passes over [" + map.extension +
                       "] and takes maps in the order of their file, unless the image has a number as well: name "
                       "it " +
                       with_extension(image) + ", or the map " + map.path);
    if (map.extension.empty() && counts) map.extension = first_extension(map.path);
    values.push_back(map.extension.empty() ? value : map.path + "[" + map.extension + "]");
  }
  request.configuration.set_values(key, std::move(values));
}

}  // namespace

void settle_map_extensions(const std::vector<NamedImage>& images, Request& request) {
  const Setting& types = request["WEIGHT_TYPE"];
  bool has_map = false;
  for (std::size_t i = 0; i < types.values.size(); ++i) has_map = has_map || types.word(i).starts_with("MAP");
  if (has_map) settle("WEIGHT_IMAGE", images, request);
  if (request.wants("IMAFLAGS_ISO") || request.wants("NIMAFLAGS_ISO")) settle("FLAG_IMAGE", images, request);
}

}  // namespace srcextract
