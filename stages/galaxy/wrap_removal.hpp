#pragma once

#include <array>
#include <cstddef>

#include "stages/galaxy/aligned_floats.hpp"
#include "stages/galaxy/galaxy_shape.hpp"
#include "stages/galaxy/sersic_table.hpp"

namespace srcextract {

/// Second moments of a PSF around its middle, in squared pixels, and its sum.
struct PsfMoments {
  double xx = 0, xy = 0, yy = 0, sum = 0;
};

/// Places of the light that the periodic copies of a galaxy put into a box of one side.
///
/// The light of the 8 nearest copies is computed at count x count Chebyshev nodes of the box, and spread over the
/// pixels by polynomials. Copies in the second and third ring around the box add a level: their mean light at 3 x 3
/// Gauss points. Copies beyond add the light outside of a square of 7 sides, evenly: it is found from the light beyond
/// a radius, by angle.
class WrapPlaces {
 public:
  struct Nodes {
    int count = 0, padded = 0;  ///< nodes of an axis; nodes of the box, rounded up to a multiple of 8
    AlignedFloats x, y;         ///< from the middle pixel
    AlignedFloats spread;       ///< [count][side]: the polynomial that is 1 at a node, at every pixel
  };
  static constexpr int far_points = 40 * 9, angles = 36;

  explicit WrapPlaces(int side);

  int side() const { return side_; }
  /// Thin profiles need more nodes. q: the axis ratio. Derivatives need fewer than the image.
  const Nodes& nodes(double q, bool of_derivatives) const {
    const int needed = q >= 0.5 ? 0 : q >= 0.3 ? 1 : q >= 0.15 ? 2 : 3;
    return nodes_[of_derivatives ? needed - (needed > 1 ? 1 : 0) : needed + (needed < 1 ? 1 : 0)];
  }
  static constexpr int most_nodes = 40;

  /// The Gauss points of copies in rings 2 and 3, and their weights.
  const AlignedFloats& far_x() const { return far_x_; }
  const AlignedFloats& far_y() const { return far_y_; }
  const AlignedFloats& far_weight() const { return far_weight_; }

  struct Angle {
    double cosine, sine, distance2;  ///< squared distance of the square's edge
  };
  const std::array<Angle, angles>& edge() const { return edge_; }

 private:
  int side_;
  std::array<Nodes, 4> nodes_;
  AlignedFloats far_x_, far_y_, far_weight_;
  std::array<Angle, angles> edge_;
};

/// One component of flux 1, whose light has been rendered with periodic copies.
struct WrappedProfile {
  const GalaxyShape* shape;
  const ShapeMatrix* matrix;
  const SersicOfIndex* index;
  double x, y;  ///< centre, from the middle pixel
  PsfMoments psf;
};

/// Floats of working memory for remove_wrap() in boxes up to this side.
std::size_t wrap_memory(int side);

/// Subtracts the light of periodic copies from a rendered image, and from its derivatives by x, y, ln rc, e1, e2, ln n:
/// `images` (1, 6 or 7) images of side * side. The PSF's width counts to second order in the nearest copies, and shifts
/// no light in the others.
void remove_wrap(const WrapPlaces& places, const WrappedProfile& of, int images, float* const* image, float* memory);

}  // namespace srcextract
