#include "stages/difference/fit/whitening.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>

#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

constexpr int points = 64;
using Complex = std::complex<double>;
using Grid = std::vector<Complex>;

/// Returns exp(-2 pi i k / 64) for k from 0 to 63. Halves the right angle repeatedly, and then multiplies step by step.
/// The functions sin and cos are not used, since their last bits depend on the C library.
std::array<Complex, points> make_turns() {
  double cosine = 0, sine = 1;
  for (int angle = points / 4; angle > 1; angle /= 2) {
    sine = std::sqrt((1 - cosine) / 2);
    cosine = std::sqrt((1 + cosine) / 2);
  }
  std::array<Complex, points> turns;
  turns[0] = 1;
  for (int k = 1; k < points; ++k) {
    const Complex& before = turns[static_cast<std::size_t>(k) - 1];
    turns[static_cast<std::size_t>(k)] = {before.real() * cosine + before.imag() * sine,
                                          before.imag() * cosine - before.real() * sine};
  }
  return turns;
}

/// Returns the complex product without the standard's treatment of infinities, which would be slow.
Complex times(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Fourier-transforms a line of 64 points in place. The points must be in bit-reversed order; transforms of even and
/// odd points are joined step by step (Cooley-Tukey).
void transform_line(Complex* line) {
  static const std::array<Complex, points> turns = make_turns();
  for (int half = 1; half < points; half *= 2) {
    for (int first = 0; first < points; first += 2 * half) {
      for (int k = 0; k < half; ++k) {
        Complex &even = line[first + k], &odd = line[first + half + k];
        const Complex turned = times(odd, turns[static_cast<std::size_t>(std::int64_t{k} * (points / 2 / half))]);
        odd = even - turned;
        even += turned;
      }
    }
  }
}

int reversed(int k) {
  int bits = 0;
  for (int left = points; left > 1; left /= 2, k /= 2) bits = 2 * bits + k % 2;
  return bits;
}

/// Fourier-transforms all rows, and exchanges rows and columns. Two calls make a two-dimensional transform.
Grid transform_rows(const Grid& grid) {
  Grid out(grid.size());
  std::array<Complex, points> line;
  for (int row = 0; row < points; ++row) {
    for (int x = 0; x < points; ++x)
      line[static_cast<std::size_t>(reversed(x))] = grid[static_cast<std::size_t>(std::int64_t{row} * points + x)];
    transform_line(line.data());
    for (int k = 0; k < points; ++k)
      out[static_cast<std::size_t>(std::int64_t{k} * points + row)] = line[static_cast<std::size_t>(k)];
  }
  return out;
}

std::size_t place_of(int x, int y) {
  return static_cast<std::size_t>(std::int64_t{(y + points) % points} * points + (x + points) % points);
}

Grid transform(const Square& square) {
  Grid grid(std::size_t{points} * points);
  for (int y = -square.half; y <= square.half; ++y)
    for (int x = -square.half; x <= square.half; ++x) grid[place_of(x, y)] = square.at(x, y);
  return transform_rows(transform_rows(grid));
}

/// Returns the power spectrum of noise with these covariances, divided by that of independent pixels of the same
/// variance, but at least `least`. The result is 1 everywhere if there are no covariances.
std::vector<double> shared_spectrum(const Square* covariance, double least) {
  std::vector<double> spectrum(std::size_t{points} * points, 1);
  if (covariance == nullptr) return spectrum;
  const Grid grid = transform(*covariance);
  for (std::size_t i = 0; i < grid.size(); ++i) spectrum[i] = std::max(least, grid[i].real() / covariance->at(0, 0));
  return spectrum;
}

/// Returns the power spectrum of the noise, divided by the constant spectrum of independent pixels of the same
/// variance. `least`: least spectrum of the frame that is not convolved.
std::vector<double> spectrum_of(const DifferenceNoise& noise, double least = 0) {
  const double unit = noise.variance_of_pixel();
  const std::vector<double> white = shared_spectrum(noise.of_white, least);
  std::vector<double> spectrum = shared_spectrum(noise.of_convolved, 0);
  const Grid kernel = transform(noise.kernel);
  for (std::size_t i = 0; i < kernel.size(); ++i)
    spectrum[i] =
        (noise.white * white[i] + noise.convolved * spectrum[i] * times(kernel[i], std::conj(kernel[i])).real()) / unit;
  return spectrum;
}

/// Returns the mean of a power spectrum, weighted by the power that a filter lets through; 1 if it lets nothing
/// through.
double mean_through(const Square& filter, const std::vector<double>& spectrum) {
  const Grid grid = transform(filter);
  double correlated = 0, independent = 0;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const double power = times(grid[i], std::conj(grid[i])).real();
    correlated += power * spectrum[i];
    independent += power;
  }
  return independent > 0 ? correlated / independent : 1;
}

}  // namespace

double DifferenceNoise::variance_of_pixel() const {
  double square = 0;
  for (const double value : kernel.values) square += value * value;
  return white + convolved * square * convolved_factor();
}

double DifferenceNoise::convolved_factor() const {
  if (of_convolved == nullptr) return 1;
  return mean_through(kernel, shared_spectrum(of_convolved, 0));
}

std::vector<Square> whiten(const std::vector<Square>& shapes, const DifferenceNoise& noise, int half,
                           const Cpu& where) {
  constexpr double least = 0.1;
  const std::vector<double> spectrum = spectrum_of(noise, least);
  std::vector<Square> filters(shapes.size(), {half, {}});
  parallel_for(std::ssize(shapes), 1, where, [&](std::int64_t begin, std::int64_t end) {
    for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end); ++s) {
      Grid grid = transform(shapes[s]);
      for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = std::conj(grid[i]) / spectrum[i];
      // A transform of the conjugate is the inverse transform, except for a factor; the results are real.
      grid = transform_rows(transform_rows(grid));
      for (int y = -half; y <= half; ++y)
        for (int x = -half; x <= half; ++x)
          filters[s].values.push_back(grid[place_of(x, y)].real() / (points * points));
    }
  });
  return filters;
}

double correlation_of(const Square& filter, const DifferenceNoise& noise) {
  return mean_through(filter, spectrum_of(noise));
}

}  // namespace srcextract
