// From stored pixels in page-locked memory to rows on the host, beside the bare copy of the same bytes to the device,
// and as far as each part of the way, so that what it takes can be told from one beside the other.
#include <benchmark/benchmark.h>

#if SRCEXTRACT_HAVE_CUDA
#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cuda/ingest/ingest.hpp"
#include "pipeline/engine/detection_graph.hpp"
#include "pipeline/engine/results.hpp"
#include "stages/ingest/decode.hpp"
#include "tests/bench/stages/benchmarks.hpp"

namespace srcextract {
namespace {

/// The benchmarks' sky of size x size pixels, big-endian as in a file, in page-locked memory.
struct PinnedSky {
  explicit PinnedSky(std::int64_t side) : size(side), bytes(side * side * static_cast<std::int64_t>(sizeof(float))) {
    std::ranges::transform(bench::sky(side), reinterpret_cast<std::uint32_t*>(bytes.data()),
                           [](float pixel) { return swap_bytes(std::bit_cast<std::uint32_t>(pixel)); });
  }

  PixelSource source() const {
    const auto copy = [this](std::int64_t first, std::int64_t count, std::byte* out) {
      std::memcpy(out, bytes.data() + first * 4, static_cast<std::size_t>(count) * 4);
    };
    return {{size, size}, {}, copy, bytes.data()};
  }

  std::int64_t size;
  PinnedBuffer bytes;
};

/// What all benchmarks of a size share: the lesson's four steps, ready to be fed.
class Bus {
 public:
  explicit Bus(std::int64_t size) : sky_(size), pixels_({size, size}, where_) {
    where_.capacity = initial_capacity({size, size}, config_);
    graph_ = std::make_unique<DetectionGraph>(pixels_, config_, where_);
    for (int warm_up = 0; warm_up < 3; ++warm_up) to_rows();
  }

  std::int64_t size() const { return sky_.size; }
  std::size_t rows() const { return rows_; }

  void copy() {
    check(cudaMemcpyAsync(pixels_.image.pixels.data(), sky_.bytes.data(), static_cast<std::size_t>(sky_.bytes.size()),
                          cudaMemcpyHostToDevice, where_.stream));
    synchronize(where_);
  }

  /// In pieces, and decoded.
  void to_pixels() {
    ingester_.ingest(sky_.source(), pixels_);
    synchronize(where_);
  }

  /// And the four steps.
  void to_sums() {
    ingester_.ingest(sky_.source(), pixels_);
    graph_->launch();
    synchronize(where_);
  }

  void to_rows() {
    ingester_.ingest(sky_.source(), pixels_);
    graph_->launch();
    receive();
  }

  /// Of pixels that are there.
  void steps_to_rows() {
    graph_->launch();
    receive();
  }

 private:
  void receive() {
    const HostResults::Summary& summary = results_.receive(pixels_, graph_->found(), where_);
    if (summary.runs() > where_.capacity.runs) throw std::runtime_error("the sky has more runs than there is room for");
    rows_ = results_.sums(graph_->found(), where_).size();
  }

  Stream stream_{0};
  Gpu where_ = stream_.where();
  PinnedSky sky_;
  const Config config_ = bench::lesson();
  Ingester ingester_{where_};
  HostResults results_;
  Pixels<Gpu> pixels_;
  std::unique_ptr<DetectionGraph> graph_;
  std::size_t rows_ = 0;
};

/// One pass an iteration, from the first call to the last byte; the median over all is printed.
void time_pass(benchmark::State& state, void (Bus::*pass)()) {
  static std::unique_ptr<Bus> bus;
  if (!bus || bus->size() != state.range(0)) {
    bus.reset();
    bus = std::make_unique<Bus>(state.range(0));
  }
  for ([[maybe_unused]] auto unused : state) {
    const auto begin = std::chrono::steady_clock::now();
    (*bus.*pass)();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(elapsed.count());
  }
  state.SetBytesProcessed(state.range(0) * state.range(0) * static_cast<std::int64_t>(sizeof(float)));
  state.counters["sources"] = static_cast<double>(bus->rows());
}

/// Where there is a GPU; where there is none, bench_stages.cpp says why.
const bool registered = [] {
  if (testing::Backend<Gpu>::reason_to_skip()) return false;
  for (const std::int64_t size : {4096, 8192, 16384}) {
    for (const auto& [name, pass] :
         {std::pair("cuda/pinned_copy", &Bus::copy), std::pair("cuda/pinned_to_pixels", &Bus::to_pixels),
          std::pair("cuda/pinned_to_sums", &Bus::to_sums), std::pair("cuda/pinned_to_rows", &Bus::to_rows),
          std::pair("cuda/steps_to_rows", &Bus::steps_to_rows)})
      benchmark::RegisterBenchmark(name, time_pass, pass)
          ->Arg(size)
          ->UseManualTime()
          ->Iterations(1)
          ->Repetitions(25)
          ->ReportAggregatesOnly()
          ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

}  // namespace
}  // namespace srcextract
#endif
