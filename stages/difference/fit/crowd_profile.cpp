#include "stages/difference/fit/crowd_profile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/fit/normal_equations.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

/// The frame is read in tiles, squares of pixels: a quarter of its longer side, within these limits.
constexpr std::int64_t least_tile_side = 32, most_tile_side = 128, most_tiles = 128;
constexpr std::size_t most_groups = 16;  ///< parts of the tiles, from whose scatter errors are estimated
constexpr double lag_reach = 2.5, grow_reach = 3, model_reach = 5;
constexpr int most_lag = 24, most_model_half = 60;

/// A lag: the distance of two pixels. Of each lag and its opposite, one is used.
struct CrowdLag {
  int x, y;
};

std::vector<CrowdLag> lags_within(double reach) {
  std::vector<CrowdLag> lags;
  const int half = std::min(static_cast<int>(reach), most_lag);
  for (int y = 0; y <= half; ++y)
    for (int x = -half; x <= half; ++x)
      if ((y > 0 || x > 0) && x * x + y * y <= reach * reach) lags.push_back({x, y});
  return lags;
}

/// For each lag, the sum of the products of pixels this far apart, and their number.
struct LagSums {
  std::vector<double> product, count;
};

/// Sums products of values `shift` apart. Bad pixels have the value 0 and the weight 0.
SRCEXTRACT_VECTOR_CLONES
void add_row(const float* value, const float* weight, std::int64_t first, std::int64_t end, std::int64_t shift,
             float* __restrict product, float* __restrict count) {
  for (std::int64_t x = first; x < end; ++x) {
    product[x] += value[x] * value[x + shift];
    count[x] += weight[x] * weight[x + shift];
  }
}

/// A square of the frame: pixels minus their mean, and weights that are 0 for bad pixels.
struct CrowdTile {
  std::int64_t width, height;
  std::vector<float> value, weight;

  CrowdTile(const LevelledFrame& frame, std::int64_t left, std::int64_t top, std::int64_t side, std::int64_t grow)
      : width(std::min(side, frame.image.shape.width - left)),
        height(std::min(side, frame.image.shape.height - top)),
        value(static_cast<std::size_t>(width * height), 0.0F),
        weight(value.size(), 1.0F) {
    const ImageView image = frame.view();
    for (std::int64_t y = -grow; y < height + grow; ++y)
      for (std::int64_t x = -grow; x < width + grow; ++x)
        if (image.contains(left + x, top + y) && frame.level.is_bad(image.at(left + x, top + y)))
          leave_out(x, y, image.at(left + x, top + y) == image.at(left + x, top + y) ? grow : 0);
    double sum = 0, count = 0;
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        if (weight[at(x, y)] > 0) sum += static_cast<double>(value[at(x, y)] = image.at(left + x, top + y)), ++count;
    const auto mean = static_cast<float>(count > 0 ? sum / count : 0);
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = weight[i] > 0 ? value[i] - mean : 0;
  }

  void add_to(const std::vector<CrowdLag>& lags, LagSums& sums) const {
    std::vector<float> product(static_cast<std::size_t>(width)), count(product.size());
    for (std::size_t k = 0; k < lags.size(); ++k) {
      const std::int64_t first = std::max(0, -lags[k].x), end = width - std::max(0, lags[k].x);
      std::ranges::fill(product, 0.0F);
      std::ranges::fill(count, 0.0F);
      for (std::int64_t y = 0; y + lags[k].y < height; ++y)
        add_row(value.data() + y * width, weight.data() + y * width, first, end, lags[k].y * width + lags[k].x,
                product.data(), count.data());
      for (std::size_t x = 0; x < product.size(); ++x) {
        sums.product[k] += static_cast<double>(product[x]);
        sums.count[k] += static_cast<double>(count[x]);
      }
    }
  }

 private:
  std::size_t at(std::int64_t x, std::int64_t y) const { return static_cast<std::size_t>(y * width + x); }
  void leave_out(std::int64_t x, std::int64_t y, std::int64_t grow) {
    for (std::int64_t j = std::max<std::int64_t>(0, y - grow); j <= std::min(y + grow, height - 1); ++j)
      for (std::int64_t i = std::max<std::int64_t>(0, x - grow); i <= std::min(x + grow, width - 1); ++i)
        weight[at(i, j)] = 0;
  }
};

/// A Moffat profile whose width, exponent and ellipticity are `of`: log of the full width, 1 / beta (near 0 for a
/// Gaussian), e1, e2.
struct MoffatModel {
  static constexpr std::size_t numbers = 4;
  static constexpr double least_inverse = 0.002, most_inverse = 0.8;
  std::array<double, numbers> of;

  double beta() const { return 1 / of[1]; }
  double fwhm() const { return portable_exp(of[0]); }
  double alpha() const { return fwhm() / 2 / std::sqrt(portable_exp(portable_log(2.0) * of[1]) - 1); }
  bool is_profile() const {
    constexpr double most_ellipticity = 0.6;
    return of[2] * of[2] + of[3] * of[3] < most_ellipticity * most_ellipticity;
  }

  /// Returns the profile at nodes 1 pixel apart, row by row, with light 1 over all the plane.
  Square values(int half) const {
    const double square = alpha() * alpha(), power = beta(), round = 1 - of[2] * of[2] - of[3] * of[3];
    const double scale = (power - 1) / (std::numbers::pi * square) * std::sqrt(round);
    Square result{half, {}};
    for (int y = -half; y <= half; ++y) {
      for (int x = -half; x <= half; ++x) {
        const double r2 = (1 - of[2]) * x * x + (1 + of[2]) * y * y - 2 * of[3] * x * y;
        result.values.push_back(scale * portable_exp(-power * portable_log(1 + r2 / square)));
      }
    }
    return result;
  }

  /// Returns the autocorrelation of the profile at the lags.
  std::vector<double> correlation(const std::vector<CrowdLag>& lags, int half) const {
    const Square shape = values(half);
    std::vector<double> result;
    for (const CrowdLag& lag : lags) {
      double sum = 0;
      for (int y = -half; y <= half - lag.y; ++y)
        for (int x = std::max(-half, -half - lag.x); x <= std::min(half, half - lag.x); ++x)
          sum += shape.at(x, y) * shape.at(x + lag.x, y + lag.y);
      result.push_back(sum);
    }
    return result;
  }
};

/// Fits scale * correlation + level to the measured autocorrelation: for a shape, the best scale and level, and what
/// they leave.
struct Misfit {
  std::vector<double> left;
  double square = 0, scale = 0;

  Misfit(const MoffatModel& model, const std::vector<CrowdLag>& lags, int half, const std::vector<double>& measured)
      : left(measured.size()) {
    const std::vector<double> of_star = model.correlation(lags, half);
    const auto n = static_cast<double>(lags.size());
    double a = 0, b = 0, aa = 0, ab = 0;
    for (std::size_t k = 0; k < lags.size(); ++k) {
      a += of_star[k] / n;
      b += measured[k] / n;
    }
    for (std::size_t k = 0; k < lags.size(); ++k) {
      aa += (of_star[k] - a) * (of_star[k] - a);
      ab += (of_star[k] - a) * (measured[k] - b);
    }
    scale = aa > 0 ? ab / aa : 0;
    for (std::size_t k = 0; k < lags.size(); ++k) {
      left[k] = measured[k] - b - scale * (of_star[k] - a);
      square += left[k] * left[k];
    }
  }
};

/// The normal equations of a step of the fit, with slopes by differences.
struct FitStep {
  SymmetricMatrix matrix{MoffatModel::numbers};
  std::array<std::vector<double>, MoffatModel::numbers> slopes;

  FitStep(const MoffatModel& at, const std::vector<CrowdLag>& lags, int half, const std::vector<double>& measured,
          const Misfit& misfit) {
    constexpr double step = 1e-3;
    for (std::size_t i = 0; i < MoffatModel::numbers; ++i) {
      MoffatModel beside = at;
      beside.of[i] += step;
      slopes[i] = Misfit(beside, lags, half, measured).left;
      for (std::size_t k = 0; k < lags.size(); ++k) slopes[i][k] = (misfit.left[k] - slopes[i][k]) / step;
    }
    for (std::size_t i = 0; i < MoffatModel::numbers; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        for (std::size_t k = 0; k < lags.size(); ++k) matrix.at(i, j) += slopes[i][k] * slopes[j][k];
  }

  /// Returns the model changed by a step towards what `left` leaves; no value if the equations have no solution.
  std::optional<MoffatModel> step(MoffatModel model, const std::vector<double>& left, double damping) const {
    constexpr double most_step = 0.3;
    double right[MoffatModel::numbers] = {};
    for (std::size_t i = 0; i < MoffatModel::numbers; ++i)
      for (std::size_t k = 0; k < left.size(); ++k) right[i] += slopes[i][k] * left[k];
    SymmetricMatrix damped = matrix;
    for (std::size_t i = 0; i < MoffatModel::numbers; ++i) damped.at(i, i) *= 1 + damping;
    if (!factorise(damped)) return std::nullopt;
    solve(damped, right);
    for (std::size_t i = 0; i < MoffatModel::numbers; ++i) model.of[i] += std::clamp(right[i], -most_step, most_step);
    model.of[1] = std::clamp(model.of[1], MoffatModel::least_inverse, MoffatModel::most_inverse);
    return model;
  }
};

/// Fits the profile by least squares (Levenberg 1944, Marquardt 1963).
std::optional<MoffatModel> fit_profile(MoffatModel now, const std::vector<CrowdLag>& lags, int half,
                                       const std::vector<double>& measured) {
  constexpr int rounds = 40;
  constexpr double least_damping = 1e-9, most_damping = 1e6, enough = 1e-7;
  Misfit misfit(now, lags, half, measured);
  double damping = 1e-3;
  for (int round = 0; round < rounds; ++round) {
    const FitStep step(now, lags, half, measured, misfit);
    bool ends = true;
    for (; damping < most_damping; damping *= 10) {
      const std::optional<MoffatModel> next = step.step(now, misfit.left, damping);
      if (!next) return std::nullopt;
      if (!next->is_profile()) continue;
      const Misfit then(*next, lags, half, measured);
      if (!(then.square < misfit.square && then.scale > 0)) continue;
      ends = misfit.square - then.square < enough * misfit.square;
      now = *next;
      misfit = then;
      damping = std::max(damping / 10, least_damping);
      break;
    }
    if (ends) break;
  }
  return misfit.scale > 0 ? std::optional(now) : std::nullopt;
}

/// Returns the autocorrelation of all tiles but those of group `without`.
std::vector<double> correlation_of(const std::vector<LagSums>& sums, std::size_t without) {
  std::vector<double> result(sums[0].product.size(), 0), count(result.size(), 0);
  for (std::size_t g = 0; g < sums.size(); ++g) {
    if (g == without) continue;
    for (std::size_t k = 0; k < result.size(); ++k) {
      result[k] += sums[g].product[k];
      count[k] += sums[g].count[k];
    }
  }
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = count[k] > 0 ? result[k] / count[k] : 0;
  return result;
}

/// Returns the flux of a star of the shape `truth` that is measured by the shape `model`, as a fraction of its flux.
double flux_of(const Square& truth, const Square& model) {
  double product = 0, square = 0;
  for (std::size_t i = 0; i < truth.values.size(); ++i) {
    product += truth.values[i] * model.values[i];
    square += model.values[i] * model.values[i];
  }
  return product / square;
}

/// Returns the relative error of fluxes that are measured by the fitted shape: the jackknife's, where each group of
/// tiles in turn is left out. One step of the fit from its end gives the shape without a group.
double scale_error_of(const MoffatModel& fitted, const Square& shape, const std::vector<CrowdLag>& lags, int half,
                      const std::vector<LagSums>& sums) {
  const std::vector<double> measured = correlation_of(sums, sums.size());
  const FitStep step(fitted, lags, half, measured, Misfit(fitted, lags, half, measured));
  std::vector<double> parts;
  double mean = 0, square = 0;
  const auto count = static_cast<double>(sums.size());
  for (std::size_t g = 0; g < sums.size(); ++g) {
    const Misfit without(fitted, lags, half, correlation_of(sums, g));
    const std::optional<MoffatModel> part = step.step(fitted, without.left, 0);
    parts.push_back(part && part->is_profile() ? flux_of(shape, part->values(shape.half)) : 0);
    mean += parts.back() / count;
  }
  for (const double part : parts) square += (part - mean) * (part - mean);
  return std::sqrt(square * (count - 1) / count);
}

}  // namespace

std::optional<CrowdProfile> profile_of_crowd(const LevelledFrame& frame, double fwhm, int half, const Cpu& where) {
  const auto [width, height] = frame.image.shape;
  const std::vector<CrowdLag> lags = lags_within(lag_reach * fwhm);
  const std::int64_t side = std::clamp(std::max(width, height) / 4, least_tile_side, most_tile_side);
  const std::int64_t across = (width + side - 1) / side, down = (height + side - 1) / side;
  const std::int64_t step = (across * down + most_tiles - 1) / most_tiles;
  std::vector<std::int64_t> tiles;
  for (std::int64_t tile = 0; tile < across * down; tile += step) tiles.push_back(tile);
  const LagSums none{std::vector<double>(lags.size(), 0), std::vector<double>(lags.size(), 0)};
  std::vector<LagSums> of_tiles(tiles.size(), none);
  const auto grow = static_cast<std::int64_t>(std::ceil(grow_reach * fwhm));
  parallel_for(std::ssize(tiles), 1, where, [&, across = across](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      CrowdTile(frame, tiles[i] % across * side, tiles[i] / across * side, side, grow).add_to(lags, of_tiles[i]);
  });
  std::vector<LagSums> sums(std::min(most_groups, tiles.size()), none);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    for (std::size_t k = 0; k < lags.size(); ++k) {
      sums[i % sums.size()].product[k] += of_tiles[i].product[k];
      sums[i % sums.size()].count[k] += of_tiles[i].count[k];
    }
  }
  const int model_half = std::min(static_cast<int>(std::ceil(model_reach * fwhm)), most_model_half);
  constexpr double usual_beta = 3;
  const MoffatModel usual{{portable_log(fwhm), 1 / usual_beta, 0, 0}};
  const std::optional<MoffatModel> fitted = fit_profile(usual, lags, model_half, correlation_of(sums, sums.size()));
  // blends widen the estimate, but nothing makes it too narrow
  constexpr double widest = 1.25, narrowest = 0.5;
  if (!fitted || fitted->fwhm() > widest * fwhm || fitted->fwhm() < narrowest * fwhm) return std::nullopt;
  const Square shape = fitted->values(half);
  return CrowdProfile{fitted->fwhm(), scale_error_of(*fitted, shape, lags, model_half, sums), shape};
}

}  // namespace srcextract
