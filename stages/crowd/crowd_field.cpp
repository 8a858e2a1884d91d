#include "stages/crowd/crowd_field.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/crowd/shared_noise.hpp"
#include "stages/math/median.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t tile_side = 64, drawn_at_a_time = 64;

/// A rectangle of the image whose model is computed at a time.
struct Tile {
  std::int64_t left, top, width, height;
};

/// Adds flux times the stamp to `light`, for the pixels that tile and stamp share.
void add_light(const CrowdStamp& stamp, double flux, const Tile& tile, double* light) {
  const std::int64_t begin_x = stamp.left(), begin_y = stamp.top();
  const std::int64_t from_x = std::max(tile.left, begin_x),
                     to_x = std::min(tile.left + tile.width, begin_x + stamp.side());
  const std::int64_t from_y = std::max(tile.top, begin_y),
                     to_y = std::min(tile.top + tile.height, begin_y + stamp.side());
  for (std::int64_t y = from_y; y < to_y; ++y) {
    const float* const from = stamp.numbers + (y - begin_y) * stamp.stride + (from_x - begin_x);
    double* const to = light + (y - tile.top) * tile_side + (from_x - tile.left);
    for (std::int64_t i = 0; i < to_x - from_x; ++i) to[i] += flux * static_cast<double>(from[i]);
  }
}

/// Sets the model and residual of a tile's pixels, and their weights if `weigh` is true. `light` is the light of all
/// stars.
void take_light(const CrowdPixels& pixels, const Tile& tile, const double* light, bool weigh) {
  SkyGrid::Place along_x[tile_side];
  for (std::int64_t x = 0; x < tile.width; ++x) along_x[x] = pixels.sky.along_x(static_cast<double>(tile.left + x));
  for (std::int64_t y = 0; y < tile.height; ++y) {
    const SkyGrid::Place along_y = pixels.sky.along_y(static_cast<double>(tile.top + y));
    for (std::int64_t x = 0; x < tile.width; ++x)
      pixels.take_light(tile.left + x, tile.top + y, along_x[x], along_y, light[y * tile_side + x], weigh);
  }
}

}  // namespace

CrowdPixels view_of(const CrowdImage& image) {
  CrowdPixels view;
  view.pixels = image.pixels;
  view.variance = image.variance;
  view.width = image.shape.width;
  view.height = image.shape.height;
  view.background = image.background;
  view.saturation = image.saturation;
  view.photons = image.gain > 0 ? 1 / image.gain : 0;
  view.unit = image.unit;
  view.cells = NoiseCells(image.shape);
  view.least_bad_variance = image.least_bad_variance;
  return view;
}

CrowdField::CrowdField(const CrowdImage& image, std::int64_t sky_size, const Cpu& where)
    : sky(image.shape, sky_size), image_(image), where_(where), view_(view_of(image)), cells_(image.shape) {
  const auto count = static_cast<std::size_t>(image.shape.count());
  model.assign(count, 0.0F);
  weight.assign(count, 0.0F);
  residual.assign(count, 0.0F);
  good_.assign(count, 0);
  view_.good = good_.data();
  view_.model = model.data();
  view_.weight = weight.data();
  view_.residual = residual.data();
  view_.sky = sky;
  view_.level = sky.level.data();
  scale_.assign(static_cast<std::size_t>(4 * view_.cells.count()), 1);
  view_.scale = scale_.data();
  std::vector<float> variances;
  for (std::size_t i = 0; i < count; ++i) {
    good_[i] = view_.counts(static_cast<std::int64_t>(i)) ? 1 : 0;
    if (good_[i] != 0 && image.variance != nullptr) variances.push_back(image.variance[i]);
  }
  if (!variances.empty()) typical_ = static_cast<double>(lower_median(variances));
}

double CrowdField::sigma() const {
  return std::sqrt(view_.unit * typical_);
}

void CrowdField::draw(const CrowdPsf& psf, const std::vector<CrowdStar>& stars, std::size_t first) {
  stamps_.resize(stars.size());
  std::vector<std::int64_t> begin = {0};
  for (std::size_t i = first; i < stars.size(); ++i) {
    stamps_[i].half = psf.half_for(std::max(stars[i].flux, 0.0), dark_light * sigma());
    begin.push_back(begin.back() + 3 * CrowdPsf::numbers_for(stamps_[i].half));
  }
  constexpr std::int64_t read_beyond = 16;
  // blocks_ keeps its memory between the turns of the fit. The memory is not filled with zeros, which would take longer
  // than drawing.
  const std::int64_t size = begin.back() + read_beyond;
  if (first == 0) blocks_.resize(!blocks_.empty() && blocks_.front().size() >= size ? 1 : 0);
  if (first > 0 || blocks_.empty()) {
    require_room(size * static_cast<std::int64_t>(sizeof(float)));
    blocks_.emplace_back(size, where_);
  }
  Buffer<float, Cpu>& block = blocks_.back();
  std::fill_n(block.data() + begin.back(), read_beyond, 0.0F);
  parallel_for(std::ssize(stars) - static_cast<std::int64_t>(first), drawn_at_a_time, where_,
               [&](std::int64_t from, std::int64_t to) {
                 CrowdPsf::Scratch scratch;
                 for (std::int64_t k = from; k < to; ++k) {
                   const std::size_t i = first + static_cast<std::size_t>(k);
                   stamps_[i] = psf.draw(stars[i].x, stars[i].y, stamps_[i].half, true,
                                         block.data() + begin[static_cast<std::size_t>(k)], scratch);
                 }
               });
}

void CrowdField::require_room(std::int64_t bytes) const {
  if (!image_.needs) return;
  for (const Buffer<float, Cpu>& block : blocks_) bytes += block.size() * static_cast<std::int64_t>(sizeof(float));
  image_.needs(bytes);
}

void CrowdField::render(const std::vector<CrowdStar>& stars) {
  render_tiles(stars, true);
  has_model_ = has_model_ || !stars.empty();
}

void CrowdField::render_residual(const std::vector<CrowdStar>& stars) {
  render_tiles(stars, false);
}

void CrowdField::render_tiles(const std::vector<CrowdStar>& stars, bool weigh) {
  const std::int64_t across = (shape().width + tile_side - 1) / tile_side,
                     down = (shape().height + tile_side - 1) / tile_side;
  cells_.fill(stars);
  double reach = 1;
  for (const CrowdStamp& stamp : stamps_) reach = std::max(reach, stamp.half + 1.0);
  parallel_for(across * down, 1, where_, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> light(static_cast<std::size_t>(tile_side * tile_side));
    std::vector<std::int32_t> near;
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t left = i % across * tile_side, top = i / across * tile_side;
      const Tile tile{left, top, std::min(tile_side, shape().width - left), std::min(tile_side, shape().height - top)};
      near.clear();
      cells_.view().each_near(static_cast<double>(left) - reach, static_cast<double>(left + tile.width) + reach,
                              static_cast<double>(top) - reach, static_cast<double>(top + tile.height) + reach,
                              [&](std::int32_t number) { near.push_back(number); });
      std::ranges::sort(near);
      std::ranges::fill(light, 0.0);
      for (const std::int32_t number : near) {
        const auto star = static_cast<std::size_t>(number);
        add_light(stamps_[star], stars[star].flux, tile, light.data());
      }
      take_light(view_, tile, light.data(), weigh);
    }
  });
}

void CrowdField::soften() {
  constexpr std::int64_t pixels_at_a_time = 1 << 14;
  parallel_for(shape().count(), pixels_at_a_time, where_, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) view_.soften(i);
  });
}

template <class Ratio>
float CrowdField::typical_ratio(const Ratio& ratio) const {
  // In the first turn no model exists, and the residual serves to find dark pixels instead.
  std::vector<float> bright;
  const std::int64_t step = noise_step(shape());
  const std::vector<float>& of = has_model_ ? model : residual;
  for (std::int64_t i = 0; i < shape().count(); i += step)
    if (is_good(i)) bright.push_back(of[static_cast<std::size_t>(i)]);
  if (bright.empty()) return -1;
  const float limit = lower_median(bright);
  std::vector<float> ratios;
  for (std::int64_t i = 0; i < shape().count(); i += step) {
    if (of[static_cast<std::size_t>(i)] > limit) continue;
    const float one = ratio(i);
    if (one >= 0) ratios.push_back(one);
  }
  return ratios.empty() ? -1 : lower_median(ratios);
}

void CrowdField::measure_noise() {
  if (!image_.scales) return;
  const float typical = typical_ratio([&](std::int64_t i) { return view_.noise_ratio(i); });
  if (typical >= 0) view_.unit *= variance_factor(typical);
  if (image_.variance != nullptr) return;
  follow_noise(view_.cells, cell_noise(1), cell_noise(2), scale_);
}

std::vector<float> CrowdField::cell_noise(std::int64_t step) const {
  constexpr std::int64_t cells_at_a_time = 64;
  const std::vector<float>& of = has_model_ ? model : residual;
  std::vector<float> noise(static_cast<std::size_t>(view_.cells.count()), -1);
  parallel_for(view_.cells.count(), cells_at_a_time, where_, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> light, ratios;
    for (std::int64_t cell = begin; cell < end; ++cell) {
      light.clear();
      ratios.clear();
      for (int k = 0; k < NoiseCells::samples; ++k)
        if (const std::int64_t i = view_.sample(cell, k); i >= 0) light.push_back(of[static_cast<std::size_t>(i)]);
      if (light.empty()) continue;
      const float dark = lower_median(light);
      for (int k = 0; k < NoiseCells::samples; ++k) {
        const std::int64_t i = view_.sample(cell, k);
        if (i < 0 || of[static_cast<std::size_t>(i)] > dark) continue;
        const float ratio = view_.sky_noise(i, step);
        if (ratio >= 0) ratios.push_back(ratio);
      }
      if (ratios.empty()) continue;
      const auto count = static_cast<int>(ratios.size());
      const auto greatest = ratios.begin() + CellNoise::last_rank(count);
      std::nth_element(ratios.begin(), greatest, ratios.end());
      const float last = *greatest;
      std::uint64_t sum = 0;
      int used = 0;
      for (const float ratio : ratios) {
        if (ratio > last) continue;
        sum += CellNoise::whole(ratio);
        ++used;
      }
      noise[static_cast<std::size_t>(cell)] = CellNoise::mean(sum, used, count);
    }
  });
  return noise;
}

bool CrowdField::judge_noise() {
  const float near = typical_ratio([&](std::int64_t i) { return view_.difference_ratio(i, 1); });
  const float far = typical_ratio([&](std::int64_t i) { return view_.difference_ratio(i, 2); });
  return view_.shares_noise = shares_noise(near, far);
}

}  // namespace srcextract
