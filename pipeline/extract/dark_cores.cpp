#include "pipeline/extract/dark_cores.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "pipeline/exposure/choose_plane.hpp"
#include "pipeline/exposure/sampled_rows.hpp"
#include "pipeline/extract/image_sample.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/masked_pixel.hpp"

namespace srcextract {
namespace {

/// What is dark, what is bright, and the greatest light.
struct CoreLimits {
  float dark, bright;
  float most = 0;

  bool is_dark(float pixel) const { return pixel < dark || pixel == 0; }
  /// The least light beside a saturated core. Less light has single dark pixels.
  float beside_saturated() const { return bright + (most - bright) * 0.3F; }
};

/// The limits by the level and the noise of the sky; nothing if the image is too small or has no noise.
std::optional<CoreLimits> limits_of(const ImageSample& sample) {
  constexpr std::size_t least_blocks = 32;
  constexpr float sigmas = 10;
  const std::vector<float> medians = sample.block_medians();
  if (medians.size() < least_blocks) return std::nullopt;
  const auto sigma = static_cast<float>(sample.block_width());
  if (!(sigma > 0)) return std::nullopt;
  const std::size_t few = medians.size() / least_blocks;
  return CoreLimits{medians[few] - sigmas * sigma, medians[medians.size() - 1 - 5 * few] + sigmas * sigma};
}

class DarkCoreFinder {
 public:
  DarkCoreFinder(const PixelSource& plane, CoreLimits limits, std::int64_t together)
      : plane_(plane), limits_(limits), together_(together) {}

  DarkCores find(double saturation) {
    read_dark_pixels();
    DarkCores cores;
    if (dark_.empty() || has_many()) return cores;
    cores.knows_level = saturation > 0;
    if (cores.knows_level) limits_.most = static_cast<float>(saturation);
    cores.level = static_cast<double>(limits_.most);
    taken_.assign(dark_.size(), 0);
    for (std::size_t i = 0; i < dark_.size(); ++i)
      if (take(dark_[i])) add_core(island_of(dark_[i]), cores);
    std::ranges::sort(cores.pixels, {}, &DarkCores::Pixel::index);
    return cores;
  }

 private:
  struct Box {
    std::int64_t left, right, bottom, top;  ///< first and last columns and rows
  };

  /// Whether there are too many dark pixels for cores of stars. No more are kept then.
  bool has_many() const { return std::ssize(dark_) > plane_.shape.count() / 100; }

  /// Finds the dark pixels, and the greatest light. A pixel alone is a hot one, no light.
  void read_dark_pixels() {
    constexpr float beside = 0.1F;
    const auto [width, height] = plane_.shape;
    const std::int64_t step = rows_at_once(plane_.shape, together_);
    for (std::int64_t y = 0; y < height && !has_many(); y += step) {
      const std::int64_t rows = std::min(step, height - y);
      const Image<float, Cpu> part = read_part(plane_, y * width, rows * width);
      const float* const pixels = part.pixels.data();
      for (std::int64_t i = 0; i < rows * width; ++i) {
        if (limits_.is_dark(pixels[i])) dark_.push_back(y * width + i);
        if (!(pixels[i] > limits_.most) || i == 0 || i + 1 == rows * width) continue;
        if (std::max(pixels[i - 1], pixels[i + 1]) > limits_.bright + beside * (pixels[i] - limits_.bright))
          limits_.most = pixels[i];
      }
    }
  }

  /// Takes a dark pixel. Returns false if it is none, or was taken.
  bool take(std::int64_t pixel) {
    const auto found = std::ranges::lower_bound(dark_, pixel);
    if (found == dark_.end() || *found != pixel) return false;
    return std::exchange(taken_[static_cast<std::size_t>(found - dark_.begin())], 1) == 0;
  }

  /// Takes the dark pixels that are connected with this one, or have one pixel between. Returns the box around them.
  Box island_of(std::int64_t first) {
    constexpr std::int64_t near = 2;
    const auto [width, height] = plane_.shape;
    Box box{first % width, first % width, first / width, first / width};
    for (std::vector<std::int64_t> left{first}; !left.empty();) {
      const std::int64_t x = left.back() % width, y = left.back() / width;
      left.pop_back();
      box = {std::min(box.left, x), std::max(box.right, x), std::min(box.bottom, y), std::max(box.top, y)};
      for (std::int64_t v = std::max<std::int64_t>(0, y - near); v <= std::min(height - 1, y + near); ++v)
        for (std::int64_t u = std::max<std::int64_t>(0, x - near); u <= std::min(width - 1, x + near); ++u)
          if (take(v * width + u)) left.push_back(v * width + u);
    }
    return box;
  }

  /// Adds the island in this box, if it is a dark core.
  void add_core(Box box, DarkCores& cores) {
    constexpr std::int64_t most_side = 512, least_beside = 5;
    if (box.right - box.left >= most_side || box.top - box.bottom >= most_side) return;
    box = {box.left - 1, box.right + 1, box.bottom - 1, box.top + 1};
    const Image<float, Cpu> image = read(box);
    const std::vector<char> inside = fill(image);
    const auto [width, height] = image.shape;
    std::int64_t bright = 0, beside = 0;
    float least = 0, most = 0;
    const auto is_inside = [&, width = width, height = height](std::int64_t x, std::int64_t y) {
      return x >= 0 && y >= 0 && x < width && y < height && inside[static_cast<std::size_t>(y * width + x)] != 0;
    };
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        const float pixel = image.pixels[y * width + x];
        if (is_inside(x, y)) {
          least = std::min(least, pixel);
          continue;
        }
        bool touches = false;
        for (std::int64_t v = y - 1; v <= y + 1; ++v)
          for (std::int64_t u = x - 1; u <= x + 1; ++u) touches = touches || is_inside(u, v);
        if (!touches || std::isnan(pixel)) continue;
        ++beside;
        bright += pixel > limits_.bright;
        most = std::max(most, pixel);
      }
    }
    if (beside < least_beside || 4 * bright < 3 * beside) return;
    if (limits_.dark <= 0 && least < 0 && !(least < -limits_.most / 2)) return;
    const bool saturated = most > limits_.beside_saturated();
    if (cores.saturated + cores.masked == 0) cores.x = box.left + width / 2, cores.y = box.bottom + height / 2;
    ++(saturated ? cores.saturated : cores.masked);
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        if (!is_inside(x, y)) continue;
        const std::int64_t index = (box.bottom + y) * plane_.shape.width + box.left + x;
        take(index);
        cores.pixels.push_back({index, saturated ? limits_.most : masked_pixel});
      }
    }
  }

  /// The pixels of a box, masked beyond the plane.
  Image<float, Cpu> read(const Box& box) const {
    const std::int64_t width = box.right - box.left + 1, all = plane_.shape.width;
    Image<float, Cpu> image({width, box.top - box.bottom + 1}, Cpu{1});
    std::ranges::fill(image.pixels, masked_pixel);
    const std::int64_t left = std::max<std::int64_t>(0, box.left), right = std::min(all - 1, box.right);
    for (std::int64_t y = std::max<std::int64_t>(0, box.bottom); y <= std::min(plane_.shape.height - 1, box.top); ++y) {
      const Image<float, Cpu> row = read_part(plane_, y * all + left, right - left + 1);
      std::ranges::copy(row.pixels, image.pixels.data() + (y - box.bottom) * width + (left - box.left));
    }
    return image;
  }

  /// For each pixel of a box, whether it is dark, or between dark ones of its row or column: a number that overflows
  /// twice is light again.
  std::vector<char> fill(const Image<float, Cpu>& image) const {
    const auto [width, height] = image.shape;
    std::vector<char> inside(static_cast<std::size_t>(width * height), 0);
    const auto fill_line = [&](std::int64_t begin, std::int64_t step, std::int64_t count) {
      std::int64_t first = count, last = -1;
      for (std::int64_t i = 0; i < count; ++i)
        if (limits_.is_dark(image.pixels[begin + i * step])) first = std::min(first, i), last = i;
      for (std::int64_t i = first; i <= last; ++i) inside[static_cast<std::size_t>(begin + i * step)] = 1;
    };
    for (std::int64_t y = 0; y < height; ++y) fill_line(y * width, 1, width);
    for (std::int64_t x = 0; x < width; ++x) fill_line(x, width, height);
    return inside;
  }

  const PixelSource& plane_;
  CoreLimits limits_;
  std::int64_t together_;
  std::vector<std::int64_t> dark_;  ///< the dark pixels in ascending order
  std::vector<char> taken_;
};

/// Function `read` of a plane whose dark cores have other values.
struct FilledRead {
  PixelSource plane;
  std::shared_ptr<const std::vector<DarkCores::Pixel>> pixels;

  void operator()(std::int64_t first, std::int64_t count, std::byte* out) const {
    Image<float, Cpu> part = read_part(plane, first, count);
    for (auto pixel = std::ranges::lower_bound(*pixels, first, {}, &DarkCores::Pixel::index);
         pixel != pixels->end() && pixel->index < first + count; ++pixel)
      part.pixels[pixel->index - first] = pixel->value;
    std::memcpy(out, part.pixels.data(), static_cast<std::size_t>(count) * sizeof(float));
  }
};

}  // namespace

DarkCores find_dark_cores(const Exposure& exposure, const Config& config, double saturation, std::int64_t together) {
  const std::optional<CoreLimits> limits = limits_of(ImageSample(exposure, config));
  if (!limits) return {};
  return DarkCoreFinder(exposure.planes.front(), *limits, together).find(saturation);
}

PixelSource without_dark_cores(const PixelSource& plane, const DarkCores& cores) {
  PixelSource filled;
  filled.shape = plane.shape;
  filled.format = {.bitpix = -32, .big_endian = false};
  filled.read = FilledRead{plane, std::make_shared<const std::vector<DarkCores::Pixel>>(cores.pixels)};
  return filled;
}

std::string warning_of(const DarkCores& cores, const Config& config) {
  if (cores.pixels.empty()) return {};
  const std::string where = fmt::format("the first around ({}, {})", cores.x + 1, cores.y + 1);
  if (cores.saturated == 0)
    return fmt::format(
        "{}: {} of bright light, {}, are far below the sky, as dark pixels are, and are masked; name a map of bad "
        "pixels by mask.file",
        config.place_of("mask.file"), counted(cores.masked, "place"), where);
  return fmt::format(
      "{}: the cores of {}, {}, are far below the sky, as numbers that overflow or saturated pixels that were set to 0 "
      "are: they count as saturated{}{}",
      config.place_of("measurement.saturation"), counted(cores.saturated, "star"), where,
      cores.masked == 0 ? "" : fmt::format(", and {} more, in less light, are masked", counted(cores.masked, "place")),
      cores.knows_level ? "" : fmt::format("; set measurement.saturation to {:.6g}, the greatest light", cores.level));
}

}  // namespace srcextract
