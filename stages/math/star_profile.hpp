#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "stages/core/buffer.hpp"
#include "stages/core/host_device.hpp"
#include "stages/core/image.hpp"
#include "stages/math/field_terms.hpp"

namespace srcextract {

/// Weights of the four nodes around a position on a line, for cubic convolution (Keys 1981, IEEE ASSP 29, 1153, a =
/// -1/2). The position is at the distance `after` (0 to 1) beyond the second node.
struct CubicWeights {
  double of[4];

  SRCEXTRACT_HOST_DEVICE explicit CubicWeights(double after) {
    const double t = after, t2 = t * t, t3 = t2 * t;
    of[0] = -0.5 * t3 + t2 - 0.5 * t;
    of[1] = 1.5 * t3 - 2.5 * t2 + 1;
    of[2] = -1.5 * t3 + 2 * t2 + 0.5 * t;
    of[3] = 0.5 * t3 - 0.5 * t2;
  }
};

/// A square of (2 half + 1)^2 nodes, each of which is a polynomial over the field. The coefficients of one term are
/// stored together, row by row. Outside of the square everything is 0.
struct FieldSquare {
  const float* values = nullptr;
  int half = 0, terms = 0;

  bool operator==(const FieldSquare&) const = default;

  SRCEXTRACT_HOST_DEVICE int side() const { return 2 * half + 1; }

  /// The value of node (column, row), both from -half to half, where the polynomials have the terms `at`.
  SRCEXTRACT_HOST_DEVICE double node(std::int64_t column, std::int64_t row, const FieldTerms& at) const {
    if (column < -half || column > half || row < -half || row > half) return 0;
    const int taps = side() * side();
    const float* const first = values + (row + half) * side() + column + half;
    double sum = 0;
    for (int k = 0; k < terms; ++k) sum += at.value[k] * static_cast<double>(first[std::int64_t{k} * taps]);
    return sum;
  }
};

/// A star's position relative to the image's pixels, with the weights by which a profile's nodes are interpolated at
/// every pixel.
struct Placement {
  std::int64_t x, y;  ///< pixel at or before the place
  CubicWeights along_x, along_y;

  SRCEXTRACT_HOST_DEVICE Placement(double at_x, double at_y)
      : x(static_cast<std::int64_t>(std::floor(at_x))),
        y(static_cast<std::int64_t>(std::floor(at_y))),
        along_x(1 - (at_x - std::floor(at_x))),
        along_y(1 - (at_y - std::floor(at_y))) {}

  /// The value of the interpolated square at a pixel, if the square's middle is at the star's position.
  SRCEXTRACT_HOST_DEVICE double value(const FieldSquare& square, std::int64_t pixel_x, std::int64_t pixel_y,
                                      const FieldTerms& at) const {
    double sum = 0;
    for (int j = 0; j < 4; ++j) {
      double row = 0;
      for (int i = 0; i < 4; ++i) row += along_x.of[i] * square.node(pixel_x - x - 2 + i, pixel_y - y - 2 + j, at);
      sum += along_y.of[j] * row;
    }
    return sum;
  }
};

/// Photon variance of a star's flux, per count of the flux in one frame of a difference, in units of the variance of a
/// sky pixel.
struct StarPhotons {
  double left_out = 0;  ///< the part that the noise of pixels leaves out
  double counted = 0;   ///< the part that the noise of pixels contains; 0: not known

  bool operator==(const StarPhotons&) const = default;
};

/// The shape of a star in an image, and the filter that finds stars best in its noise; for the memory of host or
/// device.
struct StarView {
  FieldSquare light;   ///< of a star of flux 1
  FieldSquare filter;  ///< its middle node multiplies the pixel at the star's position
  double width = 0, height = 0;
  double correlation = 1;            ///< variance of the filtered sky, divided by that for independent pixels
  double correlation_of_excess = 1;  ///< the same ratio for variance beyond the noise of the sky
  /// for light in the frame that is brighter in a positive change, and in the other
  StarPhotons brighter = {}, fainter = {};
  double photons_of_new = 0, photons_of_reference = 0;  ///< left out of noise_of_new and noise_of_reference
  const float* reference = nullptr;                     ///< StarFrames; null: they are not kept
  const float *noise_of_new = nullptr, *noise_of_reference = nullptr;
  double sign = 1;  ///< -1 if the image is reference - new

  bool operator==(const StarView&) const = default;

  SRCEXTRACT_HOST_DEVICE FieldTerms at(double x, double y) const { return {x, y, width, height}; }
};

/// Contributions of both frames of a difference, pixel by pixel. `reference`: the reference above its sky as it was
/// subtracted, in counts of the difference. The noises: variance of either frame alone, for sums over a star, in units
/// of FluxCalibration::pixel. Empty: not asked for.
template <class Where>
struct StarFrames {
  Image<float, Where> reference, noise_of_new, noise_of_reference;
};

/// Owns the values to which a StarView points.
template <class Where>
struct StarProfile {
  StarView sizes;                ///< without its pointers
  Buffer<float, Where> values;   ///< values of the light, then of the filter; empty: shape unknown
  std::vector<float> in_middle;  ///< values of the filter in the middle of the field, row by row
  StarFrames<Where> frames = {};

  bool empty() const { return values.empty(); }
  /// Exchanges `brighter` and `fainter`, and turns `sign`. Call it when the image is negated.
  void turn() {
    if (empty()) return;
    std::swap(sizes.brighter, sizes.fainter);
    sizes.sign = -sizes.sign;
  }
  /// Multiplies the photons that the noise of pixels leaves out. Call it when the variance of a sky pixel, the unit of
  /// variances, is divided by the factor. The photons that the noise of pixels contains stay unchanged.
  void scale_photons(double factor) {
    for (double* photons :
         {&sizes.brighter.left_out, &sizes.fainter.left_out, &sizes.photons_of_new, &sizes.photons_of_reference})
      *photons *= factor;
  }
  StarView view() const {
    StarView all = sizes;
    if (empty()) return all;
    all.light.values = values.data();
    all.filter.values = values.data() + std::int64_t{all.light.terms} * all.light.side() * all.light.side();
    if (frames.reference.pixels.empty()) return all;
    all.reference = frames.reference.pixels.data();
    all.noise_of_new = frames.noise_of_new.pixels.data();
    all.noise_of_reference = frames.noise_of_reference.pixels.data();
    return all;
  }
};

}  // namespace srcextract
