#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The model of a PSF: the light of a star of flux 1, as pixels of a mask that is finer or coarser than the image's
/// pixels. Each pixel of the mask is a polynomial of the star's position. Host and device use the same numbers.
///
/// Numbers of a model, in this order (stages/settings/psf_numbers.cpp writes them):
/// - a head of `head` numbers, which PsfModel reads on the host;
/// - the exponents of each term, most_dimensions for each;
/// - the planes of the light, one per term; then the planes of the light convolved with a disk (SPREAD_MODEL).
///
/// A plane is stored column by column, so that the pixels of a column are consecutive. It has plane() numbers, with
/// zeros at its end.
struct PsfModel {
  static constexpr int head = 32, most_dimensions = 4, most_terms = 64, taps = 8;

  int columns = 0, rows = 0;  ///< of the mask; 0: there is no model
  int terms = 0, dimensions = 0;
  double step = 1;                     ///< side of a mask pixel in pixels of the image
  double fwhm = 0;                     ///< full width at half maximum that the file gives
  int of_y[most_dimensions] = {};      ///< 1: the dimension is y, 0: x
  double zero[most_dimensions] = {};   ///< t = (place - zero) / scale, with places from 1
  double scale[most_dimensions] = {};  ///< 0: t is 0
  const double* numbers = nullptr;     ///< in the memory of the back end

  PsfModel() = default;
  /// Reads the head of a model's numbers, which are on the host.
  explicit PsfModel(const double* on_host) : numbers(on_host) {
    columns = static_cast<int>(on_host[0]);
    rows = static_cast<int>(on_host[1]);
    terms = static_cast<int>(on_host[2]);
    dimensions = static_cast<int>(on_host[3]);
    step = on_host[4];
    fwhm = on_host[5];
    for (int d = 0; d < dimensions; ++d) {
      of_y[d] = static_cast<int>(on_host[6 + 3 * d]);
      zero[d] = on_host[7 + 3 * d];
      scale[d] = on_host[8 + 3 * d];
    }
  }

  SRCEXTRACT_HOST_DEVICE bool known() const { return columns > 0; }

  /// Rounds a count up to a multiple of 16, so that blocks of 16 numbers never pass the end.
  static constexpr SRCEXTRACT_HOST_DEVICE int padded(int count) { return (count + 15) / 16 * 16; }
  SRCEXTRACT_HOST_DEVICE int plane() const { return padded(columns * rows) + 16; }
  SRCEXTRACT_HOST_DEVICE const double* exponents() const { return numbers + head; }
  SRCEXTRACT_HOST_DEVICE const double* light() const { return exponents() + std::int64_t{terms} * most_dimensions; }
  SRCEXTRACT_HOST_DEVICE const double* spread() const { return light() + std::int64_t{terms} * plane(); }
  static std::int64_t count_of(int columns, int rows, int terms) {
    return head + std::int64_t{terms} * (most_dimensions + 2 * (padded(columns * rows) + 16));
  }

  /// Column and row of the mask's middle pixel, which lies at the star's position.
  SRCEXTRACT_HOST_DEVICE int middle_x() const { return columns / 2; }
  SRCEXTRACT_HOST_DEVICE int middle_y() const { return rows / 2; }

  /// Largest number of columns and rows of the image that the mask may cover.
  SRCEXTRACT_HOST_DEVICE int wide() const { return static_cast<int>((columns - 1) * step) + 2; }
  SRCEXTRACT_HOST_DEVICE int high() const { return static_cast<int>((rows - 1) * step) + 2; }

  /// The value of a term of the polynomial for a star at (x, y), counted from 1.
  SRCEXTRACT_HOST_DEVICE double term(int which, double x, double y) const {
    double product = 1;
    for (int d = 0; d < dimensions; ++d) {
      const double t = scale[d] != 0 ? ((of_y[d] != 0 ? y : x) - zero[d]) / scale[d] : 0;
      const int power = static_cast<int>(exponents()[which * most_dimensions + d]);
      for (int i = 0; i < power; ++i) product *= t;
    }
    return product;
  }
};

/// sin(t) for |t| <= pi / 2 from its series, within 2.3e-16, with the same bits everywhere.
SRCEXTRACT_HOST_DEVICE inline double portable_sin(double t) {
  const double square = t * t;
  double sum = 1;
  for (int k = 21; k >= 3; k -= 2) sum = 1 - sum * square / (k * (k - 1));
  return t * sum;
}

/// Computes the 8 weights of the Lanczos kernel at a position on a line of `size` pixels, counted from 0, and returns
/// the first pixel that they belong to. Weights beyond the line are 0, and the sum of the others is 1 (SExtractor's
/// resampling of a PSF).
SRCEXTRACT_HOST_DEVICE inline int lanczos_taps(double place, int size, double* weight) {
  constexpr double pi = 3.14159265358979323846, half_root = 0.70710678118654752440;
  constexpr double cosines[4] = {1, half_root, 0, -half_root}, sines[4] = {0, half_root, 1, half_root};
  constexpr double at_middle = 1e-5;
  const auto below = static_cast<int>(std::floor(place));
  const double after = place - below;
  const double sine = portable_sin(pi * (after <= 0.5 ? after : 1 - after));  // sin(pi after)
  const double of_quarter = portable_sin(pi / 4 * after), to_quarter = portable_sin(pi / 4 * (2 - after));
  int first = below - 3;
  if (first > size - PsfModel::taps) first = size - PsfModel::taps;
  if (first < 0) first = 0;
  double sum = 0;
  for (int i = 0; i < PsfModel::taps; ++i) {
    const int k = first + i - below;  // a tap at k - after
    weight[i] = 0;
    if (k < -3 || k > 4) continue;
    const double t = k - after;
    const int octant = k < 0 ? -k : k == 4 ? 0 : k;
    const double in_sine = (k < 0 ? -sines[octant] : k == 4 ? 0 : sines[octant]);
    const double in_cosine = k == 4 ? -1 : cosines[octant];
    // sin(pi t) and sin(pi t / 4), from the sines and cosines of sums of angles.
    const double fast = k % 2 == 0 ? -sine : sine, slow = in_sine * to_quarter - in_cosine * of_quarter;
    weight[i] = t < at_middle && t > -at_middle ? 1 : 4 * fast * slow / (pi * pi * t * t);
    sum += weight[i];
  }
  const double factor = sum > 0 ? 1 / sum : 1;
  for (int i = 0; i < PsfModel::taps; ++i) weight[i] *= factor;
  return first;
}

}  // namespace srcextract
