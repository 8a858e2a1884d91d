#include "stages/threshold.hpp"

#include <algorithm>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/ordered_key.hpp"

namespace srcextract {

namespace {

/// Rows are handed out in pieces of about this many pixels.
constexpr std::int64_t piece_pixels = std::int64_t{1} << 18;

/// Most of the sky is below the threshold: this many pixels are dismissed with one vector comparison.
constexpr std::int64_t block_pixels = 32;

bool any_above(const float* pixels, float level) {
  int above = 0;
  for (std::int64_t i = 0; i < block_pixels; ++i) above |= pixels[i] > level;
  return above != 0;
}

/// Appends the runs of one row.
void find_runs_of_row(const float* row, std::int64_t width, std::int32_t y, float level, std::vector<Run>& runs) {
  std::int64_t x = 0;
  while (x < width) {
    if (width - x >= block_pixels && !any_above(row + x, level)) {
      x += block_pixels;
      continue;
    }
    const std::int64_t block_end = std::min(width, x + block_pixels);
    while (x < block_end) {
      if (!(row[x] > level)) {
        ++x;
        continue;
      }
      const std::int64_t begin = x;
      while (x < width && row[x] > level) ++x;
      runs.push_back({y, static_cast<std::int32_t>(begin), static_cast<std::int32_t>(x)});
    }
  }
}

}  // namespace

Runs<Cpu> find_runs(const Image<float, Cpu>& image, double level, const Cpu& where) {
  const std::int64_t width = image.shape.width;
  const std::int64_t height = image.shape.height;
  const float float_level = floor_to_float(level);
  const std::int64_t rows_per_piece = std::max<std::int64_t>(1, piece_pixels / std::max<std::int64_t>(1, width));
  const std::int64_t pieces = (height + rows_per_piece - 1) / rows_per_piece;

  Runs<Cpu> result{image.shape, {}, Buffer<std::int64_t, Cpu>(height + 1, where)};
  std::vector<std::vector<Run>> found(static_cast<std::size_t>(pieces));
  parallel_for(height, rows_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Run>& runs = found[static_cast<std::size_t>(begin / rows_per_piece)];
    for (std::int64_t y = begin; y < end; ++y) {
      result.row_begin[y] = static_cast<std::int64_t>(runs.size());
      find_runs_of_row(image.pixels.data() + y * width, width, static_cast<std::int32_t>(y), float_level, runs);
    }
  });

  std::vector<std::int64_t> offset(static_cast<std::size_t>(pieces) + 1, 0);
  for (std::size_t piece = 0; piece < found.size(); ++piece) {
    offset[piece + 1] = offset[piece] + static_cast<std::int64_t>(found[piece].size());
  }
  result.runs = Buffer<Run, Cpu>(offset.back(), where);
  result.row_begin[height] = offset.back();
  parallel_for(pieces, 1, where, [&](std::int64_t piece, std::int64_t) {
    std::vector<Run>& runs = found[static_cast<std::size_t>(piece)];
    const std::int64_t first = offset[static_cast<std::size_t>(piece)];
    std::copy(runs.begin(), runs.end(), result.runs.data() + first);
    std::vector<Run>().swap(runs);
    const std::int64_t last_row = std::min(height, (piece + 1) * rows_per_piece);
    for (std::int64_t y = piece * rows_per_piece; y < last_row; ++y) result.row_begin[y] += first;
  });
  return result;
}

}  // namespace srcextract
