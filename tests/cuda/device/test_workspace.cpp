// Device memory that is kept: blocks that nobody else has, and the same ones for the same work.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/backends.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "cuda/device/cuda_devices.hpp"
#include "cuda/device/device.hpp"
#include "cuda/device/slab.hpp"
#include "cuda/device/workspace.hpp"
#endif

namespace srcextract {
namespace {

#if SRCEXTRACT_HAVE_CUDA

class WorkspaceTest : public testing::StageTest<Gpu> {};

struct Taken {
  std::byte* memory;
  std::size_t bytes;
};

std::vector<std::size_t> various_sizes(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(0, 25);  // up to 32 MiB
  std::vector<std::size_t> sizes;
  for (int i = 0; i < 60; ++i) sizes.push_back(static_cast<std::size_t>(std::exp2(exponent(random))));
  return sizes;
}

// Every byte of a block keeps what was written there while all the others are written to.
TEST_F(WorkspaceTest, BlocksAreNobodyElses) {
  for (const unsigned seed : {1U, 2U}) {
    Workspace workspace;
    std::vector<Taken> taken;
    std::mt19937 random(seed);
    for (const std::size_t bytes : various_sizes(seed)) {
      taken.push_back({static_cast<std::byte*>(workspace.take(bytes)), bytes});
      ASSERT_NE(taken.back().memory, nullptr);
      if (random() % 3 != 0) continue;
      std::swap(taken[random() % taken.size()], taken.back());
      workspace.give_back(taken.back().memory);
      taken.pop_back();
    }
    ASSERT_GT(taken.size(), 20U);
    for (std::size_t i = 0; i < taken.size(); ++i)
      ASSERT_EQ(cudaMemset(taken[i].memory, static_cast<int>(i + 1), taken[i].bytes), cudaSuccess);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      std::vector<std::byte> here(taken[i].bytes);
      ASSERT_EQ(cudaMemcpy(here.data(), taken[i].memory, here.size(), cudaMemcpyDeviceToHost), cudaSuccess);
      ASSERT_TRUE(std::ranges::all_of(here, [&](std::byte b) { return b == static_cast<std::byte>(i + 1); })) << i;
    }
  }
}

TEST_F(WorkspaceTest, SameWorkHasTheSameBlocksAgain) {
  Workspace workspace;
  const std::vector<std::size_t> sizes = various_sizes(3);
  std::vector<std::vector<void*>> runs;
  for (int run = 0; run < 4; ++run) {
    workspace.repeat();
    std::vector<void*>& blocks = runs.emplace_back();
    std::vector<void*> held;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      blocks.push_back(workspace.take(sizes[i]));
      held.push_back(blocks.back());
      if (i % 3 != 2) continue;
      workspace.give_back(held[held.size() / 2]);
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(held.size() / 2));
    }
    if (run % 2 == 1) std::ranges::reverse(held);
    for (void* block : held) workspace.give_back(block);
  }
  for (const std::vector<void*>& blocks : runs) EXPECT_EQ(blocks, runs.front());
}

TEST_F(WorkspaceTest, WhatIsNotInUseGoesBackToTheDevice) {
  const std::int64_t free = free_device_memory();
  constexpr std::size_t large = std::size_t{256} << 20, small = 1000;
  Workspace workspace;
  void* const stays = workspace.take(small);
  std::vector<void*> others;
  for (int i = 0; i < 4; ++i) others.push_back(workspace.take(large));
  for (int i = 0; i < 1000; ++i) others.push_back(workspace.take(small));
  EXPECT_LE(free_device_memory(), free - 4 * static_cast<std::int64_t>(large));
  for (void* block : others) workspace.give_back(block);
  workspace.free_unused();
  EXPECT_GE(free_device_memory(), free - static_cast<std::int64_t>(large));
  ASSERT_EQ(cudaMemset(stays, 1, small), cudaSuccess);
  EXPECT_NE(workspace.take(large), nullptr);
}

TEST_F(WorkspaceTest, BlocksThatLeaveTooLittleOnTheDeviceLieOnTheHost) {
  constexpr std::int64_t large = std::int64_t{64} << 20;
  HostShare share{.most = 3 * large, .large = large, .for_small = free_device_memory()};
  const auto lies_on_host = [](const void* memory) {
    cudaPointerAttributes attributes{};
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, memory), cudaSuccess);
    return attributes.type == cudaMemoryTypeHost;
  };
  {
    Workspace workspace(&share);
    EXPECT_FALSE(lies_on_host(workspace.take(large / 2)));
    void* const first = workspace.take(large);
    void* const second = workspace.take(2 * large);
    EXPECT_TRUE(lies_on_host(first));
    EXPECT_TRUE(lies_on_host(second));
    EXPECT_EQ(share.taken, 3 * large);
    EXPECT_FALSE(lies_on_host(workspace.take(large)));  // the share is used up
    ASSERT_EQ(cudaMemset(first, 7, large), cudaSuccess);
    ASSERT_EQ(cudaMemset(second, 8, 2 * large), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(static_cast<const char*>(first)[large - 1], 7);
    workspace.give_back(first);
    EXPECT_EQ(workspace.take(large), first);
    workspace.give_back(second);
    workspace.free_unused();
    EXPECT_EQ(share.taken, large);
  }
  EXPECT_EQ(share.taken, 0);
}

TEST_F(WorkspaceTest, ALimitOfTheDeviceHolds) {
  constexpr std::int64_t most = std::int64_t{256} << 20;
  Workspace workspace;
  const std::int64_t before = free_device_memory();
  limit_device_memory(most);
  EXPECT_LE(free_device_memory(), most);
  EXPECT_EQ(workspace.take(static_cast<std::size_t>(most) + 1), nullptr);
  void* const half = workspace.take(most / 2);
  EXPECT_NE(half, nullptr);
  EXPECT_LE(free_device_memory(), most / 2);
  EXPECT_EQ(workspace.take(most), nullptr);
  limit_device_memory(std::numeric_limits<std::int64_t>::max());
  EXPECT_NE(workspace.take(most), nullptr);
  workspace.give_back(half);
  EXPECT_LE(free_device_memory(), before);
}

#endif

}  // namespace
}  // namespace srcextract
