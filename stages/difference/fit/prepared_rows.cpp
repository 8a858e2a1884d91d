#include "stages/difference/fit/prepared_rows.hpp"

#include <cmath>

#include "stages/core/vector_clones.hpp"
#include "stages/difference/fit/fit_view.hpp"

namespace srcextract {
namespace {

/// Sets above[x] to pixel x minus the sky, or 0 if the pixel is bad (masked or saturated). Sets good[x] to 0 if the
/// pixel is bad, else 1. Returns whether any pixel is bad.
SRCEXTRACT_VECTOR_CLONES
bool read_row(const float* row, std::int64_t width, FrameLevel level, float* __restrict above, float* __restrict good) {
  int bad = 0;
  for (std::int64_t x = 0; x < width; ++x) {
    above[x] = level.above(row[x]);
    good[x] = level.is_bad(row[x]) ? 0.0F : 1.0F;
    bad |= level.is_bad(row[x]) ? 1 : 0;
  }
  return bad != 0;
}

/// Computes variance_at() for all pixels of a row. `above` and `good` are the results of read_row() for the row above,
/// the row itself and the row below, with one more column on each side. `sky` has the variance of the sky at each
/// pixel.
SRCEXTRACT_VECTOR_CLONES
void variances_of_row(const float* own, const float* const* above, const float* const* good, const float* sky,
                      std::int64_t width, FrameLevel level, float* __restrict out) {
  for (std::int64_t x = 0; x < width; ++x) {
    float light = 0;
    float count = 0;
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) {
        light += above[j][x + i];
        count += good[j][x + i];
      }
    }
    const float mean = count > 0 && light > 0 ? light / count : 0;
    const float variance = sky[x] + mean * level.variance_per_count;
    out[x] = good[1][x + 1] > 0 ? variance : (own[x] >= level.limit ? -INFINITY : -variance);
  }
}

}  // namespace

RowsAround::RowsAround(const ImageView& frame, const FrameLevel& level, std::int64_t first)
    : frame_(frame),
      level_(level),
      stride_(frame.shape.width + 2),
      sky_(static_cast<std::size_t>(frame.shape.width), level.variance) {
  above_.assign(static_cast<std::size_t>(kept * stride_), 0);
  good_.assign(above_.size(), 0);
  for (std::int64_t y = first - 1; y <= first; ++y) read(y);
}

bool RowsAround::variances(std::int64_t y, float* out) {
  read(y + 1);
  const float* const above[] = {above_of(y - 1), above_of(y), above_of(y + 1)};
  const float* const good[] = {good_of(y - 1), good_of(y), good_of(y + 1)};
  const std::int64_t width = frame_.shape.width;
  if (level_.map != nullptr)
    for (std::int64_t x = 0; x < width; ++x) sky_[static_cast<std::size_t>(x)] = level_.sky_variance(y * width + x);
  variances_of_row(frame_.pixels + y * width, above, good, sky_.data(), width, level_, out);
  return bad_[slot(y)];
}

void RowsAround::read(std::int64_t y) {
  bad_[slot(y)] = false;
  if (y >= 0 && y < frame_.shape.height) {
    bad_[slot(y)] =
        read_row(frame_.pixels + y * frame_.shape.width, frame_.shape.width, level_, above_of(y) + 1, good_of(y) + 1);
  } else {
    std::fill_n(above_of(y), stride_, 0.0F);
    std::fill_n(good_of(y), stride_, 0.0F);
  }
}

PaddedRows::PaddedRows(const Image<float, Cpu>& frame, const FrameLevel& level, const KernelFit& fit, std::int64_t rows,
                       const Cpu& where)
    : frame_{frame.pixels.data(), frame.shape},
      level_(level),
      half_(fit.basis.half),
      bloom_(fit.bloom),
      stride_(padded_shape(frame.shape, fit.basis.half).width),
      light_({stride_, rows + 2 * half_}, where),
      variance_(light_.shape, where),
      bad_(static_cast<std::size_t>(rows + 2 * half_)) {}

void PaddedRows::read(std::int64_t first, std::int64_t rows) {
  top_ = first - half_;
  const std::int64_t end = first + rows + half_, begin = std::max<std::int64_t>(0, top_);
  RowsAround around(frame_, level_, begin);
  for (std::int64_t y = top_; y < end; ++y) {
    float *const light = row_of(light_, y), *const variance = row_of(variance_, y);
    bad_[static_cast<std::size_t>(y - top_)] = 0;
    if (y < 0 || y >= frame_.shape.height) {
      std::fill_n(light, stride_, 0.0F);
      std::fill_n(variance, stride_, level_.variance);
      continue;
    }
    const std::int64_t after = half_ + frame_.shape.width;
    for (const std::int64_t edge : {std::int64_t{0}, after}) {
      std::fill_n(light + edge, edge == 0 ? half_ : stride_ - after, 0.0F);
      std::fill_n(variance + edge, edge == 0 ? half_ : stride_ - after, level_.variance);
    }
    const bool bad = around.variances(y, variance + half_);
    std::copy_n(around.light(y), frame_.shape.width, light + half_);
    if (bad) fill(y, light + half_);
  }
  spread_saturation(std::max<std::int64_t>(0, top_ - bloom_), std::min(frame_.shape.height, end + bloom_), end);
}

void PaddedRows::fill(std::int64_t y, float* light) {
  bad_[static_cast<std::size_t>(y - top_)] = 1;
  for (std::int64_t x = 0; x < frame_.shape.width; ++x)
    if (level_.is_bad(frame_.at(x, y))) light[x] = filled_at(frame_, level_, x, y);
}

void PaddedRows::spread_saturation(std::int64_t begin, std::int64_t end, std::int64_t last) {
  if (!(level_.limit < INFINITY)) return;
  for (std::int64_t y = begin; y < end; ++y) {
    for (std::int64_t x = 0; x < frame_.shape.width; ++x) {
      if (!(frame_.at(x, y) >= level_.limit)) continue;
      const std::int64_t left = std::max<std::int64_t>(0, x - bloom_);
      const std::int64_t right = std::min(frame_.shape.width - 1, x + bloom_);
      const std::int64_t bottom = std::min({frame_.shape.height, last, y + bloom_ + 1});
      for (std::int64_t j = std::max({std::int64_t{0}, top_, y - bloom_}); j < bottom; ++j) {
        std::fill_n(row_of(variance_, j) + left + half_, right - left + 1, -INFINITY);
        bad_[static_cast<std::size_t>(j - top_)] = 1;
      }
    }
  }
}

}  // namespace srcextract
