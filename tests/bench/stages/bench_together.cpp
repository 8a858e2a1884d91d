// Small images from memory to catalogues on a GPU: by themselves, and several in one launch, by one thread and by many,
// each with an extractor of its own.
#include "tests/bench/stages/benchmarks.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>

#include "cuda/engine/extractor.hpp"

namespace srcextract::bench {

namespace {

PixelSource source_of(const testing::Field& field) {
  return {field.shape, {.big_endian = false}, [data = field.pixels.data()](auto first, auto count, std::byte* out) {
            std::memcpy(out, data + first, static_cast<std::size_t>(count) * sizeof(float));
          }};
}

/// What a thread does with images of a size: `together` in a launch, or 0 = each by itself.
class Worker {
 public:
  Worker(std::int64_t size, std::int64_t together) : together_(together) {
    for (unsigned seed = 0; seed < std::max<std::int64_t>(together, 1); ++seed) {
      fields_.push_back(testing::star_field({size, size}, 0, 1, pixels_per_star, seed));
      sources_.push_back(source_of(fields_.back()));
    }
    work();
  }

  void work() {
    if (together_ == 0) {
      extractor_.extract(sources_.front(), Config{}, {});
    } else {
      extractor_.extract_together(sources_, Config{});
    }
  }
  std::int64_t images() const { return std::ssize(sources_); }

 private:
  std::int64_t together_;
  std::deque<testing::Field> fields_;
  std::vector<PixelSource> sources_;
  CudaExtractor extractor_{0, Cpu{1}};
};

void time_images(benchmark::State& state) {
  const std::int64_t threads = state.range(2);
  const std::int64_t before = find_cuda_device(0).free_memory;
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::int64_t k = 0; k < threads; ++k) {
    workers.push_back(std::make_unique<Worker>(state.range(0), state.range(1)));
  }
  const std::int64_t after = find_cuda_device(0).free_memory;
  const std::int64_t rounds = 320 / workers.front()->images();
  for ([[maybe_unused]] auto unused : state) {
    const auto begin = std::chrono::steady_clock::now();
    {
      std::vector<std::jthread> running;
      for (const auto& worker : workers) {
        running.emplace_back([&] {
          for (std::int64_t round = 0; round < rounds; ++round) worker->work();
        });
      }
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(elapsed.count());
  }
  const std::int64_t images = threads * rounds * workers.front()->images();
  state.SetItemsProcessed(state.iterations() * images);
  state.counters["device_bytes"] = static_cast<double>(before - after) / static_cast<double>(threads);
}

/// Where there is a GPU; where there is none, bench_stages.cpp says why.
const bool registered = [] {
  if (testing::Backend<Gpu>::reason_to_skip()) return false;
  auto* benchmark = benchmark::RegisterBenchmark("cuda/together", time_images);
  benchmark->ArgNames({"size", "together", "threads"})->UseManualTime()->Iterations(20)->Unit(benchmark::kMicrosecond);
  for (const std::int64_t threads : {1, 4, 16}) {
    for (const std::int64_t together : {0, 1, 8, 16, 32}) benchmark->Args({64, together, threads});
    for (const std::int64_t together : {0, 8}) benchmark->Args({256, together, threads});
    for (const std::int64_t together : {0, 2}) benchmark->Args({512, together, threads});
  }
  benchmark->Args({4096, 0, 1});
  return true;
}();

}  // namespace
}  // namespace srcextract::bench
#endif
