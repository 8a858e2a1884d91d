#include "stages/fit/loud_places.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/core/runs.hpp"
#include "stages/fit/model_rows.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t band_height = 32;

/// Squared residuals of pixels, in units of the noise, and their number.
struct ResidualSums {
  double squares = 0;
  std::int64_t count = 0;
};

/// The pixels in a circle around a row.
struct Circle {
  double x, y, radius;
  std::int64_t first_band = 0, last_band = -1;
  std::vector<ResidualSums> of_band = {};

  Circle(const ComponentRow& row, double within, const Shape& shape) : x(row.x), y(row.y), radius(within) {
    const auto last_row = static_cast<double>(shape.height - 1);
    first_band = static_cast<std::int64_t>(std::clamp(y - radius, 0.0, last_row)) / band_height;
    last_band = static_cast<std::int64_t>(std::clamp(y + radius, 0.0, last_row)) / band_height;
    of_band.resize(static_cast<std::size_t>(last_band - first_band + 1));
  }

  /// The columns of the circle in an image row: [first, second), empty if the circle does not reach the row.
  std::pair<std::int64_t, std::int64_t> columns(std::int64_t row, std::int64_t width) const {
    const double dy = static_cast<double>(row) - y, left = radius * radius - dy * dy;
    if (!(left > 0)) return {0, 0};
    const double half = std::sqrt(left), most = static_cast<double>(width);
    return {static_cast<std::int64_t>(std::clamp(std::ceil(x - half), 0.0, most)),
            static_cast<std::int64_t>(std::clamp(std::floor(x + half) + 1, 0.0, most))};
  }
  /// The sums over all bands, in their order.
  ResidualSums sums() const {
    ResidualSums all;
    for (const ResidualSums& of : of_band) {
      all.squares += of.squares;
      all.count += of.count;
    }
    return all;
  }
};

struct Pixel {
  std::int64_t x, y;
};

/// The squared residuals of image rows, in units of the noise.
class ResidualRow {
 public:
  ResidualRow(const FitMap& map, const ModelRows& model, const std::vector<bool>& fitted)
      : map_(map), model_(model), fitted_(fitted), of_model_(static_cast<std::size_t>(map.shape().width)) {
    squares_.resize(of_model_.size());
  }

  /// Makes y the current row. Pixels that the model exceeds by fit_flag::most_above will be appended to `above`.
  void go_to(std::int64_t y, std::vector<Pixel>& above) {
    y_ = y;
    above_ = &above;
    model_.fill(y, of_model_.data());
    std::ranges::fill(squares_, unknown);
  }

  void add(std::int64_t begin, std::int64_t end, ResidualSums& to) {
    fill(begin, end);
    for (std::int64_t x = begin; x < end; ++x)
      if (const double square = squares_[static_cast<std::size_t>(x)]; square >= 0) {
        to.squares += square;
        ++to.count;
      }
  }

 private:
  static constexpr double unknown = -1, left_out = -2, least = -5;

  /// Computes the squares that are not known yet.
  void fill(std::int64_t begin, std::int64_t end) {
    bool new_pixels = false;
    for (std::int64_t x = begin; x < end; ++x) {
      const auto i = static_cast<std::size_t>(x);
      if (squares_[i] != unknown) continue;
      new_pixels = true;
      const double noise = map_.noise(x, y_), value = static_cast<double>(map_.at(x, y_));
      const double residual = (value - static_cast<double>(of_model_[i])) / noise;
      // A comparison with NaN is false, so masked pixels are left out.
      squares_[i] = value >= least * noise && noise > 0 ? residual * residual : left_out;
      if (noise > 0 && static_cast<double>(of_model_[i]) - std::max(value, 0.0) > fit_flag::most_above * noise)
        above_->push_back({x, y_});
    }
    if (!new_pixels) return;
    for_each_run_between(map_.runs, y_, begin, end, [&](std::int64_t run, std::int64_t from, std::int64_t to) {
      if (!fitted_[static_cast<std::size_t>(map_.label[run])])
        std::fill(squares_.begin() + from, squares_.begin() + to, left_out);
    });
  }

  const FitMap& map_;
  const ModelRows& model_;
  const std::vector<bool>& fitted_;
  std::vector<float> of_model_;
  std::vector<double> squares_;
  std::int64_t y_ = 0;
  std::vector<Pixel>* above_ = nullptr;
};

/// Whether islands have Gaussians; true for 0, which is no island.
std::vector<bool> fitted_islands(const FitMap& map, const std::vector<ComponentRow>& gaussians) {
  std::vector<bool> fitted(1, true);
  for (const std::int32_t label : map.label)
    if (static_cast<std::size_t>(label) >= fitted.size()) fitted.resize(static_cast<std::size_t>(label) + 1, false);
  for (const ComponentRow& row : gaussians) fitted[static_cast<std::size_t>(row.island)] = true;
  return fitted;
}

/// Flags the Gaussian that is the brightest at a pixel, and its source.
void flag_above(const Pixel& at, FittedIslands& fitted) {
  double most = 0;
  ComponentRow* brightest = nullptr;
  const auto x = static_cast<double>(at.x), y = static_cast<double>(at.y);
  for (ComponentRow& row : fitted.gaussians) {
    if (std::fabs(y - row.y - row.held.y) > std::sqrt(Gaussian::farthest * row.shape.yy)) continue;
    const double value = row.fitted().at(x, y);
    if (!(value > most)) continue;
    most = value;
    brightest = &row;
  }
  if (brightest == nullptr) return;
  brightest->flags |= fit_flag::above_map;
  fitted.sources[static_cast<std::size_t>(brightest->source - 1)].flags |= fit_flag::above_map;
}

/// Masked pixels may cut a source into islands whose fits are the whole of it each, so that they are above the map
/// together. Of two such Gaussians, within half a beam of one another, flags the one whose island has less light.
void flag_doubles(FittedIslands& fitted) {
  std::vector<ComponentRow*> cut;
  for (ComponentRow& row : fitted.gaussians)
    if ((row.flags & fit_flag::at_edge) != 0) cut.push_back(&row);
  const auto light_of = [](const ComponentRow& row) {
    return std::pair((row.flags & fit_flag::unconverged) == 0, std::fabs(row.of_island.total));
  };
  const auto flag = [](ComponentRow& row) {
    row.flags |= fit_flag::doubled;
    row.reliability = 0;
  };
  for (auto one = cut.begin(); one != cut.end(); ++one)
    for (auto two = one + 1; two != cut.end(); ++two) {
      if ((*one)->island == (*two)->island || (((*one)->flags | (*two)->flags) & fit_flag::above_map) == 0) continue;
      const Gaussian a = (*one)->fitted(), b = (*two)->fitted();
      if (length_of(a.x - b.x, a.y - b.y) > fitted.beam.side() / 2) continue;
      ComponentRow& worse = light_of(**one) < light_of(**two) ? **one : **two;
      flag(worse);
      ComponentRow& source = fitted.sources[static_cast<std::size_t>(worse.source - 1)];
      if (source.code == SourceCode::single) flag(source);
    }
}

void multiply_errors(ComponentRow& row, double by) {
  for (auto& line : row.covariance)
    for (double& value : line) value *= by * by;
  row.xmax_error *= by;
  row.ymax_error *= by;
  row.xymax_covariance *= by * by;
  row.of_island.total_error *= by;
  row.flags |= fit_flag::loud;
}

}  // namespace

void enlarge_errors(const FitMap& map, FittedIslands& fitted, const Cpu& where) {
  std::vector<ComponentRow*> rows;
  for (std::vector<ComponentRow>* all : {&fitted.gaussians, &fitted.sources})
    for (ComponentRow& row : *all) rows.push_back(&row);
  const ModelRows model(fitted.gaussians, map.shape());
  const std::vector<bool> has_gaussians = fitted_islands(map, fitted.gaussians);
  const auto [width, height] = map.shape();
  std::vector<Circle> circles;
  std::vector<std::vector<std::size_t>> in_band(static_cast<std::size_t>((height - 1) / band_height + 1));
  for (const ComponentRow* row : rows) {
    circles.emplace_back(*row, loud_radius * fitted.beam.side(), map.shape());
    for (std::int64_t b = circles.back().first_band; b <= circles.back().last_band; ++b)
      in_band[static_cast<std::size_t>(b)].push_back(circles.size() - 1);
  }
  std::vector<std::vector<Pixel>> above(in_band.size());
  parallel_for(
      std::ssize(in_band), 1, where, [&, width = width, height = height](std::int64_t begin, std::int64_t end) {
        ResidualRow residual(map, model, has_gaussians);
        for (std::int64_t band = begin; band < end; ++band) {
          const std::vector<std::size_t>& members = in_band[static_cast<std::size_t>(band)];
          if (members.empty()) continue;
          for (std::int64_t y = band * band_height; y < std::min(height, (band + 1) * band_height); ++y) {
            residual.go_to(y, above[static_cast<std::size_t>(band)]);
            for (const std::size_t i : members) {
              const auto [first, last] = circles[i].columns(y, width);
              residual.add(first, last, circles[i].of_band[static_cast<std::size_t>(band - circles[i].first_band)]);
            }
          }
        }
      });
  for (const std::vector<Pixel>& of_band : above)
    for (const Pixel& at : of_band) flag_above(at, fitted);
  // The noise of a squared pixel is shared over the integral of the squared correlation.
  const double shared =
      std::max(1.0, std::numbers::pi * fitted.noise_area * std::sqrt(shape_of(fitted.beam).determinant()));
  constexpr double chance = 2.5, least_independent = 5;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ResidualSums sums = circles[i].sums();
    const double independent = static_cast<double>(sums.count) / shared;
    if (independent < least_independent) continue;
    const double ratio = std::sqrt(sums.squares / static_cast<double>(sums.count));
    if (ratio > 1 + chance / std::sqrt(2 * independent)) multiply_errors(*rows[i], ratio);
  }
  flag_doubles(fitted);
}

}  // namespace srcextract
