#include "pipeline/exposure/sampled_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "cuda/ingest/device_pixels.hpp"
#include "stages/weights/mask_source.hpp"

namespace srcextract {

std::vector<std::int64_t> spread_rows(std::int64_t height, std::int64_t count, std::int64_t together) {
  constexpr std::int64_t least_bands = 8;
  const auto place = [](std::int64_t i, std::int64_t of, std::int64_t length) {
    return (2 * i + 1) * length / (2 * of);
  };
  const std::int64_t all = (height + together - 1) / together;
  const std::int64_t bands = std::min({all, count, std::max((count + together - 1) / together, least_bands)});
  std::vector<std::int64_t> rows;
  for (std::int64_t i = 0; i < bands; ++i) {
    const std::int64_t begin = place(i, bands, all) * together, there = std::min(together, height - begin);
    const std::int64_t wanted = std::min(there, (count + bands - 1) / bands);
    for (std::int64_t row = 0; row < wanted; ++row) rows.push_back(begin + place(row, wanted, there));
  }
  return rows;
}

std::int64_t rows_at_once(const Shape& shape, std::int64_t together) {
  constexpr std::int64_t pixels = std::int64_t{1} << 18;
  const std::int64_t rows = std::max<std::int64_t>(1, pixels / shape.width);
  return rows < together ? rows : rows / together * together;
}

PixelSource rows_of(const PixelSource& plane, std::vector<std::int64_t> rows) {
  if (const auto* const mask = plane.read.target<MaskRead>())
    return mask_source(rows_of(mask->map, std::move(rows)), mask->bad);
  PixelSource some;
  some.shape = {plane.shape.width, static_cast<std::int64_t>(rows.size())};
  some.format = plane.format;
  if (const DevicePixels* const there = DevicePixels::of(plane)) {
    const auto bytes = std::make_shared<std::vector<std::byte>>(some.shape.count() * some.format.bytes());
    there->read_rows(rows, bytes->data());
    some.read = [bytes, width = some.format.bytes()](std::int64_t first, std::int64_t count, std::byte* out) {
      std::memcpy(out, bytes->data() + first * width, static_cast<std::size_t>(count * width));
    };
    return some;
  }
  some.read = [plane, rows = std::move(rows)](std::int64_t first, std::int64_t count, std::byte* out) {
    const std::int64_t width = plane.shape.width;
    for (std::int64_t done = 0; done < count;) {
      const std::int64_t row = (first + done) / width, x = (first + done) % width;
      const std::int64_t piece = std::min(width - x, count - done);
      plane.read(rows[static_cast<std::size_t>(row)] * width + x, piece, out + done * plane.format.bytes());
      done += piece;
    }
  };
  return some;
}

PixelSource rows_of(const PixelSource& plane, std::int64_t count) {
  return rows_of(plane, spread_rows(plane.shape.height, count));
}

}  // namespace srcextract
