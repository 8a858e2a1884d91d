#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "stages/core/buffer.hpp"
#include "stages/core/keep_buffers.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// Memory of this process that is there, in MiB, as the system has it.
std::int64_t resident() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6)) / 1024;
  return -1;
}

Buffer<std::byte, Cpu> filled(std::int64_t size) {
  Buffer<std::byte, Cpu> buffer(size * mebibyte, Cpu{});
  std::memset(buffer.data(), 1, static_cast<std::size_t>(buffer.size()));
  return buffer;
}

class KeptBuffers : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing::sanitized) GTEST_SKIP() << "a sanitizer keeps what is released";
  }

  std::int64_t before_ = resident();
};

TEST_F(KeptBuffers, AreTheSameMemoryForTheNextOfAboutTheirSize) {
  const KeepBuffers keep;
  const std::byte* const first = filled(64).data();  // released at once
  EXPECT_GE(resident() - before_, 60);
  EXPECT_EQ(filled(60).data(), first);
  EXPECT_EQ(filled(64).data(), first);
  EXPECT_LT(resident() - before_, 80);
}

TEST_F(KeptBuffers, GoBackForWhatIsLarger) {
  const KeepBuffers keep;
  for (const std::int64_t size : {64, 100, 150, 200, 90, 40}) (void)filled(size);
  EXPECT_LT(resident() - before_, 220);
}

TEST_F(KeptBuffers, GoBackInTheEnd) {
  {
    const KeepBuffers keep;
    std::optional<KeepBuffers> another(std::in_place);
    (void)filled(64);
    another.reset();
    EXPECT_GE(resident() - before_, 60);
  }
  EXPECT_LT(resident() - before_, 10);
  const std::optional<Buffer<std::byte, Cpu>> outlives = [] {
    const KeepBuffers keep;
    return filled(64);
  }();
  EXPECT_GE(resident() - before_, 60);
}

TEST_F(KeptBuffers, AreNotKeptWhereNobodyAsks) {
  (void)filled(64);
  EXPECT_LT(resident() - before_, 10);
}

}  // namespace
}  // namespace srcextract
