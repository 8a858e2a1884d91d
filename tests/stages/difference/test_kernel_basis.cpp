// The functions of a kernel: the first has all of its sum, and those of pixels make every kernel.

#include "stages/difference/fit/kernel_basis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace srcextract {
namespace {

double sum_of(const KernelBasis& basis, int function) {
  double sum = 0;
  for (int tap = 0; tap < basis.taps(); ++tap)
    sum += basis.values[static_cast<std::size_t>(function * basis.taps() + tap)];
  return sum;
}

class AnyBasis : public ::testing::TestWithParam<Basis> {};

TEST_P(AnyBasis, HasItsSumInItsFirstFunction) {
  const KernelBasis basis = make_kernel_basis(6, GetParam());
  EXPECT_NEAR(sum_of(basis, 0), 1, 1e-12);
  for (int f = 1; f < basis.size(); ++f) EXPECT_NEAR(sum_of(basis, f), 0, 1e-12) << f;
}

INSTANTIATE_TEST_SUITE_P(Kinds, AnyBasis, ::testing::Values(Basis::gaussians, Basis::delta));

/// With the sum as the first coefficient and the pixels as the others, any kernel is made again.
TEST(BasisOfPixels, MakesEveryKernel) {
  const KernelBasis basis = make_kernel_basis(2, Basis::delta);
  ASSERT_EQ(basis.size(), basis.taps());
  std::mt19937 random(7);
  std::vector<double> kernel;
  double sum = 0;
  for (int tap = 0; tap < basis.taps(); ++tap) {
    kernel.push_back(std::uniform_real_distribution(-1.0, 1.0)(random));
    sum += kernel.back();
  }
  const int middle = basis.taps() / 2;
  for (int tap = 0; tap < basis.taps(); ++tap) {
    double value = sum * basis.values[static_cast<std::size_t>(tap)];
    for (int f = 1; f < basis.size(); ++f) {
      const int own = f <= middle ? f - 1 : f;  // the middle comes first, the others in raster order
      value += kernel[static_cast<std::size_t>(own)] * basis.values[static_cast<std::size_t>(f * basis.taps() + tap)];
    }
    EXPECT_NEAR(value, kernel[static_cast<std::size_t>(tap)], 1e-12) << tap;
  }
}

}  // namespace
}  // namespace srcextract
