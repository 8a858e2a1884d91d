#include "stages/math/kernel_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace srcextract {
namespace {

using ::testing::HasSubstr;

using Rows = std::vector<std::vector<double>>;

Rows rows_of(std::size_t width, std::size_t height, double value = 1) {
  return Rows(height, std::vector<double>(width, value));
}

TEST(KernelProblem, IsNoneOfAKernel) {
  EXPECT_EQ(kernel_problem({{2}}), "");
  EXPECT_EQ(kernel_problem({{0, 0, -1}}), "");
  EXPECT_EQ(kernel_problem({{1}, {0}, {0}}), "");
  EXPECT_EQ(kernel_problem({{3e38, 1e-300, -3e38}}), "");
  EXPECT_EQ(kernel_problem(rows_of(63, 63)), "");
}

TEST(KernelProblem, IsASizeThatNoKernelHas) {
  EXPECT_THAT(kernel_problem({}), HasSubstr("at least one value"));
  EXPECT_THAT(kernel_problem({{}}), HasSubstr("at least one value"));
  EXPECT_EQ(kernel_problem(rows_of(4, 3)), "must have odd sides, not 4 x 3");
  EXPECT_EQ(kernel_problem(rows_of(3, 4)), "must have odd sides, not 3 x 4");
  EXPECT_THAT(kernel_problem(rows_of(65, 3)), HasSubstr("at most 63 values, not 65 x 3"));
  EXPECT_THAT(kernel_problem(rows_of(1, 65)), HasSubstr("at most 63 values, not 1 x 65"));
  EXPECT_THAT(kernel_problem({{1, 2, 3}, {1, 2}, {1, 2, 3}}), HasSubstr("the first has 3 values, row 2 has 2"));
}

TEST(KernelProblem, IsAValueThatNoWeightCanBe) {
  for (const double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                             -std::numeric_limits<double>::infinity(), 1e39, -1e300}) {
    EXPECT_THAT(kernel_problem({{1}, {2}, {value}}), HasSubstr("must be finite numbers up to 3.4e38; row 3")) << value;
  }
}

TEST(KernelProblem, IsThatAllAreZero) {
  EXPECT_EQ(kernel_problem(rows_of(3, 3, 0)), "must not all be zero");
  EXPECT_EQ(kernel_problem(rows_of(3, 3, 1e-60)), "must not all be zero");  // as floats they are
}

}  // namespace
}  // namespace srcextract
