#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "stages/core/host_device.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {

/// A PSF model: the image of a star of flux 1. The model has its own square pixels, `step` image pixels wide, in a grid
/// called the mask. Each mask pixel is a polynomial of the star's position. Host and GPU use the same array of numbers.
///
/// The array contains, in this order (written by stages/settings/psf_numbers.cpp):
/// - `head` numbers that the PsfModel constructor reads on the host;
/// - the exponents of each term, most_dimensions numbers per term;
/// - the coefficients of the star image, one plane per term (light());
/// - the same planes convolved with a disk, for SPREAD_MODEL (spread()).
///
/// A plane holds one coefficient per mask pixel, column by column, so that the pixels of a column are consecutive. A
/// plane has plane() numbers; the numbers after the last mask pixel are zero.
struct PsfModel {
  static constexpr int head = 32, most_dimensions = 4, most_terms = 64, taps = 8;

  int columns = 0, rows = 0;  ///< size of the mask; 0 if there is no model
  int terms = 0, dimensions = 0;
  double step = 1;                     ///< side of a mask pixel, in image pixels
  double fwhm = 0;                     ///< full width at half maximum as given in the PSF file, in image pixels
  int of_y[most_dimensions] = {};      ///< 1 if the polynomial's variable is y, 0 if it is x
  double zero[most_dimensions] = {};   ///< offset of t = (position - zero) / scale, in pixels from 1
  double scale[most_dimensions] = {};  ///< divisor of t; 0 means that t is always 0
  const double* numbers = nullptr;     ///< the array described above, on the host or on the GPU

  PsfModel() = default;
  /// Reads the head of the array, which must be on the host.
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

  /// Rounds a count up to a multiple of 16, so that code may read 16 numbers at a time without passing the array's end.
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

  /// Largest number of image columns (wide) and image rows (high) that the mask can cover.
  SRCEXTRACT_HOST_DEVICE int wide() const { return static_cast<int>((columns - 1) * step) + 2; }
  SRCEXTRACT_HOST_DEVICE int high() const { return static_cast<int>((rows - 1) * step) + 2; }

  /// The value of term `which` of the polynomial for a star at (x, y), in pixel coordinates from 1.
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

/// Computes the 8 weights with which SExtractor interpolates a PSF at `place` on a line of `size` >= 8 pixels, counted
/// from 0 (Lanczos-4, sum 1). Returns the first pixel. All 8 pixels are on the line; pixels that the kernel does not
/// reach have weight 0.
SRCEXTRACT_HOST_DEVICE inline int lanczos_taps(double place, int size, double* weight) {
  using std::numbers::pi;
  constexpr double half_root = 0.70710678118654752440;
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
    const int k = first + i - below;  // offset of this pixel from pixel `below`
    weight[i] = 0;
    if (k < -3 || k > 4) continue;
    const double t = k - after;
    const int octant = k < 0 ? -k : k == 4 ? 0 : k;
    const double in_sine = (k < 0 ? -sines[octant] : k == 4 ? 0 : sines[octant]);
    const double in_cosine = k == 4 ? -1 : cosines[octant];
    // fast is sin(pi t), slow is sin(pi t / 4). Both are derived from three sines by the addition theorems.
    const double fast = k % 2 == 0 ? -sine : sine, slow = in_sine * to_quarter - in_cosine * of_quarter;
    weight[i] = t < at_middle && t > -at_middle ? 1 : 4 * fast * slow / (pi * pi * t * t);
    sum += weight[i];
  }
  const double factor = sum > 0 ? 1 / sum : 1;
  for (int i = 0; i < PsfModel::taps; ++i) weight[i] *= factor;
  return first;
}

}  // namespace srcextract
