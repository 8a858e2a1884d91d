#include "stages/sky/row_sample.hpp"

#include <cstddef>
#include <vector>

#include "tests/support/backends.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::StageTest;

TEST(RowSample, OfASmallOrFlatImageAllRowsAreTaken) {
  EXPECT_EQ(row_step({1024, 1024}), 1);
  EXPECT_EQ(row_step({2048, 2048}), 1);
  EXPECT_EQ(row_step({1'000'000, 64}), 1);
}

TEST(RowSample, IsOfOddStepSoThatRowsOfBothAmplifiersAreTaken) {
  for (const std::int64_t side : {3000, 4096, 5000, 8192, 16384, 32768}) {
    const std::int64_t step = row_step({side, side});
    EXPECT_EQ(step % 2, 1) << side;
    EXPECT_GE(side / step * side, 2'000'000) << side;
    EXPECT_GE(side / step, 256) << side;
  }
  EXPECT_GT(row_step({4096, 4096}), 1);
}

template <class Where>
using RowSampleTest = StageTest<Where>;
TYPED_TEST_SUITE(RowSampleTest, Backends);

TYPED_TEST(RowSampleTest, HasEachNthRow) {
  const Shape shape{3, 8};
  std::vector<float> pixels;
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 3; ++x) pixels.push_back(static_cast<float>(10 * y + x));
  const auto rows = every_nth_row(this->image(shape, pixels), 3, this->where());
  EXPECT_EQ(rows.shape, (Shape{3, 3}));
  EXPECT_EQ(this->backend().get(rows.pixels), (std::vector<float>{0, 1, 2, 30, 31, 32, 60, 61, 62}));
}

}  // namespace
}  // namespace srcextract
