// The limit: an image read once from memory. Several images are read in turn, so that no cache holds the next one.
#include <algorithm>
#include <atomic>
#include <chrono>

#include "stages/core/vector_clones.hpp"
#include "tests/bench/stages/benchmarks.hpp"
#include "tests/bench/stages/read_image.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "cuda/device/timing.hpp"
#endif

namespace srcextract::bench {

namespace {

constexpr int repetitions = 25;

SRCEXTRACT_VECTOR_CLONES std::uint64_t sum_of(const std::uint32_t* words, std::int64_t count) {
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += words[i];
  return sum;
}

/// Images are worked on in pieces of so many pixels.
constexpr std::int64_t grain = std::int64_t{1} << 18;

std::uint64_t read_on_host(const std::uint32_t* words, std::int64_t count, const Cpu& where) {
  std::atomic<std::uint64_t> sum = 0;
  parallel_for(count, grain, where,
               [&](std::int64_t begin, std::int64_t end) { sum += sum_of(words + begin, end - begin); });
  return sum;
}

/// So many images are more than any cache.
std::int64_t images_of(std::int64_t size) {
  constexpr std::int64_t bytes = std::int64_t{512} << 20;
  return std::clamp<std::int64_t>(bytes / (size * size * 4), 2, 32);
}

void finish(benchmark::State& state, std::int64_t size, double seconds) {
  state.SetIterationTime(seconds);
  state.SetBytesProcessed(size * size * 4);
}

void time_host_read(benchmark::State& state, std::int64_t size, const Cpu& where) {
  static std::vector<std::uint32_t> words;
  static std::int64_t next = 0;
  const std::int64_t count = size * size;
  const std::int64_t images = images_of(size);
  words.resize(static_cast<std::size_t>(count * images), 1);
  for ([[maybe_unused]] auto unused : state) {
    next = (next + 1) % images;
    const auto begin = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(read_on_host(words.data() + next * count, count, where));
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    finish(state, size, elapsed.count());
  }
}

using Clock = std::chrono::steady_clock;

/// Keeps a thread busy.
void work_for(Clock::duration time) {
  for (const auto until = Clock::now() + time; Clock::now() < until;) {
  }
}

/// What it costs that threads begin together and wait for one another: how much longer a loop takes, over the pieces of
/// an image of which each is short work, than the share of a thread; after a while in which one thread alone has work,
/// as there is between the loops of the clip.
void time_sharing(benchmark::State& state, std::int64_t size, const Cpu& where) {
  constexpr int loops = 25;
  constexpr auto alone = std::chrono::microseconds(200), of_piece = std::chrono::microseconds(10);
  const std::int64_t pieces = size * size / grain;
  for ([[maybe_unused]] auto unused : state) {
    Clock::duration elapsed{};
    for (int loop = 0; loop < loops; ++loop) {
      work_for(alone);
      const auto begin = Clock::now();
      parallel_for(pieces, 1, where, [&](std::int64_t, std::int64_t) { work_for(of_piece); });
      elapsed += Clock::now() - begin;
    }
    const std::chrono::duration<double> longer = elapsed / loops - pieces * of_piece / where.threads;
    state.SetIterationTime(std::max(0.0, longer.count()));
  }
}

}  // namespace

void add_cpu_reads() {
  for (const std::int64_t size : {2048, 4096, 8192}) {
    add_repeated("cpu/one_read/" + std::to_string(size), repetitions,
                 [size](benchmark::State& state) { time_host_read(state, size, place<Cpu>()); });
  }
  constexpr std::int64_t size = 4096;
  for (const int threads : thread_counts()) {
    const std::string by = "_by_" + std::to_string(threads) + "/" + std::to_string(size);
    add_repeated("cpu/one_read" + by, repetitions,
                 [threads](benchmark::State& state) { time_host_read(state, size, {threads}); });
    add_repeated("cpu/sharing" + by, repetitions,
                 [threads](benchmark::State& state) { time_sharing(state, size, {threads}); });
  }
}

#if SRCEXTRACT_HAVE_CUDA
namespace {

void time_device_read(benchmark::State& state, std::int64_t size) {
  const Gpu where = place<Gpu>();
  static std::int64_t next = 0;
  static Buffer<std::uint32_t, Gpu> words;
  const std::int64_t count = size * size;
  const std::int64_t images = images_of(size);
  if (words.size() != count * images) {
    words = {};
    words = filled<std::uint32_t>(count * images, 1, where);
  }
  Buffer<std::uint32_t, Gpu> sum(1, where);
  TimedEvent begin, end;
  for ([[maybe_unused]] auto unused : state) {
    next = (next + 1) % images;
    begin.record(where.stream);
    queue_read(words.data() + next * count, count, sum.data(), where.multiprocessors, where.stream);
    end.record(where.stream);
    end.wait();
    finish(state, size, end.seconds_since(begin));
  }
}

}  // namespace

void add_cuda_reads() {
  for (const std::int64_t size : {2048, 4096, 8192, 16384, 32768}) {
    add_repeated("cuda/one_read/" + std::to_string(size), repetitions,
                 [size](benchmark::State& state) { time_device_read(state, size); });
  }
}
#endif

}  // namespace srcextract::bench
