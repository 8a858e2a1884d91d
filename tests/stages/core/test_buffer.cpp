#include "stages/core/buffer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>

#include "stages/core/keep_buffers.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t megabyte = std::int64_t{1} << 20;

Buffer<std::byte, Cpu> filled(std::int64_t megabytes, std::byte with) {
  Buffer<std::byte, Cpu> buffer(megabytes * megabyte, Cpu{1});
  std::fill(buffer.begin(), buffer.end(), with);
  return buffer;
}

/// Of this process, as the system counts it.
std::int64_t resident_megabytes() {
  std::int64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE) / megabyte;
}

TEST(KeptBuffers, AreNobodyElsesWhileInUse) {
  const KeepBuffers keep;
  for (int image = 0; image < 3; ++image) {
    const auto a = filled(8, std::byte{1}), b = filled(8, std::byte{2}), c = filled(9, std::byte{3});
    for (const auto& [buffer, with] : {std::pair(&a, std::byte{1}), {&b, std::byte{2}}, {&c, std::byte{3}}})
      EXPECT_EQ(std::count(buffer->begin(), buffer->end(), with), buffer->size());
  }
}

TEST(KeptBuffers, AreGivenToTheNextImage) {
  const KeepBuffers keep;
  const void* first = nullptr;
  {
    const auto image = filled(40, std::byte{1});
    first = image.data();
  }
  EXPECT_EQ(filled(38, std::byte{2}).data(), first);
}

TEST(KeptBuffers, TakeNoMoreMemoryThanWasInUseAtOnceAndAnEighth) {
  if (testing::sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  const KeepBuffers keep;
  const std::int64_t before = resident_megabytes();
  constexpr std::int64_t most = 160;
  for (std::int64_t megabytes = 16; megabytes <= most; megabytes += 16) filled(megabytes, std::byte{1});
  EXPECT_LE(resident_megabytes() - before, most + most / 8 + 8);
  {
    const auto half = filled(most / 2, std::byte{1}), other = filled(most / 2 - 16, std::byte{1});
    EXPECT_LE(resident_megabytes() - before, most + most / 8 + 8);
  }
  filled(most / 4, std::byte{1});
  EXPECT_LE(resident_megabytes() - before, most + most / 8 + 8);
}

TEST(KeptBuffers, GoBackInTheEnd) {
  if (testing::sanitized) GTEST_SKIP() << "a sanitizer keeps memory of its own";
  const std::int64_t before = resident_megabytes();
  std::optional<Buffer<std::byte, Cpu>> outlives;
  {
    const KeepBuffers keep;
    std::optional<KeepBuffers> another(std::in_place);
    outlives.emplace(filled(64, std::byte{1}));
    filled(64, std::byte{1});
    another.reset();
    EXPECT_GE(resident_megabytes() - before, 120);
  }
  EXPECT_LE(resident_megabytes() - before, 72);
  outlives.reset();
  EXPECT_LE(resident_megabytes() - before, 8);
  filled(64, std::byte{1});
  EXPECT_LE(resident_megabytes() - before, 8);
}

}  // namespace
}  // namespace srcextract
