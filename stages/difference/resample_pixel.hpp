#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/core/pixel_map.hpp"

namespace srcextract {

/// A position in an image, in pixels. The centre of the first pixel has the coordinates (0, 0).
struct Position {
  double x, y;
};

/// Pointers to the nodes of a PixelMap, in the memory of host or device.
struct MapView {
  std::int64_t nodes_per_row;
  const double* x;
  const double* y;
};

/// The positions in the image that a PixelMap gives for both ends of a piece of a row: the pixels between two columns
/// of nodes.
struct MapPiece {
  Position left, right;

  /// Returns the position of the pixel that is `column` columns to the right of the left node, by linear interpolation.
  SRCEXTRACT_HOST_DEVICE Position at(std::int64_t column) const {
    const double share = static_cast<double>(column) / PixelMap::step;
    return {left.x + (right.x - left.x) * share, left.y + (right.y - left.y) * share};
  }
};

/// Returns the piece of row y between the columns `node_column` and `node_column` + 1 of the nodes. The positions at
/// the two ends are interpolated linearly between the nodes above and below.
SRCEXTRACT_HOST_DEVICE inline MapPiece piece_of(const MapView& map, std::int64_t node_column, std::int64_t y) {
  const std::int64_t above = y / PixelMap::step * map.nodes_per_row + node_column;
  const std::int64_t below = above + map.nodes_per_row;
  const double share = static_cast<double>(y % PixelMap::step) / PixelMap::step;
  const auto between = [share](const double* node, std::int64_t a, std::int64_t b) {
    return node[a] + (node[b] - node[a]) * share;
  };
  return {{between(map.x, above, below), between(map.y, above, below)},
          {between(map.x, above + 1, below + 1), between(map.y, above + 1, below + 1)}};
}

/// A position along an axis: the index of the pixel at or before the position, and the distance from that pixel, 0 <=
/// fraction < 1. Both are NaN if there is no position.
struct AxisPlace {
  double pixel;
  double fraction;

  SRCEXTRACT_HOST_DEVICE double nearest() const { return fraction >= 0.5 ? pixel + 1 : pixel; }
};

/// A position within this distance, in pixels, of the centre of a pixel is moved to the centre. Without this, weights
/// of lanczos3 would be 0 / 0 at the centre. The distance is far below the alignment error of frames, and above the
/// rounding errors of coordinate transformations.
inline constexpr double on_pixel = 0x1p-20;

SRCEXTRACT_HOST_DEVICE inline AxisPlace place_of(double position) {
  const double before = floor(position);
  const double fraction = position - before;
  const bool on_next = fraction > 1 - on_pixel;
  return {on_next ? before + 1 : before, on_next || fraction < on_pixel ? 0 : fraction};
}

/// The weights of the pixels around a position along one axis, up to a common factor. Weight k is first[k * stride],
/// since the weights of several positions are computed at the same time and stored alternately.
struct Weights {
  const double* first;
  std::int64_t stride;

  SRCEXTRACT_HOST_DEVICE double operator[](int k) const { return first[k * stride]; }
};

struct Bilinear {
  static constexpr int taps = 2;
  static constexpr int before = 0;  ///< number of weighted pixels before AxisPlace::pixel

  SRCEXTRACT_HOST_DEVICE static void weigh(double fraction, double* weight, std::int64_t stride) {
    weight[0] = 1 - fraction;
    weight[stride] = fraction;
  }
};

/// The Lanczos kernel with three lobes on either side: sinc times a window. For a position at the fraction f between
/// pixels 0 and 1, pixel k (-2 to 3) has the distance t = f - k and the weight
///   sinc(t) sinc(t / 3) = 3 sin(pi t) sin(pi t / 3) / (pi t)^2.
/// |sin(pi t)| is the same for all six pixels, and (-1)^k sin(pi t / 3) has only three different values. The weights
/// are only needed up to a common factor. Multiplication by the product of all t^2 removes the division.
struct Lanczos3 {
  static constexpr int taps = 6;
  static constexpr int before = 2;

  SRCEXTRACT_HOST_DEVICE static void weigh(double fraction, double* weight, std::int64_t stride) {
    // Series of sin(pi u / 3) and cos(pi u / 3) for |u| <= 1/2, exact except for the last bit.
    const double u = fraction - 0.5;
    const double s = u * u;
    const double sine =
        u * (1.0471975511965979 -
             s * (0.19139676963148036 -
                  s * (0.010494502221717472 -
                       s * (2.7401213046218204e-4 -
                            s * (4.173443408582443e-6 - s * (4.1606298417214804e-8 - s * 2.924769985552567e-10))))));
    const double cosine =
        1 -
        s * (0.5483113556160755 -
             s * (0.0501075571162564 -
                  s * (0.0018316361712682984 -
                       s * (3.586810400226996e-5 -
                            s * (4.3704197175251164e-7 - s * (3.6308344847385187e-9 - s * 2.1877228333456834e-11))))));
    // Values of (-1)^k sin(pi t / 3). For the six pixels, pi t / 3 is pi u / 3 + 150, 90, 30, -30, -90 and -150
    // degrees.
    const double half_cosine = 0.5 * cosine;
    const double other = 0.8660254037844386 * sine;
    const double lobe[3] = {half_cosine - other, -cosine, half_cosine + other};

    double below[taps];  // product of t over all pixels before pixel k
    below[0] = 1;
    for (int k = 1; k < taps; ++k) below[k] = below[k - 1] * (fraction + (before + 1 - k));
    double above = 1;
    for (int k = taps - 1; k >= 0; --k) {
      const double all_others = below[k] * above;
      const double at_pixel = k == before ? 1 : 0;
      weight[k * stride] = fraction == 0 ? at_pixel : lobe[k % 3] * (all_others * all_others);
      above *= fraction + (before - k);
    }
  }
};

/// Pointer to the pixels of an image in the memory of host or device, and the image's shape.
struct ImageView {
  const float* pixels;
  Shape shape;

  SRCEXTRACT_HOST_DEVICE float at(std::int64_t x, std::int64_t y) const { return pixels[y * shape.width + x]; }
  /// Whether (x, y) is a pixel of the image; false if x or y is NaN.
  template <class T>
  SRCEXTRACT_HOST_DEVICE bool contains(T x, T y) const {
    return x >= 0 && x < static_cast<T>(shape.width) && y >= 0 && y < static_cast<T>(shape.height);
  }
};

template <class Kernel>
SRCEXTRACT_HOST_DEVICE double sum_of(const Weights& weights) {
  double sum = 0;
  for (int k = 0; k < Kernel::taps; ++k) sum += weights[k];
  return sum;
}

/// Returns the weighted sum of taps x taps pixels, all of which must be in the image. `first` points to the pixel of
/// least x and y.
template <class Kernel>
SRCEXTRACT_HOST_DEVICE double weighted_sum(const float* first, std::int64_t width, const Weights& x, const Weights& y) {
  double column[Kernel::taps] = {};
  for (int j = 0; j < Kernel::taps; ++j) {
    for (int k = 0; k < Kernel::taps; ++k) column[k] += y[j] * static_cast<double>(first[j * width + k]);
  }
  double sum = 0;
  for (int k = 0; k < Kernel::taps; ++k) sum += x[k] * column[k];
  return sum;
}

/// Returns the weighted mean of the pixels that are in the image and not masked. The result is masked if their weights
/// have a sum of less than a quarter of `all`, the sum of all weights.
template <class Kernel>
SRCEXTRACT_HOST_DEVICE float mean_of_unmasked(const ImageView& image, std::int64_t first_x, std::int64_t first_y,
                                              const Weights& x, const Weights& y, double all) {
  double sum = 0;
  double left = 0;
  for (int j = 0; j < Kernel::taps; ++j) {
    for (int k = 0; k < Kernel::taps; ++k) {
      if (!image.contains(first_x + k, first_y + j)) continue;
      const float pixel = image.at(first_x + k, first_y + j);
      if (pixel != pixel) continue;
      const double weight = y[j] * x[k];
      sum += weight * static_cast<double>(pixel);
      left += weight;
    }
  }
  return left >= 0.25 * all ? pixel_of(sum / left) : masked_pixel;
}

/// Computes one pixel of resample(): interpolates the image at a position, with the given weights along both axes.
template <class Kernel>
SRCEXTRACT_HOST_DEVICE float interpolate(const ImageView& image, const AxisPlace& x, const AxisPlace& y,
                                         const Weights& along_x, const Weights& along_y) {
  if (!image.contains(x.nearest(), y.nearest())) return masked_pixel;
  const float nearest = image.at(static_cast<std::int64_t>(x.nearest()), static_cast<std::int64_t>(y.nearest()));
  if (nearest != nearest) return masked_pixel;
  if (x.fraction == 0 && y.fraction == 0) return nearest;

  const double all = sum_of<Kernel>(along_x) * sum_of<Kernel>(along_y);
  const std::int64_t first_x = static_cast<std::int64_t>(x.pixel) - Kernel::before;
  const std::int64_t first_y = static_cast<std::int64_t>(y.pixel) - Kernel::before;
  if (image.contains(first_x, first_y) && image.contains(first_x + Kernel::taps - 1, first_y + Kernel::taps - 1)) {
    const float* first = image.pixels + first_y * image.shape.width + first_x;
    const double sum = weighted_sum<Kernel>(first, image.shape.width, along_x, along_y);
    if (sum == sum) return pixel_of(sum / all);
  }
  return mean_of_unmasked<Kernel>(image, first_x, first_y, along_x, along_y, all);
}

}  // namespace srcextract
