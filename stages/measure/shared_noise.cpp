#include "stages/measure/shared_noise.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

constexpr double widest_noise = 8;

/// The autocorrelation of a kernel, divided by that at distance 0, and the squares of the distances. Distances at which
/// the widest noise has no correlation are left out.
class KernelPairs {
 public:
  explicit KernelPairs(const Kernel& kernel) {
    constexpr int reach = 4 * static_cast<int>(widest_noise);
    const int wide = std::min(kernel.width - 1, reach), high = std::min(kernel.height - 1, reach);
    for (int dy = -high; dy <= high; ++dy)
      for (int dx = -wide; dx <= wide; ++dx) pairs_.push_back({product_of(kernel, dx, dy), dx * dx + dy * dy});
    const double alone = product_of(kernel, 0, 0);
    for (Pair& pair : pairs_) pair.product /= alone;
  }

  /// The square of the factor of noise of this width.
  double variance_factor(double width) const {
    double sum = 0;
    for (const Pair& pair : pairs_) sum += pair.product * portable_exp(-pair.square / (4 * width * width));
    return sum;
  }

 private:
  struct Pair {
    double product;
    int square;
  };

  static double product_of(const Kernel& kernel, int dx, int dy) {
    double sum = 0;
    for (int y = std::max(0, -dy); y < std::min(kernel.height, kernel.height - dy); ++y)
      for (int x = std::max(0, -dx); x < std::min(kernel.width, kernel.width - dx); ++x)
        sum += static_cast<double>(weight(kernel, x, y)) * static_cast<double>(weight(kernel, x + dx, y + dy));
    return sum;
  }
  static float weight(const Kernel& kernel, int x, int y) {
    return kernel
        .weights[static_cast<std::size_t>(y) * static_cast<std::size_t>(kernel.width) + static_cast<std::size_t>(x)];
  }

  std::vector<Pair> pairs_;
};

}  // namespace

double shared_noise_width(const Kernel& kernel, double factor) {
  if (!(factor >= least_shared_factor)) return 0;
  if (std::ranges::any_of(kernel.weights, [](float weight) { return weight < 0; })) return 0;
  const KernelPairs pairs(kernel);
  double narrow = 0.1, wide = widest_noise;
  constexpr int halvings = 40;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (narrow + wide) / 2;
    (pairs.variance_factor(middle) < factor * factor ? narrow : wide) = middle;
  }
  return wide;
}

}  // namespace srcextract
