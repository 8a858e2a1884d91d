#include "pipeline/exposure/sampled_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "cuda/ingest/device_pixels.hpp"
#include "stages/weights/mask_source.hpp"

namespace srcextract {

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
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  for (std::int64_t row = 0; row < count; ++row)
    rows[static_cast<std::size_t>(row)] = (2 * row + 1) * plane.shape.height / (2 * count);
  return rows_of(plane, std::move(rows));
}

}  // namespace srcextract
