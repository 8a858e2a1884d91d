#include "stages/core/rows_on_demand.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>

#include "stages/core/contract.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

constexpr Shape shape{1000, 400};

/// Every pixel has its place as value. Counts the rows that were made.
Image<std::int32_t, Cpu> places(const std::shared_ptr<RowMemory>& memory, std::atomic<int>& rows_made) {
  return image_on_demand<std::int32_t>(shape, memory,
                                       [&rows_made](std::int32_t* image, std::int64_t begin, std::int64_t end) {
                                         rows_made += static_cast<int>(end - begin);
                                         for (std::int64_t i = begin * shape.width; i < end * shape.width; ++i)
                                           image[i] = static_cast<std::int32_t>(i);
                                       });
}

TEST(RowsOnDemandOfAnImage, AreMadeOnceWhereThereIsMemory) {
  std::atomic<int> made = 0;
  const auto image = places(std::make_shared<RowMemory>(std::int64_t{1} << 30), made);
  EXPECT_EQ(made, 0);
  for (int round = 0; round < 2; ++round) {
    const HeldRows rows(image);
    for (std::int64_t i = 0; i < shape.count(); ++i) ASSERT_EQ(image.pixels[i], i);
  }
  EXPECT_EQ(made, shape.height);
}

TEST(RowsOnDemandOfAnImage, AreMadeAgainWhereThereIsLittle) {
  std::atomic<int> made = 0;
  const auto image = places(std::make_shared<RowMemory>(1), made);
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t y = 0; y < shape.height; ++y) {
      const HeldRows row(image, y, y + 1);
      for (std::int64_t x = 0; x < shape.width; ++x) ASSERT_EQ(image.pixels[y * shape.width + x], y * shape.width + x);
    }
  }
  EXPECT_EQ(made, 2 * shape.height);
}

TEST(RowsOnDemandOfAnImage, StayAsLongAsTheyAreHeld) {
  std::atomic<int> made = 0;
  const auto image = places(std::make_shared<RowMemory>(1), made);
  const HeldRows first(image, 0, 8);
  for (std::int64_t y = 8; y < shape.height; y += 8) const HeldRows others(image, y, y + 8);
  for (std::int64_t i = 0; i < 8 * shape.width; ++i) ASSERT_EQ(image.pixels[i], i);
  EXPECT_EQ(made, shape.height);
}

TEST(RowsOnDemandOfAnImage, AreMadeOfRowsOfAnotherByManyThreads) {
  std::atomic<int> made = 0;
  const auto memory = std::make_shared<RowMemory>(64 * shape.width * 4);
  const auto image = std::make_shared<Image<std::int32_t, Cpu>>(places(memory, made));
  const auto twice =
      image_on_demand<std::int32_t>(shape, memory, [image](std::int32_t* out, std::int64_t begin, std::int64_t end) {
        const HeldRows rows(*image, begin - 3, end + 3);
        for (std::int64_t i = begin * shape.width; i < end * shape.width; ++i) out[i] = 2 * image->pixels[i];
      });
  std::atomic<std::int64_t> wrong = 0;
  for (int round = 0; round < 20; ++round) {
    parallel_for(shape.height, 5, Cpu{7}, [&](std::int64_t begin, std::int64_t end) {
      const HeldRows rows(twice, begin, end);
      for (std::int64_t i = begin * shape.width; i < end * shape.width; ++i) wrong += twice.pixels[i] != 2 * i ? 1 : 0;
    });
  }
  EXPECT_EQ(wrong, 0);
}

TEST(RowsOnDemandOfAnImage, PassOnWhatGoesWrongAndCanBeAskedForAgain) {
  bool fails = true;
  const auto image = image_on_demand<float>(shape, std::make_shared<RowMemory>(1),
                                            [&](float* out, std::int64_t begin, std::int64_t end) {
                                              if (fails && begin > 100) throw std::runtime_error("gone");
                                              std::fill(out + begin * shape.width, out + end * shape.width, 1.0F);
                                            });
  EXPECT_THROW(HeldRows(image, 90, 120), std::runtime_error);
  fails = false;
  const HeldRows rows(image);
  EXPECT_EQ(image.pixels[shape.count() - 1], 1.0F);
}

TEST(RowsOnDemandDeathTest, EndTheProgramIfReadByOneWhoDoesNotHoldThem) {
  std::atomic<int> made = 0;
  const auto image = places(std::make_shared<RowMemory>(1), made);
  latest_step = "threshold";
  EXPECT_DEATH(static_cast<void>(*const_cast<const volatile std::int32_t*>(&image.pixels[200 * shape.width])),
               checks_contracts ? "a broken contract in the step threshold: it reads a row that it does not hold" : "");
}

}  // namespace
}  // namespace srcextract
