#include "pipeline/exposure/open_detection.hpp"

#include <spdlog/fmt/fmt.h>

#include <utility>
#include <vector>

#include "io/wcs/map_pixels.hpp"
#include "pipeline/exposure/image_needs.hpp"
#include "pipeline/exposure/map_pairs.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Largest distance in pixels between the sky positions of a pixel in two images at which the pixels count as the same.
constexpr double same_pixel = 0.1;

void require_same_shape(const Shape& found, const DetectionTask& task, const Shape& measured, const std::string& name) {
  if (found == measured) return;
  throw Error(
      ErrorKind::input,
      fmt::format("the detection image {} is {} x {} pixels and {} is {} x {}: sources are measured where they were "
                  "found, pixel by pixel; resample one to the grid of the other, or name its HDU (--detect-set "
                  "input.hdu=, in a manifest detect:input.hdu)",
                  task.path, found.width, found.height, name, measured.width, measured.height));
}

}  // namespace

HduNames detection_hdu(const DetectionTask& task, const OpenFrame& measured) {
  const HduNames& own = task.config().input.hdu;
  return own.several() ? HduNames(std::to_string(measured.image().hdu())) : own;
}

void require_same_pixels(const OpenDetection& detection, const OpenFrame& measured, const std::string& name) {
  require_same_shape(detection.frame.first().shape, detection.task, measured.first().shape, name);
  require_same_sky(detection.frame, "the detection image " + detection.task.path, measured, name);
}

bool require_same_sky(const OpenFrame& one, const std::string& one_name, const OpenFrame& other,
                      const std::string& other_name) {
  if (!has_celestial_wcs(one) || !has_celestial_wcs(other)) return false;
  const double shift = largest_shift(
      map_pixels(other.first().shape, other.image().header(), other_name, one.image().header(), one_name, {}));
  if (shift <= same_pixel) return true;
  throw Error(
      ErrorKind::input,
      fmt::format("{} and {} do not show the same sky: their WCS are apart by {}; resample one to the grid of "
                  "the other, or correct the WCS",
                  one_name, other_name, shift < 1e6 ? fmt::format("up to {:.2f} pixels", shift) : "the whole image"));
}

OpenDetection open_detection(const DetectionTask& task, const HduNames& hdu, std::int64_t most_inflated) {
  const Config& config = task.config();
  FitsImages file(task.path, most_inflated);
  std::vector<SelectedImage> images = file.select(hdu, "input.hdu", image_needs(config));
  images.resize(1);
  most_inflated -= file.held_bytes();
  const SelectedMaps maps = pair_maps(file, images, config, most_inflated).front();
  OpenFrame frame(images.front().open(), task.path, config, most_inflated);
  OpenMaps opened = open_maps(maps, task.path, frame, config);
  return {task, std::move(frame), std::move(opened)};
}

}  // namespace srcextract
