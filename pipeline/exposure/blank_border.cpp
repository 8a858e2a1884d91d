#include "pipeline/exposure/blank_border.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "pipeline/exposure/choose_plane.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t shortest_at_end = 2, shortest_within = 8, share_of_row = 20;

bool ends_in_zeros(const float* row, std::int64_t width) {
  return width >= shortest_at_end && ((row[0] == 0 && row[1] == 0) || (row[width - 1] == 0 && row[width - 2] == 0));
}

/// Whether any of 64 rows, spread evenly from the first to the last row, begins or ends with at least two zeros.
bool may_have_border(const PixelSource& plane) {
  const std::int64_t width = plane.shape.width, height = plane.shape.height, rows = std::min<std::int64_t>(height, 64);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t y = rows > 1 ? i * (height - 1) / (rows - 1) : 0;
    if (ends_in_zeros(read_part(plane, y * width, width).pixels.data(), width)) return true;
  }
  return false;
}

/// Sets `out` to 1 at those zeros of a row that count as pixels without data (find_blank_border). Returns their number.
std::int64_t mark_zeros(const float* row, std::int64_t width, std::byte* out) {
  const std::int64_t long_run = std::max(shortest_within, width / share_of_row);
  std::int64_t marked = 0;
  for (std::int64_t begin = 0; begin < width;) {
    if (row[begin] != 0) {
      ++begin;
      continue;
    }
    const std::int64_t end = std::find_if(row + begin, row + width, [](float value) { return value != 0; }) - row;
    const bool at_end = (begin == 0 || end == width) && end - begin >= shortest_at_end;
    if (at_end || end - begin >= long_run) {
      std::fill(out + begin, out + end, std::byte{1});
      marked += end - begin;
    }
    begin = end;
  }
  return marked;
}

}  // namespace

std::optional<BlankBorder> find_blank_border(const PixelSource& plane, const Cpu& where) {
  if (plane.shape.width < shortest_at_end || !may_have_border(plane)) return std::nullopt;
  const Image<float, Cpu> image = ingest(plane, where).image;
  const std::int64_t width = plane.shape.width;
  const auto marks = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(plane.shape.count()));
  BlankBorder border;
  for (std::int64_t y = 0; y < plane.shape.height; ++y)
    border.pixels += mark_zeros(image.pixels.data() + y * width, width, marks->data() + y * width);
  border.mask.shape = plane.shape;
  border.mask.format = {.bitpix = 8, .blank = 1, .big_endian = false};
  border.mask.read = [marks](std::int64_t first, std::int64_t count, std::byte* out) {
    std::memcpy(out, marks->data() + first, static_cast<std::size_t>(count));
  };
  return border;
}

void mask_blank_border(const std::string& name, Exposure& exposure) {
  if (exposure.mask || exposure.planes.size() > 1) return;
  const std::optional<BlankBorder> border = find_blank_border(exposure.planes.front(), Cpu{1});
  if (!border) return;
  exposure.mask = border->mask;
  spdlog::warn(
      "{}: {} pixels in runs of exact zeros at its border are taken for blank; write NaN there, or give mask.file",
      name, border->pixels);
}

}  // namespace srcextract
