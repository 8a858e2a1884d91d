#include "stages/difference/fit/find_peaks.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/difference/fit/choose_stamps.hpp"
#include "stages/difference/fit/peak_pixel.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t rows_searched_at_once = 64, pixels_searched_at_once = 64;
/// Unused pixels between the end of a row and the next row. Without them, pixels in one column of an image 4096 pixels
/// wide would map to the same lines of the processor's cache.
constexpr std::int64_t apart = 16;

/// Writes the pixels of a row, minus the sky, to `out`. The first smoothing_half elements of `out` stay 0.
SRCEXTRACT_VECTOR_CLONES
void row_above(const float* row, std::int64_t width, FrameLevel level, float* __restrict out) {
  for (std::int64_t x = 0; x < width; ++x) out[x + smoothing_half] = level.above(row[x]);
}

/// Sets out[x] to the weighted sum of smoothing_taps pixels that are `step` apart, starting at first[x]. `step` is 1
/// along a row, and the stride of rows down a column.
SRCEXTRACT_VECTOR_CLONES
void smooth(const float* first, std::int64_t step, std::int64_t width, Smoothing smoothing, float* __restrict out) {
  for (std::int64_t x = 0; x < width; ++x) {
    float sum = 0;
#pragma GCC unroll 16
    for (int k = 0; k < smoothing_taps; ++k) sum = std::fmaf(smoothing.weight[k], first[k * step + x], sum);
    out[x] = sum;
  }
}

SRCEXTRACT_VECTOR_CLONES
bool any_above(const float* pixels, std::int64_t count, float threshold) {
  int above = 0;
  for (std::int64_t i = 0; i < count; ++i) above |= pixels[i] > threshold ? 1 : 0;
  return above != 0;
}

/// The rows [begin, end) of the smoothed frame. Pixels beyond the frame's edges are taken as sky.
class SmoothedRows {
 public:
  SmoothedRows(const LevelledFrame& frame, std::int64_t begin, std::int64_t end)
      : width_(frame.image.shape.width), begin_(begin), end_(end) {
    const std::int64_t height = frame.image.shape.height;
    const std::int64_t first = begin - smoothing_half, rows = end - begin + std::int64_t{2} * smoothing_half;
    const std::int64_t stride = width_ + apart;
    std::vector<float> along(static_cast<std::size_t>(rows * stride), 0.0F);
    std::vector<float> padded(static_cast<std::size_t>(width_ + std::int64_t{2} * smoothing_half), 0.0F);
    const Smoothing smoothing;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::int64_t y = first + row;
      if (y < 0 || y >= height) continue;
      row_above(frame.image.pixels.data() + y * width_, width_, frame.level, padded.data());
      smooth(padded.data(), 1, width_, smoothing, along.data() + row * stride);
    }
    pixels_.resize(static_cast<std::size_t>((end - begin) * width_));
    for (std::int64_t row = 0; row < end - begin; ++row)
      smooth(along.data() + row * stride, stride, width_, smoothing, pixels_.data() + row * width_);
  }

  const float* row(std::int64_t y) const { return pixels_.data() + (y - begin_) * width_; }

  ImageView view() const { return {pixels_.data(), {width_, end_ - begin_}}; }
  std::int64_t begin() const { return begin_; }

 private:
  std::int64_t width_, begin_, end_;
  std::vector<float> pixels_;
};

}  // namespace

std::vector<Peak> find_peaks(const LevelledFrame& frame, float threshold, const Cpu& where) {
  const auto [width, height] = frame.image.shape;
  std::vector<Peak> peaks;
  std::mutex joining;
  parallel_for(height, rows_searched_at_once, where,
               [&, width = width, height = height](std::int64_t begin, std::int64_t end) {
                 const SmoothedRows smoothed(frame, std::max<std::int64_t>(0, begin - peak_half),
                                             std::min(height, end + peak_half));
                 std::vector<Peak> own;
                 for (std::int64_t y = begin; y < end; ++y) {
                   const float* const row = smoothed.row(y);
                   for (std::int64_t first = 0; first < width; first += pixels_searched_at_once) {
                     const std::int64_t last = std::min(first + pixels_searched_at_once, width);
                     if (!any_above(row + first, last - first, threshold)) continue;
                     for (std::int64_t x = first; x < last; ++x)
                       if (row[x] > threshold && is_peak(smoothed.view(), x, y - smoothed.begin()))
                         own.push_back({row[x], x, y});
                   }
                 }
                 const std::lock_guard lock(joining);
                 peaks.insert(peaks.end(), own.begin(), own.end());
               });
  sort_peaks(peaks);
  return peaks;
}

}  // namespace srcextract
