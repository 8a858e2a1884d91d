#pragma once

#include <vector>

namespace srcextract {

/// The inverse discrete Fourier transform of the boxes of galaxies, not normalised: X(p) = Σ_k x(k) e^(2πi kp / side).
/// A Stockham transform of radix 4, 3 and 2 in float, whose operations and their order depend on the side alone.
class BoxTransform {
 public:
  /// `side` is one of galaxy_sides.
  explicit BoxTransform(int side);

  int side() const { return side_; }

  /// Transforms along the first index of [side][width] complex numbers; width is a multiple of 8. The output may be the
  /// input. All arrays are aligned to 32 bytes.
  void transform(int width, const float* re, const float* im, float* out_re, float* out_im) const;

  /// Packs the half spectra [side][side / 2] of two real images, which are transformed along the first index, into the
  /// rows of one complex image: [side][side], transposed. Number 0 of a half row holds the real values of columns 0 and
  /// side / 2.
  void pack(const float* first_re, const float* first_im, const float* second_re, const float* second_im, float* re,
            float* im) const;

 private:
  int side_;
  std::vector<int> radices_;
  std::vector<float> cosines_, sines_;  ///< of 2π k / side
};

}  // namespace srcextract
