#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/core/image.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// A rule that finds light in an image in units of the noise: in bins, squares of pixels, whose mean tells of light
/// that is too faint for any pixel.
struct LightRule {
  static constexpr std::int64_t side = 8;  ///< of a bin, in pixels
  /// A bin is lit if it is this many sigma of the scatter of bins above their usual value. Bins of 8 x 8 pixels find
  /// light of 0.3 sigma a pixel. Less would leave out the bright half of the noise's own bins.
  static constexpr double least = 2.5;
};

/// The number of bins of an image along x and y.
inline Shape light_bins(const Shape& image) {
  return mesh_grid(image, {LightRule::side, LightRule::side}).nodes;
}

/// Counts of bins by their significance, in steps of 1/16 from -64 to 64. A bin beyond counts in the last step.
struct LightHistogram {
  static constexpr int steps_of_one = 16, steps = 128 * steps_of_one;

  /// The step of a bin whose significance is not NaN.
  SRCEXTRACT_HOST_DEVICE static int step_of(float significance) {
    const float place = (significance + 64.0F) * static_cast<float>(steps_of_one);
    return place < 0 ? 0 : place < static_cast<float>(steps) ? static_cast<int>(place) : steps - 1;
  }
};

/// The significance of a bin: the sum of its `count` unmasked pixels, in units of the noise, divided by the noise that
/// independent pixels would give it. NaN if all are masked.
SRCEXTRACT_HOST_DEVICE inline float bin_significance(double sum, int count) {
  return static_cast<float>(sum / std::sqrt(static_cast<double>(count)));
}

/// Returns the significance above which a bin is lit. The scatter of bins without light is read from the lower side of
/// the histogram, where light has no share: the quantiles that a normal distribution has at -2 and -1 sigma. So pixels
/// that share their noise, and a level that is wrong by a part of the noise, do not count as light.
SRCEXTRACT_HOST_DEVICE inline float light_limit(const unsigned int* counts) {
  double total = 0;
  for (int i = 0; i < LightHistogram::steps; ++i) total += static_cast<double>(counts[i]);
  const double shares[2] = {0.0227501319481792 * total, 0.158655253931457 * total};
  double found[2] = {0, 0}, below = 0;
  int next = 0;
  for (int i = 0; i < LightHistogram::steps && next < 2; ++i) {
    const auto here = static_cast<double>(counts[i]);
    for (; next < 2 && here > 0 && below + here >= shares[next]; ++next)
      found[next] = (i + (shares[next] - below) / here) / LightHistogram::steps_of_one - 64;
    below += here;
  }
  const double scatter = found[1] - found[0] > 1 ? found[1] - found[0] : 1;
  return static_cast<float>(found[1] + (1 + LightRule::least) * scatter);
}

/// Returns the image minus the level of `mesh`, divided by the mesh's noise, with lit bins (LightRule) and the bins
/// around them masked.
Image<float, Cpu> mask_light(const Image<float, Cpu>& image, const SkyMesh<Cpu>& mesh, const Cpu& where);
Image<float, Gpu> mask_light(const Image<float, Gpu>& image, const SkyMesh<Gpu>& mesh, const Gpu& where);

}  // namespace srcextract
