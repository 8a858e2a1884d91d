#include "pipeline/exposure/choose_plane.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "io/wcs/cube_axes.hpp"
#include "pipeline/exposure/sampled_rows.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t sampled_rows = 256;

bool is_blank(const PixelSource& plane) {
  const std::int64_t width = plane.shape.width, height = plane.shape.height, rows = std::min(height, sampled_rows);
  for (const std::int64_t y : spread_rows(height, rows)) {
    const Image<float, Cpu> part = read_part(plane, y * width, width);
    if (std::ranges::any_of(part.pixels, [](float value) { return value != 0 && !std::isnan(value); })) return false;
  }
  return true;
}

}  // namespace

Image<float, Cpu> read_part(const PixelSource& plane, std::int64_t first, std::int64_t count) {
  PixelSource part{.shape = {count, 1}, .format = plane.format, .read = {}};
  part.read = [&](std::int64_t at, std::int64_t pixels, std::byte* out) { plane.read(first + at, pixels, out); };
  return ingest(part, Cpu{1}).image;
}

std::int64_t choose_plane(const FitsImage& image) {
  const CubeAxes axes(image.header(), image.axes());
  const auto is_of_i = [&](std::int64_t plane) { return axes.plane(plane).stokes == stokes_i; };
  bool has_i = false;
  for (std::int64_t plane = 1; plane <= image.planes() && !has_i; ++plane) has_i = is_of_i(plane);
  std::int64_t first = 0;
  for (std::int64_t plane = 1; image.planes() > 1 && plane <= image.planes(); ++plane) {
    if (has_i && !is_of_i(plane)) continue;
    if (first == 0) first = plane;
    const bool blank = is_blank(image.plane(plane));
    image.forget_reads(plane);
    if (!blank) return plane;
  }
  return std::max<std::int64_t>(first, 1);
}

}  // namespace srcextract
