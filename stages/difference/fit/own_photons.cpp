#include "stages/difference/fit/own_photons.hpp"

#include <algorithm>
#include <cmath>

namespace srcextract {
namespace {

/// Half width of the square in which a Moffat profile is computed, in FWHM. Less than 1 % of the light is outside.
constexpr double moffat_reach = 3;

/// Returns the mean of the 3 x 3 values around (x, y).
double mean_around(const Square& square, int x, int y) {
  double sum = 0;
  for (int j = y - 1; j <= y + 1; ++j)
    for (int i = x - 1; i <= x + 1; ++i) sum += square.at(i, j);
  return sum / 9;
}

/// The contribution to sum(f d) of a photon at (x, y) of the frame to convolve, which the kernel spreads over many
/// pixels: the sum of the pixels' contributions, and the sum of their squares.
struct Spread {
  double sum = 0, squares = 0;
};

Spread spread_of(const Square& filter, const Square& kernel, int x, int y) {
  Spread spread;
  for (int v = std::max(-filter.half, y - kernel.half); v <= std::min(filter.half, y + kernel.half); ++v) {
    for (int u = std::max(-filter.half, x - kernel.half); u <= std::min(filter.half, x + kernel.half); ++u) {
      const double part = filter.at(u, v) * kernel.at(u - x, v - y);
      spread.sum += part;
      spread.squares += part * part;
    }
  }
  return spread;
}

/// Returns the correlation of `square` with a covariance, divided by the variance, at (x, y).
double shared_at(const Square& square, const Square* covariance, int x, int y) {
  if (covariance == nullptr) return square.at(x, y);
  const int half = covariance->half;
  double sum = 0;
  for (int v = -half; v <= half; ++v)
    for (int u = -half; u <= half; ++u) sum += covariance->at(u, v) * square.at(x + u, y + v);
  return sum / covariance->at(0, 0);
}

}  // namespace

OwnPhotons own_photons(const Square& filter, const Square& shape, const Square& sharp, const DifferenceNoise& noise,
                       double counted) {
  const Square& kernel = noise.kernel;
  Square spreads{filter.half + kernel.half, {}};
  for (int y = -spreads.half; y <= spreads.half; ++y)
    for (int x = -spreads.half; x <= spreads.half; ++x) spreads.values.push_back(spread_of(filter, kernel, x, y).sum);
  const double factor = noise.convolved_factor();
  double scale = 0;
  OwnPhotons own;
  for (int y = -filter.half; y <= filter.half; ++y) {
    for (int x = -filter.half; x <= filter.half; ++x) {
      const double f = filter.at(x, y), p = shape.at(x, y);
      scale += f * p;
      own.counted_of_other += f * f * mean_around(shape, x, y);
      own.of_other += f * f * (p - mean_around(shape, x, y)) + f * p * (shared_at(filter, noise.of_white, x, y) - f);
    }
  }
  for (int y = -sharp.half; y <= sharp.half; ++y) {
    for (int x = -sharp.half; x <= sharp.half; ++x) {
      const double said = mean_around(sharp, x, y) * counted * spread_of(filter, kernel, x, y).squares;
      const double shared = shared_at(spreads, noise.of_convolved, x, y) / factor;
      own.counted_of_convolved += said;
      own.of_convolved += sharp.at(x, y) * spreads.at(x, y) * shared - said;
    }
  }
  if (!(scale > 0)) return {};
  for (double* sum : {&own.of_other, &own.of_convolved, &own.counted_of_other, &own.counted_of_convolved})
    *sum /= scale * scale;
  return own;
}

Square moffat_of(double fwhm) {
  constexpr double cube_root_of_2 = 1.25992104989487316477;
  const double alpha_square = fwhm * fwhm / 4 / (cube_root_of_2 - 1);
  Square square{static_cast<int>(std::ceil(moffat_reach * fwhm)), {}};
  double sum = 0;
  for (int y = -square.half; y <= square.half; ++y) {
    for (int x = -square.half; x <= square.half; ++x) {
      const double base = 1 + static_cast<double>(x * x + y * y) / alpha_square;
      square.values.push_back(1 / (base * base * base));
      sum += square.values.back();
    }
  }
  for (double& value : square.values) value /= sum;
  return square;
}

}  // namespace srcextract
