#include "stages/fit/noise_area.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <vector>

#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

/// A distance of two pixels whose correlation is measured.
struct Lag {
  int dx, dy;
};
constexpr std::array<Lag, 10> lags = {
    {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}, {2, 1}, {-2, 1}, {1, 2}, {-1, 2}}};
constexpr int rows_together = 3;

/// Sums over the pairs of pixels at one distance: of the first pixels, of the second pixels, and of their products.
struct PairSums {
  std::int64_t count = 0, first = 0, second = 0, product = 0;
};
struct LagSums {
  std::int64_t count = 0, sum = 0, squares = 0;
  std::array<PairSums, lags.size()> pairs = {};

  void add(const LagSums& other) {
    count += other.count;
    sum += other.sum;
    squares += other.squares;
    for (std::size_t i = 0; i < lags.size(); ++i) {
      pairs[i].count += other.pairs[i].count;
      pairs[i].first += other.pairs[i].first;
      pairs[i].second += other.pairs[i].second;
      pairs[i].product += other.pairs[i].product;
    }
  }
};

/// Three rows of pixels as integers, in units of 1/1024 of the noise. Pixels that are masked, beyond 8 sigma, in an
/// island or within `margin` of one have the value `masked`.
class NoiseRows {
 public:
  static constexpr std::int32_t masked = INT32_MIN;

  NoiseRows(const FitMap& map, std::int64_t margin) : map_(map), margin_(margin) {
    for (auto& row : rows_) row.resize(static_cast<std::size_t>(map.shape().width));
  }

  /// Reads the rows [y, y + rows_together).
  void go_to(std::int64_t y) {
    for (std::int64_t r = 0; r < rows_together; ++r) fill(y + r, rows_[static_cast<std::size_t>(r)]);
  }

  /// Adds the pixels of the columns [begin, end), and their pairs.
  void add_to(std::int64_t begin, std::int64_t end, LagSums& sums) const {
    for (std::int64_t x = begin; x < end; ++x) {
      const std::int64_t one = at(x, 0);
      if (one == masked) continue;
      ++sums.count;
      sums.sum += one;
      sums.squares += one * one;
    }
    for (std::size_t i = 0; i < lags.size(); ++i) {
      const auto [dx, dy] = lags[i];
      PairSums& to = sums.pairs[i];
      for (std::int64_t x = begin + std::max(0, -dx); x < end - std::max(0, dx); ++x) {
        const std::int64_t one = at(x, 0), other = at(x + dx, dy);
        if (one == masked || other == masked) continue;
        ++to.count;
        to.first += one;
        to.second += other;
        to.product += one * other;
      }
    }
  }

 private:
  std::int64_t at(std::int64_t x, int row) const {
    return rows_[static_cast<std::size_t>(row)][static_cast<std::size_t>(x)];
  }

  void fill(std::int64_t y, std::vector<std::int32_t>& row) const {
    constexpr double units = 1024, most = 8;
    for (std::int64_t x = 0; x < map_.shape().width; ++x) {
      const auto value = static_cast<double>(map_.at(x, y));
      const double scaled = value / map_.noise(x, y);
      row[static_cast<std::size_t>(x)] =
          scaled > -most && scaled < most ? static_cast<std::int32_t>(std::floor(scaled * units + 0.5)) : masked;
    }
    const std::int64_t height = map_.shape().height;
    for (std::int64_t near = std::max<std::int64_t>(0, y - margin_); near <= std::min(height - 1, y + margin_); ++near)
      for (std::int64_t i = map_.runs.row_begin[near]; i < map_.runs.row_begin[near + 1]; ++i)
        if (map_.label[i] != 0) mask(map_.runs.runs[i], row);
  }

  void mask(const Run& run, std::vector<std::int32_t>& row) const {
    const std::int64_t begin = std::max<std::int64_t>(0, run.begin - margin_);
    const std::int64_t end = std::min<std::int64_t>(std::ssize(row), run.end + margin_);
    std::fill(row.begin() + begin, row.begin() + end, masked);
  }

  const FitMap& map_;
  std::int64_t margin_;
  std::array<std::vector<std::int32_t>, rows_together> rows_;
};

/// Returns the mean, over all distances, of the noise area with which NoiseCorrelation gives the measured correlation.
double area_of(const LagSums& sums, const GaussianShape& beam) {
  constexpr double least = 0.001, most = 0.9999;
  const auto mean_of = [](std::int64_t sum, std::int64_t count) {
    return static_cast<double>(sum) / static_cast<double>(count);
  };
  const double mean = mean_of(sums.sum, sums.count);
  const double variance = mean_of(sums.squares, sums.count) - mean * mean;
  double total = 0;
  int counted = 0;
  for (std::size_t i = 0; i < lags.size(); ++i) {
    const PairSums& of = sums.pairs[i];
    if (of.count == 0) continue;
    const double common = mean_of(of.product, of.count) - mean_of(of.first, of.count) * mean_of(of.second, of.count);
    const double distance = gaussian_of(1, 0, 0, beam).distance(lags[i].dx, lags[i].dy);
    total += -distance / 2 / portable_log(std::clamp(common / variance, least, most));
    ++counted;
  }
  return total / counted;
}

/// Blocks into which a map is divided, row by row.
struct Blocks {
  Shape shape;
  std::int64_t along;  ///< number of blocks along x, and along y

  Blocks(const Shape& of, std::int64_t number) : shape(of), along(number) {}
  std::size_t count() const { return static_cast<std::size_t>(along * along); }
  std::int64_t begin(std::int64_t column) const { return column * shape.width / along; }
  std::size_t index(std::int64_t column, std::int64_t y) const {
    return static_cast<std::size_t>(y * along / shape.height * along + column);
  }
  std::vector<double> centres_x() const {
    return centres([&](std::int64_t block) { return block % along; }, shape.width);
  }
  std::vector<double> centres_y() const {
    return centres([&](std::int64_t block) { return block / along; }, shape.height);
  }

 private:
  template <class Place>
  std::vector<double> centres(const Place& place, std::int64_t pixels) const {
    std::vector<double> out;
    for (std::int64_t block = 0; block < along * along; ++block)
      out.push_back(
          (static_cast<double>(place(block)) + 0.5) * static_cast<double>(pixels) / static_cast<double>(along) - 0.5);
    return out;
  }
};

/// Returns the mean noise area of blocks of a map, weighted by their pixels.
double mean_area(const std::vector<LagSums>& sums, const std::vector<GaussianShape>& beams) {
  constexpr std::int64_t few_pixels = 1000;
  constexpr double usual = 2, least = 0.05, most = 20;
  double total = 0;
  std::int64_t pixels = 0;
  for (std::size_t b = 0; b < sums.size(); ++b) {
    const LagSums& of = sums[b];
    if (of.count < few_pixels || of.squares <= of.sum * (of.sum / of.count)) continue;
    const double area = std::clamp(area_of(of, beams[b]), least, most);
    if (sums.size() == 1) return area;
    total += static_cast<double>(of.count) * area;
    pixels += of.count;
  }
  return pixels > 0 ? total / static_cast<double>(pixels) : usual;
}

}  // namespace

double measure_noise_area(const FitMap& map, const GaussianShape& beam, const BeamsAt& beams_at, const Cpu& where) {
  constexpr std::int64_t enough_pixels = std::int64_t{1} << 19;
  const auto [width, height] = map.shape();
  const std::int64_t groups = height / rows_together;
  const std::int64_t step = std::max<std::int64_t>(1, groups * width / enough_pixels);
  const auto margin = static_cast<std::int64_t>(std::ceil(std::sqrt(fwhm_squared * beam.axis(1))));
  const Blocks blocks(map.shape(), beams_at ? 8 : 1);
  std::vector<LagSums> sums(blocks.count());
  std::mutex merge;
  parallel_for((groups + step - 1) / step, 8, where, [&](std::int64_t begin, std::int64_t end) {
    NoiseRows rows(map, margin);
    std::vector<LagSums> part(sums.size());
    for (std::int64_t i = begin; i < end; ++i) {
      rows.go_to(i * step * rows_together);
      for (std::int64_t column = 0; column < blocks.along; ++column)
        rows.add_to(blocks.begin(column), blocks.begin(column + 1),
                    part[blocks.index(column, i * step * rows_together)]);
    }
    const std::lock_guard lock(merge);
    for (std::size_t b = 0; b < sums.size(); ++b) sums[b].add(part[b]);
  });
  std::vector<GaussianShape> beams(sums.size(), beam);
  if (beams_at) {
    const std::vector<PixelBeam> found = beams_at(blocks.centres_x(), blocks.centres_y());
    std::ranges::transform(found, beams.begin(), shape_of);
  }
  return mean_area(sums, beams);
}

}  // namespace srcextract
