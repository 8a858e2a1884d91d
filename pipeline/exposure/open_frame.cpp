#include "pipeline/exposure/open_frame.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "io/wcs/settle_sip.hpp"
#include "io/wcs/wcs.hpp"
#include "pipeline/exposure/choose_plane.hpp"
#include "pipeline/exposure/cube_planes.hpp"
#include "pipeline/exposure/image_needs.hpp"
#include "pipeline/resolve/gain.hpp"
#include "stages/combine/combine.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

std::vector<std::int64_t> all_planes(const FitsImage& image) {
  std::vector<std::int64_t> numbers;
  for (std::int64_t plane = 1; plane <= image.planes(); ++plane) numbers.push_back(plane);
  return numbers;
}

/// Number of planes to combine, known before they are opened.
std::size_t count_planes(const FitsImage& image, const CombineConfig& combine, bool all, std::size_t others) {
  if (all) return static_cast<std::size_t>(image.planes());
  return combine.planes.size() + others + (combine.files.empty() ? 0 : 1);
}

/// The key that names the planes to combine. If no key lists planes, combine.method.
std::string key_of_planes(const CombineConfig& config) {
  return !config.hdus.empty()     ? "combine.hdus"
         : !config.files.empty()  ? "combine.files"
         : !config.planes.empty() ? "combine.planes"
                                  : "combine.method";
}

/// The level of saturation of an image, from its header or the configuration; 0 if neither tells it.
double saturation_in(const FitsImage& image, const MeasurementConfig& config) {
  if (config.saturation_keyword == "none") return config.saturation;
  const std::string name;
  const auto level = number_in_header({name, image.header(), image.primary_header()}, config.saturation_keyword);
  return level && level->usable && level->value > 0 ? level->value : config.saturation;
}

}  // namespace

OpenFrame::OpenFrame(FitsImage image, const std::string& path, const Config& config, std::int64_t most_inflated)
    : most_inflated_(most_inflated) {
  keep(std::move(image), config);
  const CombineConfig& combine = config.combine;
  if (combine.method == CombineMethod::none) {
    plane_numbers_ = {plane_of(images_.front(), config.input.plane)};
    add_plane(images_.front(), plane_numbers_.front(), config);
    return;
  }
  const std::string key = key_of_planes(combine);
  if (combines_channels(config)) {
    said_at(config.place_of(key), [&] { add_channels(path, config); });
    return;
  }
  std::vector<std::pair<std::string, HduNames>> others;
  for (const std::string& hdu : combine.hdus) others.emplace_back(path, hdu);
  for (const std::string& file : combine.files) others.emplace_back(file, config.input.hdu);
  const bool all = others.empty() && combine.planes.empty();
  const std::size_t count = count_planes(images_.front(), combine, all, others.size());
  const bool weighed = combine.method == CombineMethod::weighted;
  said_at(config.place_of(weighed ? "combine.weights" : key), [&] { check_plane_count(count, combine); });
  if (others.empty()) {
    add_planes(all ? all_planes(images_.front()) : combine.planes, config);
  } else {
    add_images(key, others, config);
  }
  require_one_shape(config.place_of(key));
}

void OpenFrame::add_channels(const std::string& path, const Config& config) {
  CombinedChannels channels =
      combine_channels(images_.front(), path, config.beam, config.background, config.input, config.combine.planes);
  for (const std::string& one : channels.left_out) spdlog::warn("{}: {}", path, one);
  planes_.push_back(std::move(channels.image));
  stored_format_ = planes_.front().format;
  plane_numbers_ = std::move(channels.planes);
  weights_ = std::move(channels.weights);
  for (const std::int64_t number : plane_numbers_) combined_.push_back("plane " + std::to_string(number));
}

void OpenFrame::add_planes(const std::vector<std::int64_t>& numbers, const Config& config) {
  const std::int64_t planes = images_.front().planes();
  plane_numbers_ = numbers;
  for (const std::int64_t number : numbers) {
    if (number > planes)
      throw Error(ErrorKind::input, fmt::format("{}: there is no plane {} to combine: the image has {}",
                                                config.place_of("combine.planes"), number, planes));
    add_plane(images_.front(), number, config);
    combined_.push_back("plane " + std::to_string(number));
  }
}

/// Opens the images to combine and uses one plane of each. Images named by combine.hdus replace the first image; files
/// named by combine.files are added to it.
void OpenFrame::add_images(const std::string& key, const std::vector<std::pair<std::string, HduNames>>& files_and_hdus,
                           const Config& config) {
  if (key == "combine.hdus") {
    images_.clear();
    sip_warnings_.clear();
  } else {
    combined_.push_back("the image");
  }
  for (const std::pair<std::string, HduNames>& one : files_and_hdus) {
    said_at(config.place_of(key), [&] { keep(open_another(one.first, one.second, image_needs(config)), config); });
    combined_.push_back(key == "combine.hdus" ? "HDU " + one.second.text() : one.first);
  }
  for (const FitsImage& image : images_) {
    said_at(config.place_of(key), [&] {
      const std::int64_t plane = plane_of(image, config.input.plane);
      if (planes_.empty()) plane_numbers_ = {plane};
      add_plane(image, plane, config);
    });
  }
}

void OpenFrame::keep(FitsImage image, const Config& config) {
  const std::vector<std::int64_t>& axes = image.axes();
  SettledHeader settled = settle_sip(image.header(), {axes[0], axes.size() > 1 ? axes[1] : 1}, config.wcs.sip);
  image.set_header(std::move(settled.header));
  sip_warnings_.push_back(std::move(settled.warning));
  images_.push_back(std::move(image));
}

void OpenFrame::add_plane(const FitsImage& image, std::int64_t number, const Config& config) {
  auto padding =
      std::make_shared<const Padding>(find_padding(image, number,
                                                   {.wanted = config.input.padding,
                                                    .zeros_inside = fits_gaussians(config),
                                                    .saturation = saturation_in(image, config.measurement)}));
  for (const PaddingValue& one : padding->values) {
    const auto known = std::ranges::find(padding_, one.value, &PaddingValue::value);
    if (known == padding_.end())
      padding_.push_back(one);
    else
      known->pixels += one.pixels;
  }
  if (padding->left && padding->left->share > (left_padding_ ? left_padding_->share : 0)) left_padding_ = padding->left;
  if (padding->of_data) value_of_data_ = padding->of_data;
  const PixelSource plane = image.plane(number);
  if (planes_.empty()) stored_format_ = plane.format;
  planes_.push_back(without_padding(plane, std::move(padding)));
}

FitsImage OpenFrame::open_another(const std::string& path, const HduNames& hdu, const ImageNeeds& needs) {
  const SelectedImage selected = select_images(path, hdu, most_inflated_, needs).front();
  most_inflated_ -= selected.held_bytes;
  return selected.open();
}

void OpenFrame::require_one_shape(const std::string& where) const {
  const Shape& shape = planes_.front().shape;
  for (std::size_t i = 1; i < planes_.size(); ++i) {
    const Shape& other = planes_[i].shape;
    if (other == shape) continue;
    throw Error(ErrorKind::input,
                fmt::format("{}: {} is {} x {} pixels and {} is {} x {}; what is combined must have one shape", where,
                            combined_.front(), shape.width, shape.height, combined_[i], other.width, other.height));
  }
}

bool has_celestial_wcs(const OpenFrame& frame) {
  std::vector<SkyPosition> none;
  return find_on_sky(frame.image().header(), {}, {}, none).empty();
}

}  // namespace srcextract
