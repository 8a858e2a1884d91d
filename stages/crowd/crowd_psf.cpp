#include "stages/crowd/crowd_psf.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "stages/core/vector_clones.hpp"
#include "stages/crowd/psf_taps.hpp"

namespace srcextract {
namespace {

/// Taps (samples that enter an interpolation) for a row or column of pixels. `first` has the first tap of each pixel.
/// `weights` has for each pixel the weights of its taps, then the weights for the derivative.
struct TapLine {
  std::int32_t* first;
  float* weights;
};

/// The part of the mask (the pixel grid that tabulates the PSF) that a stamp needs.
struct MaskWindow {
  std::int32_t column, columns, row, rows;  ///< `rows` is a multiple of 16
};

/// Computes a part of the mask for a star's position: the sum of the model's planes, each multiplied with its
/// polynomial term.
SRCEXTRACT_VECTOR_CLONES void add_planes(const float* planes, std::int64_t plane, std::int32_t rows, const float* terms,
                                         int count, const MaskWindow& at, float* out) {
  constexpr int width = 16;
  for (std::int32_t c = 0; c < at.columns; ++c) {
    const float* const from = planes + std::int64_t{at.column + c} * rows + at.row;
    float* const to = out + std::int64_t{c} * at.rows;
    for (std::int32_t r = 0; r < at.rows; r += width) {
      float sum[width] = {};
      for (int k = 0; k < count; ++k) {
        const float* const one = from + k * plane + r;
        for (int i = 0; i < width; ++i) sum[i] += terms[k] * one[i];
      }
      for (int i = 0; i < width; ++i) to[r + i] = sum[i];
    }
  }
}

/// out[j][0 .. length) is the sum of weights[k] * in[first[j] + k][0 .. length) over 8 taps k. `length` is a multiple
/// of 8. There are 16 weights for each j, and `offset` is the index of the first of the 8 that are used.
SRCEXTRACT_VECTOR_CLONES void resample(const float* in, std::int32_t length, const TapLine& line, int offset,
                                       std::int32_t count, float* out, std::int64_t stride) {
  constexpr int width = 8;
  for (std::int32_t j = 0; j < count; ++j) {
    const float* const from = in + std::int64_t{line.first[j]} * length;
    const float* const weights = line.weights + std::int64_t{16} * j + offset;
    for (std::int32_t i = 0; i < length; i += width) {
      float sum[width] = {};
      for (int k = 0; k < 8; ++k)
        for (int l = 0; l < width; ++l) sum[l] += weights[k] * from[std::int64_t{k} * length + i + l];
      float* const to = out + j * stride + i;
      for (int l = 0; l < width; ++l) to[l] = sum[l];
    }
  }
}

/// out[j][i] = in[i][j], and 0 for i from `rows` to stride - 1.
void transpose(const float* in, std::int32_t rows, std::int32_t columns, std::int32_t stride, float* out) {
  for (std::int32_t j = 0; j < columns; ++j) {
    float* const to = out + std::int64_t{j} * stride;
    for (std::int32_t i = 0; i < rows; ++i) to[i] = in[std::int64_t{i} * columns + j];
    for (std::int32_t i = rows; i < stride; ++i) to[i] = 0;
  }
}

struct TapWeight {
  double value, slope;
};

/// The weights of tap k in the value and in the slope of the polynomial through all taps, at the distance `part` behind
/// tap 3.
TapWeight polynomial_weight(int k, double part) {
  constexpr int taps = PsfModel::taps;
  double value = 1, slope = 0, whole = 1;
  for (int j = 0; j < taps; ++j) {
    if (j == k) continue;
    whole *= k - j;
    value *= part + 3 - j;
    double product = 1;
    for (int m = 0; m < taps; ++m)
      if (m != k && m != j) product *= part + 3 - m;
    slope += product;
  }
  return {value / whole, slope / whole};
}

}  // namespace

CrowdPsf::CrowdPsf(const PsfModel& model, double x, double y) : model_(model) {
  columns_ = model.columns + 2 * margin;
  rows_ = (model.rows + 2 * margin + 15) / 16 * 16 + 16;
  take_planes(model.light(), light_);
  take_planes(model.spread(), spread_);
  make_table();
  const double beside = std::min({model.middle_x(), model.columns - 1 - model.middle_x(), model.middle_y(),
                                  model.rows - 1 - model.middle_y()}) *
                        model.step;
  most_half_ = std::max(1, static_cast<std::int32_t>(std::floor(beside + 0.5)));
  find_fwhm(x, y);
}

void CrowdPsf::take_planes(const double* from, std::vector<float>& to) const {
  const std::int64_t plane = std::int64_t{columns_} * rows_;
  to.assign(static_cast<std::size_t>(plane * model_.terms), 0.0F);
  for (int k = 0; k < model_.terms; ++k)
    for (int c = 0; c < model_.columns; ++c)
      for (int r = 0; r < model_.rows; ++r)
        to[static_cast<std::size_t>(k * plane + std::int64_t{c + margin} * rows_ + r + margin)] =
            static_cast<float>(from[std::int64_t{k} * model_.plane() + std::int64_t{c} * model_.rows + r]);
}

void CrowdPsf::make_table() {
  table_.assign(std::size_t{phases + 1} * 2 * taps, 0.0F);
  for (int phase = 0; phase <= phases; ++phase) {
    float* const out = table_.data() + std::ptrdiff_t{2} * taps * phase;
    for (int k = 0; k < taps; ++k) {
      const auto [value, slope] = polynomial_weight(k, static_cast<double>(phase) / phases);
      out[k] = static_cast<float>(value);
      out[taps + k] = static_cast<float>(slope);
    }
  }
}

void CrowdPsf::find_fwhm(double x, double y) {
  constexpr int phase_count = 4;
  outside_.assign(static_cast<std::size_t>(most_half_) + 2, 0.0);
  std::vector<float> pixels(static_cast<std::size_t>(numbers_for(most_half_)));
  std::vector<float> all;
  Scratch scratch;
  for (int phase = 0; phase < phase_count * phase_count; ++phase) {
    const double dx = (phase % phase_count - 1.5) / phase_count,
                 dy = (std::floor(static_cast<double>(phase) / phase_count) - 1.5) / phase_count;
    const CrowdStamp stamp =
        draw(std::floor(x) + dx, std::floor(y) + dy, most_half_, false, pixels.data(), scratch, Planes::light);
    for (std::int32_t j = 0; j < stamp.side(); ++j) {
      for (std::int32_t i = 0; i < stamp.side(); ++i) {
        const float value = pixels[static_cast<std::size_t>(stamp.place(i, j))];
        all.push_back(value);
        const auto distance = static_cast<std::size_t>(std::max(std::abs(i - stamp.half), std::abs(j - stamp.half)));
        outside_[distance] = std::max(outside_[distance], std::abs(static_cast<double>(value)));
      }
    }
  }
  for (std::size_t i = outside_.size() - 1; i > 0; --i) outside_[i - 1] = std::max(outside_[i - 1], outside_[i]);
  const float peak = *std::ranges::max_element(all);
  const auto above = std::ranges::count_if(all, [&](float value) { return value > peak / 2; });
  fwhm_ = 2 * std::sqrt(static_cast<double>(above) / (phase_count * phase_count) / std::numbers::pi);
  fwhm_ = std::max(fwhm_, 0.5);
}

CrowdStamp CrowdPsf::draw(double x, double y, std::int32_t half, bool derivatives, float* out, Scratch& scratch,
                          Planes planes) const {
  CrowdStamp stamp{nearest_pixel(x), nearest_pixel(y), half, stride_of(half), out};
  const std::int32_t side = stamp.side();
  scratch.first.resize(2 * static_cast<std::size_t>(side));
  scratch.taps.resize(4 * static_cast<std::size_t>(side) * taps);
  const TapLine along_x{scratch.first.data(), scratch.taps.data()},
      along_y{scratch.first.data() + side, scratch.taps.data() + std::ptrdiff_t{2} * taps * side};
  const auto find_taps = [&](double at, std::int32_t middle_pixel, int middle, std::int32_t size, const TapLine& line) {
    for (std::int32_t i = 0; i < side; ++i) {
      const PsfTaps of = PsfTaps::of(middle_pixel + i - half, at, middle, size, model_.step);
      line.first[i] = of.first;
      for (int k = 0; k < 2 * taps; ++k) line.weights[2 * taps * i + k] = of.weight(table_.data(), k);
    }
  };
  find_taps(x, stamp.x, model_.middle_x(), model_.columns, along_x);
  find_taps(y, stamp.y, model_.middle_y(), model_.rows, along_y);
  const auto [least_x, most_x] = std::minmax_element(along_x.first, along_x.first + side);
  const auto [least_y, most_y] = std::minmax_element(along_y.first, along_y.first + side);
  const MaskWindow window{*least_x, *most_x + taps - *least_x, *least_y, (*most_y + taps - *least_y + 15) / 16 * 16};
  for (std::int32_t i = 0; i < side; ++i) {
    along_x.first[i] -= window.column;
    along_y.first[i] -= window.row;
  }
  float terms[PsfModel::most_terms];
  for (int k = 0; k < model_.terms; ++k) terms[k] = static_cast<float>(model_.term(k, x + 1, y + 1));
  scratch.mask.resize(static_cast<std::size_t>(window.columns) * static_cast<std::size_t>(window.rows));
  scratch.along_x.resize(static_cast<std::size_t>(side) * static_cast<std::size_t>(window.rows));
  scratch.turned.resize(static_cast<std::size_t>(window.rows) * static_cast<std::size_t>(stamp.stride));
  const std::vector<float>& from = planes == Planes::light ? light_ : spread_;
  add_planes(from.data(), std::int64_t{columns_} * rows_, rows_, terms, model_.terms, window, scratch.mask.data());
  const auto factor = static_cast<float>(-1 / model_.step);  // mask position per step of the star
  for (int axis = 0; axis < (derivatives ? 2 : 1); ++axis) {
    resample(scratch.mask.data(), window.rows, along_x, axis == 0 ? 0 : taps, side, scratch.along_x.data(),
             window.rows);
    transpose(scratch.along_x.data(), side, window.rows, stamp.stride, scratch.turned.data());
    const auto finish = [&](int offset, int plane) {
      float* const to = out + plane * stamp.plane();
      resample(scratch.turned.data(), stamp.stride, along_y, offset, side, to, stamp.stride);
      if (plane > 0)
        for (std::int64_t i = 0; i < stamp.plane(); ++i) to[i] *= factor;
    };
    if (axis == 0) finish(0, 0);
    if (axis == 0 && derivatives) finish(taps, 2);
    if (axis == 1) finish(0, 1);
  }
  return stamp;
}

}  // namespace srcextract
