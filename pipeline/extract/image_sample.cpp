#include "pipeline/extract/image_sample.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "pipeline/exposure/sampled_rows.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/math/median.hpp"
#include "stages/weights/mask.hpp"
#include "stages/weights/weights.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t blocks_along = 8;  // number of blocks along x and along y

/// At least 64 pixels of each block are sampled, up to 124 by rounding, in 4 rows or, in narrow blocks, in more rows.
/// Their distance makes their noise independent.
constexpr std::int64_t wanted_pixels = 64, usual_rows = 4, wanted_in_row = wanted_pixels / usual_rows;

std::int64_t rows_per_block(const Shape& shape) {
  const std::int64_t width = std::clamp<std::int64_t>(shape.width / blocks_along, 1, wanted_in_row);
  const std::int64_t height = std::max<std::int64_t>(1, shape.height / blocks_along);
  return std::min((wanted_pixels + width - 1) / width, height);
}

}  // namespace

ImageSample::ImageSample(const Exposure& exposure, const Config& config)
    : whole_(exposure.shape()), rows_per_block_(rows_per_block(whole_)) {
  const Cpu where;
  const std::int64_t rows = std::min(whole_.height, blocks_along * rows_per_block_);
  Pixels<Cpu> pixels = ingest(rows_of(exposure.planes.front(), rows), where);
  if (exposure.mask) apply_mask(ingest(rows_of(*exposure.mask, rows), where).image, pixels, where);
  if (exposure.weights) {
    apply_weights(std::move(ingest(rows_of(*exposure.weights, rows), where).image), config.weights, pixels, where);
    variance_ = std::move(pixels.variance);
  }
  pixels_ = std::move(pixels.image);
}

/// Applies `measure` to the sampled unmasked pixels of each block. Blocks with more than half of these pixels masked
/// are left out. Returns the results in ascending order.
std::vector<float> ImageSample::in_blocks(float (*measure)(std::vector<float>& unmasked)) const {
  std::vector<float> values, unmasked;
  const std::int64_t width = whole_.width;
  if (std::min(width, whole_.height) < blocks_along * blocks_along) return values;
  for (std::int64_t block = 0; block < blocks_along * blocks_along; ++block) {
    const std::int64_t column = block % blocks_along, row = block / blocks_along;
    const std::int64_t begin = column * width / blocks_along, end = (column + 1) * width / blocks_along;
    const std::int64_t step = std::max<std::int64_t>(1, (end - begin) / wanted_in_row);
    std::int64_t looked_at = 0;
    unmasked.clear();
    for (std::int64_t y = row * rows_per_block_; y < (row + 1) * rows_per_block_; ++y) {
      for (std::int64_t x = begin; x < end; x += step, ++looked_at)
        if (const float pixel = pixels_.pixels[y * width + x]; pixel == pixel) unmasked.push_back(pixel);
    }
    if (!unmasked.empty() && 2 * std::ssize(unmasked) >= looked_at) values.push_back(measure(unmasked));
  }
  std::ranges::sort(values);
  return values;
}

std::vector<float> ImageSample::block_medians() const {
  return in_blocks([](std::vector<float>& unmasked) { return ranked(unmasked, 0.5); });
}

double ImageSample::block_width() const {
  std::vector<float> ranges =
      in_blocks([](std::vector<float>& unmasked) { return ranked(unmasked, 0.75) - ranked(unmasked, 0.25); });
  constexpr double quartiles_of_gaussian = 1.349;
  return static_cast<double>(ranked(ranges, 0.5)) / quartiles_of_gaussian;
}

double ImageSample::smoothness() const {
  std::vector<float> near, far, values;
  constexpr std::int64_t enough = 1 << 15;
  const std::int64_t width = whole_.width, step = std::max<std::int64_t>(1, pixels_.shape.count() / enough);
  for (std::int64_t begin = 0; begin < pixels_.shape.count(); begin += step * width) {
    const std::span row(pixels_.pixels.data() + begin, static_cast<std::size_t>(width));
    values.assign(row.begin(), row.end());
    std::erase_if(values, [](float value) { return value != value; });
    if (values.empty()) continue;
    const float limit = ranked(values, 0.75);
    for (std::size_t x = 2; x + 2 < row.size(); ++x) {
      const auto five = row.subspan(x - 2, 5);
      if (!std::ranges::all_of(five, [&](float value) { return value <= limit; })) continue;
      near.push_back(std::abs(five[1] - 2 * five[2] + five[3]));
      far.push_back(std::abs(five[0] - 2 * five[2] + five[4]));
    }
  }
  constexpr std::int64_t least = 2000;
  if (std::ssize(near) < least) return 1;
  const auto of_neighbours = static_cast<double>(ranked(near, 0.5));
  const double ratio = of_neighbours > 0 ? static_cast<double>(ranked(far, 0.5)) / of_neighbours : 1;
  // the scatter of the ratio in independent pixels, measured
  const double scatter = 1.6 / std::sqrt(static_cast<double>(near.size()));
  return ratio > 1 + 5 * scatter ? ratio : 1;
}

ImageSample::Middle ImageSample::middle() const {
  std::vector<float> values(pixels_.pixels.begin(), pixels_.pixels.end());
  std::erase_if(values, [](float value) { return value != value; });
  if (values.empty()) return {};
  const float median = ranked(values, 0.5);
  return {median, static_cast<double>(std::ranges::count(values, median)) / static_cast<double>(values.size())};
}

double ImageSample::noise_of_map() const {
  if (!variance_) return 0;
  constexpr std::int64_t most = 1 << 14;
  const std::int64_t count = variance_->shape.count(), step = std::max<std::int64_t>(1, count / most);
  std::vector<float> variances;
  for (std::int64_t i = 0; i < count; i += step)
    if (pixels_.pixels[i] == pixels_.pixels[i]) variances.push_back(variance_->pixels[i]);
  return variances.empty() ? 0 : std::sqrt(static_cast<double>(ranked(variances, 0.5)));
}

}  // namespace srcextract
