#include "stages/crowd/crowd_field.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t tile_side = 64, drawn_at_a_time = 64;

/// Adds flux times stamp to the pixels of a tile in which both are.
void add_light(const CrowdStamp& stamp, double flux, const CrowdField::Tile& tile, double* light) {
  const std::int64_t begin_x = stamp.x - stamp.half, begin_y = stamp.y - stamp.half;
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

/// The value of this rank, from 0 to 1.
float value_at(std::vector<float>& values, double rank) {
  const auto place = static_cast<std::ptrdiff_t>(rank * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

}  // namespace

CrowdField::CrowdField(const CrowdImage& image, std::int64_t sky_size, const Cpu& where)
    : sky(image.shape, sky_size), image_(image), where_(where), unit_(image.unit), cells_(image.shape) {
  const auto count = static_cast<std::size_t>(image.shape.count());
  model.assign(count, 0.0F);
  weight.assign(count, 0.0F);
  residual.assign(count, 0.0F);
  good_.assign(count, 0);
  std::vector<float> variances;
  for (std::size_t i = 0; i < count; ++i) {
    const double above = image.pixels[i] - image.background;
    const bool known = above < image.saturation && above > -std::numeric_limits<double>::infinity();
    const bool weighs =
        image.variance == nullptr || (image.variance[i] > 0 && image.variance[i] < image.least_bad_variance);
    good_[i] = known && weighs ? 1 : 0;
    if (good_[i] != 0 && image.variance != nullptr) variances.push_back(image.variance[i]);
  }
  if (!variances.empty()) typical_ = static_cast<double>(value_at(variances, 0.5));
}

double CrowdField::sigma() const {
  return std::sqrt(unit_ * typical_);
}

void CrowdField::draw(const CrowdPsf& psf, const std::vector<CrowdStar>& stars, std::size_t first) {
  constexpr double dark = 0.05;  // of the noise of the sky, where a stamp may end
  stamps_.resize(stars.size());
  if (first == 0) blocks_.clear();
  std::vector<std::int64_t> begin = {0};
  for (std::size_t i = first; i < stars.size(); ++i) {
    stamps_[i].half = psf.half_for(std::max(stars[i].flux, 0.0), dark * sigma());
    begin.push_back(begin.back() + 3 * CrowdPsf::numbers_for(stamps_[i].half));
  }
  constexpr std::int64_t read_beyond = 16;
  require_room(begin.back() * static_cast<std::int64_t>(sizeof(float)));
  std::vector<float>& block = blocks_.emplace_back(static_cast<std::size_t>(begin.back() + read_beyond));
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
  for (const std::vector<float>& block : blocks_) bytes += std::ssize(block) * static_cast<std::int64_t>(sizeof(float));
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
      cells_.each_near(static_cast<double>(left) - reach, static_cast<double>(left + tile.width) + reach,
                       static_cast<double>(top) - reach, static_cast<double>(top + tile.height) + reach,
                       [&](std::int32_t number) { near.push_back(number); });
      std::ranges::sort(near);
      std::ranges::fill(light, 0.0);
      for (const std::int32_t number : near) {
        const auto star = static_cast<std::size_t>(number);
        add_light(stamps_[star], stars[star].flux, tile, light.data());
      }
      take_light(tile, light.data(), weigh);
    }
  });
}

void CrowdField::take_light(const Tile& tile, const double* light, bool weigh) {
  constexpr double least_part = 0.2;
  const double photons = image_.gain > 0 ? 1 / image_.gain : 0;
  SkyNodes::Place along_x[tile_side];
  for (std::int64_t x = 0; x < tile.width; ++x) along_x[x] = sky.along_x(static_cast<double>(tile.left + x));
  for (std::int64_t y = tile.top; y < tile.top + tile.height; ++y) {
    const SkyNodes::Place along_y = sky.along_y(static_cast<double>(y));
    for (std::int64_t x = tile.left; x < tile.left + tile.width; ++x) {
      const std::int64_t i = y * shape().width + x;
      const auto at = static_cast<std::size_t>(i);
      const double of_stars = light[(y - tile.top) * tile_side + (x - tile.left)];
      model[at] = static_cast<float>(of_stars);
      if (!is_good(i)) {
        weight[at] = residual[at] = 0;
        continue;
      }
      if (weigh) {
        const double base = base_variance(i), variance = std::max(base + photons * of_stars, least_part * base);
        weight[at] = static_cast<float>(1 / variance);
      }
      residual[at] =
          static_cast<float>(image_.pixels[i] - image_.background - sky.at(along_x[x - tile.left], along_y) - of_stars);
    }
  }
}

void CrowdField::soften() {
  constexpr std::int64_t pixels_at_a_time = 1 << 14;
  parallel_for(shape().count(), pixels_at_a_time, where_, [&](std::int64_t begin, std::int64_t end) {
    constexpr float most = 3;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const float sigmas = std::abs(residual[i]) * std::sqrt(weight[i]);
      if (sigmas > most) weight[i] *= most / sigmas;
    }
  });
}

void CrowdField::measure_noise() {
  if (!image_.scales) return;
  constexpr double of_median = 0.67448975019608171;  // |x| of half of a normal distribution
  constexpr std::int64_t most_samples = 1 << 18;
  const std::int64_t width = shape().width;
  // Where there is no model yet, the light itself tells what is dark.
  std::vector<float> bright;
  const std::int64_t step = std::max<std::int64_t>(1, shape().count() / most_samples) | 1;
  const std::vector<float>& of = has_model_ ? model : residual;
  for (std::int64_t i = 0; i < shape().count(); i += step)
    if (is_good(i)) bright.push_back(of[static_cast<std::size_t>(i)]);
  if (bright.empty()) return;
  const float limit = value_at(bright, 0.5);
  std::vector<float> ratios;
  for (std::int64_t i = 0; i < shape().count(); i += step) {
    const std::int64_t x = i % width, y = i / width;
    if (x < 1 || y < 1 || x + 1 >= width || y + 1 >= shape().height || of[static_cast<std::size_t>(i)] > limit)
      continue;
    double sum = 0, square = 0;
    bool whole = true;
    for (std::int64_t dy = -1; dy <= 1; ++dy) {
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        const std::int64_t at = i + dy * width + dx;
        const double factor = (dx == 0 ? -2 : 1) * (dy == 0 ? -2 : 1);  // second differences along both axes
        whole = whole && is_good(at);
        if (!whole) break;
        sum += factor * static_cast<double>(residual[static_cast<std::size_t>(at)]);
        square += factor * factor / static_cast<double>(weight[static_cast<std::size_t>(at)]);
      }
    }
    if (whole) ratios.push_back(static_cast<float>(sum * sum / square));
  }
  if (ratios.empty()) return;
  const double ratio = static_cast<double>(value_at(ratios, 0.5)) / (of_median * of_median);
  if (ratio > 0) unit_ *= ratio;
}

}  // namespace srcextract
