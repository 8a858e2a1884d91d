// The four steps together, from pixels where they are needed to the sums of the sources: over sizes, over densities,
// and on images that are hard on some step or other.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "pipeline/chain/detect_sources.hpp"
#include "tests/bench/stages/benchmarks.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "pipeline/engine/detection_graph.hpp"
#endif

namespace srcextract::bench {

namespace {

/// An image and what is to be found in it.
struct Sky {
  testing::Field field;
  Config config;
};

PixelSource source_of(const testing::Field& field) {
  return {field.shape, {.big_endian = false}, [data = field.pixels.data()](auto first, auto count, std::byte* out) {
            std::memcpy(out, data + first, static_cast<std::size_t>(count) * sizeof(float));
          }};
}

/// The four steps of one image, again and again.
template <class Where>
class FourSteps;

template <>
class FourSteps<Cpu> {
 public:
  FourSteps(const Sky& sky, const Cpu& where)
      : config_(sky.config), where_(where), pixels_(ingest(source_of(sky.field), where)) {
    const Detection<Cpu> found = detect();
    check_background(*found.background, config_);
    sources_ = found.components.counts->kept;
  }

  /// Seconds that they take, without freeing what they made.
  double run() {
    detect();
    double seconds = 0;
    for (const auto& [stage, time] : times_) seconds += time;
    return seconds;
  }

  /// What the last run was made of, and what it found.
  void report(benchmark::State& state) const {
    for (const auto& [stage, time] : times_) state.counters[stage] = time;
    state.counters["sources"] = static_cast<double>(sources_);
  }

 private:
  Detection<Cpu> detect() {
    times_.clear();
    auto begin = std::chrono::steady_clock::now();
    return detect_sources(pixels_, config_, where_, [&](const char* stage) {
      const auto end = std::chrono::steady_clock::now();
      times_.emplace_back(stage, std::chrono::duration<double>(end - begin).count());
      begin = end;
    });
  }

  Config config_;
  Cpu where_;
  Pixels<Cpu> pixels_;
  std::vector<std::pair<std::string, double>> times_;
  std::int64_t sources_ = 0;
};

#if SRCEXTRACT_HAVE_CUDA
/// As the program runs them, a graph on a resident image, launched on several images in turn so that no cache holds the
/// next one.
template <>
class FourSteps<Gpu> {
 public:
  FourSteps(const Sky& sky, const Gpu& where) : where_(where) {
    constexpr std::int64_t more_than_a_cache = std::int64_t{512} << 20;
    where_.capacity = initial_capacity(sky.field.shape, sky.config);
    const std::int64_t images = std::clamp<std::int64_t>(more_than_a_cache / (sky.field.shape.count() * 4), 1, 32);
    for (std::int64_t i = 0; i < images; ++i) {
      images_.push_back(ingest(source_of(sky.field), where_));
      add_graph(sky.config);
    }
  }

  /// Seconds that the next launch takes on the device.
  double run() {
    begin_.record(where_.stream);
    graphs_[next_]->launch();
    end_.record(where_.stream);
    end_.wait();
    next_ = (next_ + 1) % graphs_.size();
    return end_.seconds_since(begin_);
  }

  void report(benchmark::State& state) const { state.counters["sources"] = static_cast<double>(sources_); }

 private:
  /// The graph of the last image, with room for what it finds there.
  void add_graph(const Config& config) {
    for (;;) {
      auto graph = std::make_unique<DetectionGraph>(images_.back(), config, where_);
      graph->launch();
      const Detection<Gpu>& found = graph->found();
      check_background(fetch(found.background, where_), config);
      const std::int64_t runs = to_host(found.runs.row_begin, where_)[found.runs.shape.height];
      sources_ = fetch(found.components.counts, where_).kept;
      if (runs <= where_.capacity.runs && sources_ <= where_.capacity.sources) {
        graphs_.push_back(std::move(graph));
        return;
      }
      where_.capacity = grown_capacity(where_.capacity, runs, sources_);
    }
  }

  Gpu where_;
  std::deque<Pixels<Gpu>> images_;
  std::vector<std::unique_ptr<DetectionGraph>> graphs_;
  std::size_t next_ = 0;
  std::int64_t sources_ = 0;
  TimedEvent begin_, end_;
};
#endif

/// Times the steps on the sky that `make` makes. The repetitions of a benchmark share one.
template <class Where>
void time_steps(benchmark::State& state, const std::string& name, const std::function<Sky()>& make,
                const Where& where) {
  static std::string last;
  static std::unique_ptr<FourSteps<Where>> steps;
  try {
    if (name != last) {
      last = name;
      steps.reset();
      steps = std::make_unique<FourSteps<Where>>(make(), where);
      steps->run();
    }
    for ([[maybe_unused]] auto unused : state) state.SetIterationTime(steps->run());
    steps->report(state);
  } catch (const Error& error) {
    last.clear();
    state.SkipWithError(error.what());
  }
}

template <class Where>
void add_steps(const std::string& name, int repetitions, const Where& where, const std::function<Sky()>& make) {
  add_repeated(name, repetitions, [=](benchmark::State& state) { time_steps<Where>(state, name, make, where); });
}

Sky normal_sky(std::int64_t size) {
  return {{"", {size, size}, sky(size)}, lesson()};
}

Sky crowded_sky(std::int64_t size, std::int64_t per_megapixel) {
  return {testing::star_field({size, size}, 0, 1, 1'000'000 / per_megapixel, 1), lesson()};
}

/// Sources are what lies above a level of their own or, where the field names none, 5 sigma above the sky.
Sky hostile_sky(const testing::LargeField& field, std::int64_t size) {
  Sky sky{field.make(size), lesson()};
  sky.config.detection.reference = Baseline::background;
  if (field.threshold) {
    sky.config.detection.threshold_unit = ThresholdUnit::absolute;
    sky.config.detection.threshold = *field.threshold;
  }
  return sky;
}

template <class Where>
void add_backend(const std::string& backend, int repetitions, int of_hard_images,
                 std::initializer_list<std::int64_t> sizes) {
  const Where where = place<Where>();
  for (const std::int64_t size : sizes) {
    add_steps(backend + "/four_steps/" + std::to_string(size), repetitions, where, [size] { return normal_sky(size); });
  }
  constexpr std::int64_t size = 4096;
  for (const std::int64_t per_megapixel : {10, 1000, 50000}) {
    add_steps(backend + "/density_" + std::to_string(per_megapixel) + "/" + std::to_string(size), of_hard_images, where,
              [per_megapixel] { return crowded_sky(size, per_megapixel); });
  }
  for (const testing::LargeField& field : testing::large_hostile_fields()) {
    add_steps(backend + "/hostile_" + field.name + "/" + std::to_string(size), of_hard_images, where,
              [field] { return hostile_sky(field, size); });
  }
}

}  // namespace

void add_cpu_steps() {
  constexpr int repetitions = 41;
  add_backend<Cpu>("cpu", repetitions, 11, {2048, 4096, 8192});
  add_steps("cpu/one_thread/4096", repetitions, Cpu{1}, [] { return normal_sky(4096); });
  for (const int threads : thread_counts()) {
    add_steps("cpu/threads_" + std::to_string(threads) + "/4096", repetitions, Cpu{threads},
              [] { return normal_sky(4096); });
  }
}

#if SRCEXTRACT_HAVE_CUDA
void add_cuda_steps() {
  add_backend<Gpu>("cuda", 25, 25, {2048, 4096, 8192, 16384, 32768});
}

namespace {

/// What an image with that sky takes on a device.
void add_memory(const std::string& name, BackgroundMethod method, KernelShape kernel) {
  for (const std::int64_t size : {2048, 4096, 8192, 16384}) {
    benchmark::RegisterBenchmark(
        ("cuda/memory/" + name + std::to_string(size)).c_str(),
        [size, method, kernel](benchmark::State& state) {
          Sky small = normal_sky(64), large = normal_sky(size);
          for (Sky* sky : {&small, &large}) {
            sky->config.background.method = method;
            sky->config.convolve.kernel = kernel;
            sky->config.convolve.fwhm = kernel == KernelShape::none ? 0 : 1.5;
          }
          CudaExtractor(0, place<Cpu>()).extract(source_of(small.field), small.config, {});  // the kernels are loaded
          const std::int64_t before = find_cuda_device(0).free_memory;
          CudaExtractor extractor(0, place<Cpu>());
          for ([[maybe_unused]] auto unused : state) extractor.extract(source_of(large.field), large.config, {});
          const auto taken = static_cast<double>(before - find_cuda_device(0).free_memory);
          state.counters["device_bytes"] = taken;
          state.counters["images"] = taken / static_cast<double>(size * size * 4);
        })
        ->Iterations(3)
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace

void add_cuda_memory() {
  add_memory("", BackgroundMethod::constant, KernelShape::none);
  add_memory("mesh/", BackgroundMethod::mesh, KernelShape::none);
  add_memory("mesh_filter/", BackgroundMethod::mesh, KernelShape::gaussian);
}
#endif

}  // namespace srcextract::bench
