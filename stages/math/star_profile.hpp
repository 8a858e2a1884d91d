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

/// Weights for interpolation between four consecutive nodes of a line by cubic convolution (Keys 1981, IEEE ASSP 29,
/// 1153, a = -1/2). The position is `after`, from 0 to 1, beyond the second node.
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

/// A square of (2 half + 1)^2 nodes (samples of a function at distances of 1 pixel). Each node is a polynomial over the
/// field (FieldTerms) with `terms` coefficients. The coefficients of one term are stored together, row by row. Outside
/// the square the function is 0.
struct FieldSquare {
  const float* values = nullptr;
  int half = 0, terms = 0;

  bool operator==(const FieldSquare&) const = default;

  SRCEXTRACT_HOST_DEVICE int side() const { return 2 * half + 1; }

  /// The value of node (column, row), both from -half to half, at the position in the image for which `at` was made.
  SRCEXTRACT_HOST_DEVICE double node(std::int64_t column, std::int64_t row, const FieldTerms& at) const {
    if (column < -half || column > half || row < -half || row > half) return 0;
    const int taps = side() * side();
    const float* const first = values + (row + half) * side() + column + half;
    double sum = 0;
    for (int k = 0; k < terms; ++k) sum += at.value[k] * static_cast<double>(first[std::int64_t{k} * taps]);
    return sum;
  }
};

/// A star's position relative to the image's pixels, and the weights that interpolate a FieldSquare at every image
/// pixel.
struct Placement {
  std::int64_t x, y;  ///< pixel at or before the position
  CubicWeights along_x, along_y;

  SRCEXTRACT_HOST_DEVICE Placement(double at_x, double at_y)
      : x(static_cast<std::int64_t>(std::floor(at_x))),
        y(static_cast<std::int64_t>(std::floor(at_y))),
        along_x(1 - (at_x - std::floor(at_x))),
        along_y(1 - (at_y - std::floor(at_y))) {}

  /// Returns the value of the square at an image pixel, interpolated, when the middle of the square is at the star's
  /// position.
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

/// The variance that a star's own photons add to its fitted flux, per count of light in one input image of a
/// difference, in units of the variance of a sky pixel. The map of noise per pixel (Pixels::noise) can contain a part
/// of this variance.
struct StarPhotons {
  double left_out = 0;  ///< the part that the noise map does not contain
  double counted = 0;   ///< the part that the noise map contains; 0: none, or unknown

  bool operator==(const StarPhotons&) const = default;
};

/// The shape of a star in an image, and the filter that detects stars best in the image's noise. A StarView owns
/// nothing; its pointers are to memory of the host or of the GPU.
struct StarView {
  FieldSquare light;   ///< image of a star of flux 1
  FieldSquare filter;  ///< weights of the pixels about a star; the middle node is the weight of the pixel at the star's
                       ///< position
  double width = 0, height = 0;
  double scale_error = 0;            ///< relative error that all fluxes measured by this shape share
  double correlation = 1;            ///< variance of the filtered sky, divided by its value if pixels were independent
  double correlation_of_excess = 1;  ///< the same ratio for pixel variance in excess of the sky's variance
  /// photon variance from light in the input image that is brighter where the difference is positive, and from light in
  /// the other input image
  StarPhotons brighter = {}, fainter = {};
  /// The left-out photon variance (StarPhotons) of each input image, with respect to noise_of_new and
  /// noise_of_reference.
  double photons_of_new = 0, photons_of_reference = 0;
  const float* reference = nullptr;  ///< the images of StarFrames; null if StarFrames is empty
  const float *noise_of_new = nullptr, *noise_of_reference = nullptr;
  double sign = 1;  ///< 1 if the image is new - reference, -1 if it is reference - new

  bool operator==(const StarView&) const = default;

  SRCEXTRACT_HOST_DEVICE FieldTerms at(double x, double y) const { return {x, y, width, height}; }
  /// Returns the variance of a flux by the error of the shape, in units of `unit`, the variance of a sky pixel.
  SRCEXTRACT_HOST_DEVICE double variance_of_shape(double flux, double unit) const {
    return unit > 0 ? scale_error * flux * (scale_error * flux) / unit : 0;
  }
};

/// Contributions of the two input images of a difference, pixel by pixel. `reference` is the reference image minus its
/// sky, as it was subtracted, in counts of the difference. noise_of_new and noise_of_reference are the variances that
/// each input image contributes to sums over a star, in units of FluxCalibration::pixel. All images are empty if no
/// column needs them.
template <class Where>
struct StarFrames {
  Image<float, Where> reference, noise_of_new, noise_of_reference;
};

template <class Where>
struct StarProfile {
  StarView sizes;               ///< the profile's StarView with null pointers; view() sets them
  Buffer<float, Where> values;  ///< coefficients of the light, then of the filter; empty if the star's shape is unknown
  std::vector<float> in_middle;  ///< the filter's nodes in the middle of the image, row by row
  StarFrames<Where> frames = {};

  bool empty() const { return values.empty(); }
  /// Adapts the profile to the negated image: exchanges `brighter` and `fainter`, and negates `sign`.
  void turn() {
    if (empty()) return;
    std::swap(sizes.brighter, sizes.fainter);
    sizes.sign = -sizes.sign;
  }
  /// Multiplies the left-out photon variances by `factor`. Call this function when the variance of a sky pixel, which
  /// is the unit of these variances, is divided by `factor`. StarPhotons::counted stays unchanged.
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
