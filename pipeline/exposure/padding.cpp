#include "pipeline/exposure/padding.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

#include "pipeline/exposure/choose_plane.hpp"
#include "pipeline/exposure/sampled_rows.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/decimal.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {
namespace {

/// In a narrower image, a few pixels are a side.
constexpr std::int64_t least_side = 16;

/// Calls f(row) with each row of the plane.
template <class F>
void for_each_row(const PixelSource& plane, std::int64_t together, const F& f) {
  const std::int64_t width = plane.shape.width, height = plane.shape.height, step = rows_at_once(plane.shape, together);
  for (std::int64_t y = 0; y < height; y += step) {
    const std::int64_t rows = std::min(step, height - y);
    const Image<float, Cpu> part = read_part(plane, y * width, rows * width);
    for (std::int64_t row = 0; row < rows; ++row) f(part.pixels.data() + row * width);
  }
}

Padding find_value(const PixelSource& plane, std::int64_t together, float value) {
  Padding padding{.runs = {}, .everywhere = value, .values = {{value, 0}}, .left = {}, .of_data = {}};
  for_each_row(plane, together, [&](const float* row) {
    padding.values.front().pixels += std::count(row, row + plane.shape.width, value);
  });
  return padding;
}

/// The least value of the rows, if 1 % of their pixels have it.
std::optional<float> frequent_least(const Image<float, Cpu>& rows) {
  constexpr std::int64_t least_share = 100;
  std::optional<float> least;
  std::int64_t pixels = 0;
  for (std::int64_t i = 0; i < rows.shape.count(); ++i) {
    const float pixel = rows.pixels[i];
    if (std::isnan(pixel) || (least && pixel > *least)) continue;
    pixels = pixel == least ? pixels + 1 : 1;
    least = pixel;
  }
  if (pixels * least_share < rows.shape.count()) return std::nullopt;
  return least;
}

/// Whether pixels have this value as data have it. Few photons repeat a value as often behind another pixel as beside
/// it. Light that fades into a sky without noise comes near to the value beside it.
bool is_of_data(const Image<float, Cpu>& rows, float value) {
  constexpr float near_sky = 0.25F;
  std::int64_t pixels = 0, beside = 0, others = 0, behind = 0;
  std::vector<float> near, away;
  for (std::int64_t y = 0; y < rows.shape.height; ++y) {
    const float* const row = rows.pixels.data() + y * rows.shape.width;
    for (std::int64_t x = 0; x + 2 < rows.shape.width; ++x) {
      if (row[x] != value && !std::isnan(row[x])) away.push_back(std::abs(row[x] - value));
      if (row[x] != value) continue;
      ++pixels;
      beside += row[x + 1] == value;
      if (row[x + 1] == value || std::isnan(row[x + 1])) continue;
      ++others;
      behind += row[x + 2] == value;
      near.push_back(std::abs(row[x + 1] - value));
    }
  }
  if (near.empty()) return false;
  if (behind > 0 && 2 * behind * pixels >= beside * others) return true;
  const auto median = [](std::vector<float>& all) {
    std::ranges::nth_element(all, all.begin() + std::ssize(all) / 2);
    return all[all.size() / 2];
  };
  return median(near) < near_sky * median(away);
}

/// Function `read` of a plane whose padding is masked.
struct PaddedRead {
  PixelSource plane;
  std::shared_ptr<const Padding> padding;
  bool keeps_format;  ///< whether pixels stay as they are stored, floats all

  void operator()(std::int64_t first, std::int64_t count, std::byte* out) const {
    const std::int64_t bytes = keeps_format ? plane.format.bytes() : std::int64_t{sizeof(float)};
    if (keeps_format) {
      plane.read(first, count, out);
    } else {
      const Image<float, Cpu> part = read_part(plane, first, count);
      std::memcpy(out, part.pixels.data(), static_cast<std::size_t>(count * bytes));
      if (padding->everywhere) return mask_value(part.pixels.data(), count, out);
    }
    const std::int64_t width = plane.shape.width, end = first + count;
    const auto ends_before = [&](const Run& run) { return run.y * width + run.end <= first; };
    auto run = std::partition_point(padding->runs.begin(), padding->runs.end(), ends_before);
    for (; run != padding->runs.end() && run->y * width + run->begin < end; ++run) {
      const std::int64_t from = std::max(first, run->y * width + run->begin) - first,
                         to = std::min(end, run->y * width + run->end) - first;
      mask(out + from * bytes, (to - from) * bytes);
    }
  }

  void mask_value(const float* pixels, std::int64_t count, std::byte* out) const {
    constexpr std::int64_t bytes = sizeof(float);
    for (std::int64_t i = 0; i < count; ++i)
      if (pixels[i] == *padding->everywhere) mask(out + i * bytes, bytes);
  }

  /// All bits set are a NaN of 32 and of 64 bits in either byte order.
  static void mask(std::byte* out, std::int64_t bytes) { std::memset(out, 0xff, static_cast<std::size_t>(bytes)); }
};

}  // namespace

std::int64_t Padding::pixels() const {
  std::int64_t all = 0;
  for (const PaddingValue& value : values) all += value.pixels;
  return all;
}

Padding find_padding(const FitsImage& image, std::int64_t plane, const PaddingSearch& search) {
  Padding padding;
  if (search.wanted == "keep") return padding;
  const PixelSource source = image.plane(plane);
  const std::int64_t together = std::min(image.rows_together(), source.shape.height);
  if (const auto value = given_number(search.wanted)) return find_value(source, together, static_cast<float>(*value));
  if (std::min(source.shape.width, source.shape.height) < least_side) return padding;
  PaddingLook look = look_for_padding(source, together, search.zeros_inside);
  image.forget_reads(plane);
  if (look.regions) {
    if (search.saturation > 0) look.regions->set_saturation(static_cast<float>(search.saturation));
    for_each_row(source, together, [&](const float* row) { look.regions->add_row(row); });
    padding.runs = look.regions->decide();
    padding.values = look.regions->found();
  }
  padding.left = common_value(look, padding.runs);
  padding.of_data = frequent_least(look.image);
  if (padding.of_data && !is_of_data(look.image, *padding.of_data)) padding.of_data.reset();
  return padding;
}

PixelSource without_padding(const PixelSource& plane, std::shared_ptr<const Padding> padding) {
  if (padding->pixels() == 0) return plane;
  const bool keeps_format = plane.format.bitpix < 0 && !padding->everywhere;
  PixelSource source;
  source.shape = plane.shape;
  source.format = keeps_format ? plane.format : PixelFormat{.bitpix = -32, .big_endian = false};
  source.read = PaddedRead{plane, std::move(padding), keeps_format};
  return source;
}

const PixelSource& stored_plane(const PixelSource& plane) {
  const auto* const padded = plane.read.target<PaddedRead>();
  return padded != nullptr ? padded->plane : plane;
}

PixelSource plane_without_padding(const FitsImage& image, std::int64_t plane, const PaddingSearch& search) {
  auto padding = std::make_shared<const Padding>(find_padding(image, plane, search));
  return without_padding(image.plane(plane), std::move(padding));
}

std::string describe_padding(const std::vector<PaddingValue>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += (i == 0                  ? ""
             : i + 1 < values.size() ? ", "
                                     : " and ") +
            (i == 0 ? counted(values[i].pixels, "pixel") : std::to_string(values[i].pixels)) + " of " +
            fmt::format("{}", values[i].value);
  return text;
}

}  // namespace srcextract
