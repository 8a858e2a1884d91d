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

/// Weights of the four nodes around a place on a line, for cubic convolution (Keys 1981, IEEE ASSP 29, 1153, a = -1/2).
/// The place is `after` beyond the second node, from 0 to 1.
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

/// A square of 2 half + 1 nodes a side, each a polynomial over the field: the coefficients of a term lie together, row
/// by row. Beyond the square everything is 0.
struct FieldSquare {
  const float* values = nullptr;
  int half = 0, terms = 0;

  bool operator==(const FieldSquare&) const = default;

  SRCEXTRACT_HOST_DEVICE int side() const { return 2 * half + 1; }

  /// Node (column, row), from -half to half.
  SRCEXTRACT_HOST_DEVICE double node(std::int64_t column, std::int64_t row, const FieldTerms& at) const {
    if (column < -half || column > half || row < -half || row > half) return 0;
    const int taps = side() * side();
    const float* const first = values + (row + half) * side() + column + half;
    double sum = 0;
    for (int k = 0; k < terms; ++k) sum += at.value[k] * static_cast<double>(first[std::int64_t{k} * taps]);
    return sum;
  }
};

/// How the pixels of an image lie between the nodes around a place: the same for all pixels.
struct Placement {
  std::int64_t x, y;  ///< pixel at or before the place
  CubicWeights along_x, along_y;

  SRCEXTRACT_HOST_DEVICE Placement(double at_x, double at_y)
      : x(static_cast<std::int64_t>(std::floor(at_x))),
        y(static_cast<std::int64_t>(std::floor(at_y))),
        along_x(1 - (at_x - std::floor(at_x))),
        along_y(1 - (at_y - std::floor(at_y))) {}

  /// The square at a pixel, if its middle is at the place.
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

/// Variance by the photons of a star, for each count of its flux in one frame of a difference, in units of the variance
/// of a sky pixel.
struct StarPhotons {
  double left_out = 0;  ///< what the noise of pixels leaves out
  double counted = 0;   ///< what it has; 0: not known

  bool operator==(const StarPhotons&) const = default;
};

/// The shape of a star in an image, and the filter that finds stars best in its noise, for the memory of either side.
struct StarView {
  FieldSquare light;   ///< of a star of flux 1
  FieldSquare filter;  ///< its middle multiplies the pixel of the star
  double width = 0, height = 0;
  double correlation = 1;            ///< variance of the filtered sky, relative to that of a sky of independent pixels
  double correlation_of_excess = 1;  ///< the same of what pixels have beyond the noise of the sky
  StarPhotons brighter = {}, fainter = {};  ///< in the frame where a positive change has more light, and in the other
  double photons_of_new = 0, photons_of_reference = 0;  ///< the same beyond noise_of_new and noise_of_reference
  const float* reference = nullptr;                     ///< StarFrames; null: they are not kept
  const float *noise_of_new = nullptr, *noise_of_reference = nullptr;
  double sign = 1;  ///< -1 if the image is reference - new

  bool operator==(const StarView&) const = default;

  SRCEXTRACT_HOST_DEVICE FieldTerms at(double x, double y) const { return {x, y, width, height}; }
};

/// The frames of a difference, pixel by pixel, in its counts: the reference above its sky as it was subtracted, and the
/// noise of either frame alone for sums over a star, in units of FluxCalibration::pixel. Empty: not asked for.
template <class Where>
struct StarFrames {
  Image<float, Where> reference, noise_of_new, noise_of_reference;
};

/// Owns what StarView shows.
template <class Where>
struct StarProfile {
  StarView sizes;                ///< without its pointers
  Buffer<float, Where> values;   ///< of the light, then of the filter; empty: the shape is not known
  std::vector<float> in_middle;  ///< the filter in the middle of the field, row by row
  StarFrames<Where> frames = {};

  bool empty() const { return values.empty(); }
  /// Call it when the image is negated.
  void turn() {
    if (empty()) return;
    std::swap(sizes.brighter, sizes.fainter);
    sizes.sign = -sizes.sign;
  }
  /// Call it when the variance of a sky pixel, the unit of variances, is divided by the factor. What the noise of
  /// pixels has stays, as that noise does.
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
