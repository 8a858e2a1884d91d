#include "stages/crowd/find_stars.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/crowd/peak_rules.hpp"
#include "stages/crowd/shared_noise.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t square_side = FindRule::square_side;
constexpr std::int64_t half_square = square_side / 2;
constexpr int ranks = FindRule::ranks;

/// Approximates a square of numbers by a sum of `ranks` products of a column and a row. Columns and rows are the
/// largest singular vectors, found by power iteration.
struct SeparableKernel {
  int half = 0;
  std::vector<float> column, row;  ///< `ranks` columns and `ranks` rows, one behind the other

  SeparableKernel(const std::vector<double>& square, int half_side) : half(half_side) {
    const auto side = 2 * static_cast<std::size_t>(half) + 1;
    std::vector<double> left = square;
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<double> u(side), v(side, 1.0);
      double length = 0;
      for (int round = 0; round < 30; ++round) {
        u = product(left, v, side, false);
        v = product(left, u, side, true);
        length = 0;
        for (const double value : v) length += value * value;
        length = std::sqrt(length);
        if (!(length > 0)) break;
        for (double& value : v) value /= length;
      }
      u = product(left, v, side, false);
      for (std::size_t y = 0; y < side; ++y)
        for (std::size_t x = 0; x < side; ++x) left[y * side + x] -= u[y] * v[x];
      for (const double value : u) column.push_back(static_cast<float>(value));
      for (const double value : v) row.push_back(static_cast<float>(value));
    }
  }

 private:
  static std::vector<double> product(const std::vector<double>& square, const std::vector<double>& by, std::size_t side,
                                     bool turned) {
    std::vector<double> out(side, 0.0);
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x)
        (turned ? out[x] : out[y]) += square[y * side + x] * (turned ? by[y] : by[x]);
    return out;
  }
};

/// out[x] is the sum of taps[k] * in[x + k * step], for `count` values of x, a multiple of 16. If `add` is true, the
/// sums are added to `out`.
SRCEXTRACT_VECTOR_CLONES void correlate_line(const float* in, std::int64_t step, const float* taps, int tap_count,
                                             std::int64_t count, bool add, float* out) {
  constexpr int width = 16;
  for (std::int64_t x = 0; x < count; x += width) {
    float sum[width] = {};
    for (int k = 0; k < tap_count; ++k)
      for (int l = 0; l < width; ++l) sum[l] += taps[k] * in[x + k * step + l];
    for (int l = 0; l < width; ++l) out[x + l] = (add ? out[x + l] : 0.0F) + sum[l];
  }
}

/// Correlates one square of the image and its surroundings with kernels.
class SquareWork {
 public:
  SquareWork(const Shape& shape, std::int64_t left, std::int64_t top, std::int64_t half)
      : shape_(shape),
        left_(left),
        top_(top),
        half_(half),
        rows_(square_side + 2 * half),
        stride_(square_side + (2 * half + 15) / 16 * 16 + 16) {
    in_.resize(static_cast<std::size_t>(rows_ * stride_));
    along_.resize(static_cast<std::size_t>(rows_ * square_side));
  }

  /// Sets the input to value(i) for each pixel i of the square and its surroundings; 0 outside the image.
  template <class Value>
  void take(const Value& value) {
    std::ranges::fill(in_, 0.0F);
    const std::int64_t from = std::max<std::int64_t>(0, half_ - left_),
                       to = std::min(square_side + 2 * half_, shape_.width - left_ + half_);
    for (std::int64_t y = 0; y < rows_; ++y) {
      const std::int64_t row = top_ - half_ + y;
      if (row < 0 || row >= shape_.height) continue;
      for (std::int64_t x = from; x < to; ++x)
        in_[static_cast<std::size_t>(y * stride_ + x)] =
            value(static_cast<std::size_t>(row * shape_.width + left_ - half_ + x));
    }
  }

  /// Writes the correlation at the pixels of the square to `out`.
  void correlate(const SeparableKernel& kernel, float* out) {
    const int side = 2 * kernel.half + 1;
    for (int rank = 0; rank < ranks; ++rank) {
      for (std::int64_t y = 0; y < rows_; ++y)
        correlate_line(in_.data() + y * stride_, 1, kernel.row.data() + std::ptrdiff_t{rank} * side, side, square_side,
                       false, along_.data() + y * square_side);
      for (std::int64_t y = 0; y < square_side; ++y)
        correlate_line(along_.data() + y * square_side, square_side, kernel.column.data() + std::ptrdiff_t{rank} * side,
                       side, square_side, rank > 0, out + y * square_side);
    }
  }

 private:
  Shape shape_;
  std::int64_t left_, top_;
  std::int64_t half_;
  std::int64_t rows_, stride_;
  std::vector<float> in_, along_;
};

/// Per pixel: significance of the residual and of the model, and `norm`, the root of the sum of weight times PSF^2.
struct Significance {
  std::vector<float> residual, model, norm;
};

void measure_square(const CrowdField& field, const CrowdPsf& psf, int half, std::int64_t left, std::int64_t top,
                    Significance& out) {
  const Shape& shape = field.shape();
  CrowdPsf::Scratch scratch;
  std::vector<float> pixels(static_cast<std::size_t>(CrowdPsf::numbers_for(half)));
  const double x = std::min<double>(static_cast<double>(left + half_square), static_cast<double>(shape.width) - 1),
               y = std::min<double>(static_cast<double>(top + half_square), static_cast<double>(shape.height) - 1);
  const CrowdStamp stamp = psf.draw(x, y, half, false, pixels.data(), scratch);
  std::vector<double> light, squares;
  for (std::int32_t j = 0; j < stamp.side(); ++j) {
    for (std::int32_t i = 0; i < stamp.side(); ++i) {
      light.push_back(static_cast<double>(pixels[static_cast<std::size_t>(stamp.place(i, j))]));
      squares.push_back(light.back() * light.back());
    }
  }
  const SeparableKernel of_light(light, half), of_squares(squares, half);
  SquareWork work(shape, left, top, half);
  constexpr auto count = static_cast<std::size_t>(square_side * square_side);
  std::vector<float> by_residual(count), by_model(count), by_weight(count);
  work.take([&](std::size_t i) { return field.weight[i] * field.residual[i]; });
  work.correlate(of_light, by_residual.data());
  work.take([&](std::size_t i) { return field.weight[i] * field.model[i]; });
  work.correlate(of_light, by_model.data());
  work.take([&](std::size_t i) { return field.weight[i]; });
  work.correlate(of_squares, by_weight.data());
  for (std::int64_t row = 0; row < std::min(square_side, shape.height - top); ++row) {
    for (std::int64_t column = 0; column < std::min(square_side, shape.width - left); ++column) {
      const auto from = static_cast<std::size_t>(row * square_side + column),
                 to = static_cast<std::size_t>((top + row) * shape.width + left + column);
      const float norm = by_weight[from] > 0 ? std::sqrt(by_weight[from]) : 0.0F;
      out.norm[to] = norm;
      out.residual[to] = norm > 0 ? by_residual[from] / norm : 0.0F;
      out.model[to] = norm > 0 ? by_model[from] / norm : 0.0F;
    }
  }
}

Significance measure_significance(const CrowdField& field, const CrowdPsf& psf) {
  const Shape& shape = field.shape();
  const auto count = static_cast<std::size_t>(shape.count());
  Significance out{std::vector<float>(count), std::vector<float>(count), std::vector<float>(count)};
  const int half = FindRule::half_of(psf.fwhm(), psf.most_half());
  const std::int64_t across = (shape.width + square_side - 1) / square_side,
                     down = (shape.height + square_side - 1) / square_side;
  parallel_for(across * down, 1, field.where(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      measure_square(field, psf, half, i % across * square_side, i / across * square_side, out);
  });
  return out;
}

double shared_noise_of(const CrowdField& field, const Significance& of) {
  if (!field.view().shares_noise) return 1;
  std::array<std::int64_t, depth_bins + 1> counts{};
  for (const float value : of.residual) ++counts[static_cast<std::size_t>(significance_depth(value))];
  return shared_noise([&](int bin) { return counts[static_cast<std::size_t>(bin)]; });
}

}  // namespace

double measure_shared_noise(const CrowdField& field, const CrowdPsf& psf) {
  return shared_noise_of(field, measure_significance(field, psf));
}

FoundStars find_stars(const CrowdField& field, const CrowdPsf& psf, const std::vector<CrowdStar>& known,
                      const FindRule& rule, std::int32_t turn) {
  const Significance of = measure_significance(field, psf);
  FoundStars result{{}, shared_noise_of(field, of)};
  const Shape& shape = field.shape();
  StarCells cells(shape);
  cells.fill(known);
  PeakRules rules;
  rules.rule = rule;
  rules.rule.threshold *= result.shared_noise;
  rules.nearest = rule.separation * psf.fwhm();
  rules.pairs = OppositePairs(psf.fwhm());
  rules.turn = turn;
  rules.significance = of.residual.data();
  rules.of_model = of.model.data();
  rules.norm = of.norm.data();
  rules.reach = rules.nearest;
  for (const CrowdStar& star : known) rules.reach = std::max(rules.reach, 2 * star.core);
  rules.known = known.data();
  rules.cells = cells.view();
  constexpr std::int64_t rows_at_a_time = 32;
  std::vector<std::vector<CrowdStar>> found(
      static_cast<std::size_t>((shape.height + rows_at_a_time - 1) / rows_at_a_time));
  parallel_for(shape.height, rows_at_a_time, field.where(), [&](std::int64_t begin, std::int64_t end) {
    std::vector<CrowdStar>& some = found[static_cast<std::size_t>(begin / rows_at_a_time)];
    CrowdStar star;
    for (std::int64_t i = begin * shape.width; i < end * shape.width; ++i)
      if (rules.find(field.view(), i, star)) some.push_back(star);
  });
  for (const std::vector<CrowdStar>& some : found) result.stars.insert(result.stars.end(), some.begin(), some.end());
  return result;
}

}  // namespace srcextract
