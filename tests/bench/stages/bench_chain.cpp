// The whole chain of config/sextractor.yaml, from pixels that lie on the device to the columns of the catalogue: every
// step as the extractor runs it, and by the clock.
#include "tests/bench/stages/benchmarks.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "cuda/ingest/device_pixels.hpp"
#include "pipeline/engine/extractor.hpp"
#include "stages/ingest/ingest.hpp"
#include "tests/support/source_dir.hpp"

namespace srcextract::bench {
namespace {

Config sextractor() {
  const std::string name = "config/sextractor.yaml";
  return parse_config(testing::source_text(name), name);
}

/// An image that is resident, extracted again and again.
class Chain {
 public:
  explicit Chain(std::int64_t size) : shape_{size, size}, extractor_(0, place<Cpu>()) {
    const Gpu where = place<Gpu>();
    const PixelSource source{shape_, {.big_endian = false}, [&](auto first, auto count, std::byte* out) {
                               std::memcpy(out, sky(size).data() + first,
                                           static_cast<std::size_t>(count) * sizeof(float));
                             }};
    image_ = std::move(ingest(source, where).image);
    synchronize(where);
    for (int warm_up = 0; warm_up < 3; ++warm_up) run();
  }

  /// Seconds from the call to the columns.
  double run() {
    times_.clear();
    constexpr auto pixel_bytes = std::int64_t{sizeof(float)};
    PixelSource source{shape_, {.big_endian = false}, {}};
    DevicePlace place;
    place.address = reinterpret_cast<const std::byte*>(image_.pixels.data());
    place.steps = {shape_.width * pixel_bytes, pixel_bytes};
    source.read = DevicePixels(place, shape_, source.format, reader_);
    const Observer observer{[&](const char* stage, double seconds) { times_[stage] += seconds; }};
    const auto begin = std::chrono::steady_clock::now();
    const Extraction extraction = extractor_.extract(source, config_, observer);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    sources_ = extraction.sources.size();
    return elapsed.count();
  }

  /// Of the last: every step, and all of those that the device takes.
  void report(benchmark::State& state) const {
    double device = 0;
    for (const auto& [stage, seconds] : times_) {
      state.counters[stage] = seconds;
      if (stage != "columns") device += seconds;
    }
    state.counters["device"] = device;
    state.counters["sources"] = static_cast<double>(sources_);
  }

 private:
  Shape shape_;
  Config config_ = sextractor();
  CudaExtractor extractor_;
  std::shared_ptr<DeviceReader> reader_ = std::make_shared<DeviceReader>(0);
  Image<float, Gpu> image_;
  std::map<std::string, double> times_;
  std::int64_t sources_ = 0;
};

void time_chain(benchmark::State& state, std::int64_t size) {
  static std::int64_t last = 0;
  static std::unique_ptr<Chain> chain;
  try {
    if (size != last) {
      last = 0;
      chain.reset();
      chain = std::make_unique<Chain>(size);
      last = size;
    }
    for ([[maybe_unused]] auto unused : state) state.SetIterationTime(chain->run());
    chain->report(state);
  } catch (const Error& error) {
    last = 0;
    state.SkipWithError(error.what());
  }
}

}  // namespace

void add_cuda_chain() {
  constexpr int repetitions = 25;
  for (const std::int64_t size : {4096, 8192})
    add_repeated("cuda/sextractor/" + std::to_string(size), repetitions,
                 [size](benchmark::State& state) { time_chain(state, size); });
}

}  // namespace srcextract::bench
#endif
