// Every stage by itself on pixels that are where they are needed, with the configuration of config/lesson.yaml.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/observer.hpp"
#include "stages/background.hpp"
#include "stages/columns.hpp"
#include "stages/core/parallel.hpp"
#include "stages/ingest.hpp"
#include "stages/label.hpp"
#include "stages/measure.hpp"
#include "stages/threshold.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "cuda/detect.hpp"
#endif

namespace srcextract {
namespace {

constexpr std::int64_t pixels_per_star = 1000;

Config lesson() {
  Config config;
  config.detection.reference = Reference::zero;
  config.detection.connectivity = 4;
  config.detection.min_area = 1;
  config.measurement.reference = Reference::zero;
  return config;
}

/// The sky of one size; the last is kept, since benchmarks of a size follow one another.
const std::vector<float>& sky(std::int64_t size) {
  static std::int64_t last = 0;
  static std::vector<float> pixels;
  if (size != last) pixels = testing::star_field({size, size}, 0, 1, pixels_per_star, 1).pixels;
  last = size;
  return pixels;
}

template <class Where>
Where place();
template <>
Cpu place() {
  return {available_threads()};
}
#if SRCEXTRACT_HAVE_CUDA
template <>
Gpu place() {
  static const Stream stream(0);
  return stream.where();
}
#endif

/// Everything that the stages of one image pass on, made before the clock starts.
template <class Where>
struct Prepared {
  explicit Prepared(std::int64_t size) : shape{size, size} {
    pixels = ingest(source(), where);
    make_room();
    background = estimate_background(pixels.image, config.background, where);
    levels = resolve_levels(background, config, where);
    runs = find_runs(pixels.image, levels, where);
    components = label_components(runs, config.detection, where);
    sums = measure();
    counts = fetch(components.counts, where);
  }

  void make_room();

  PixelSource source() const {
    return {shape, {.big_endian = false}, [data = sky(shape.width).data()](auto first, auto count, std::byte* out) {
              std::memcpy(out, data + first, static_cast<std::size_t>(count) * sizeof(float));
            }};
  }
  Buffer<SourceSums, Where> measure() const {
    return measure_sources(pixels.image, runs, components, levels, pixels.masked, where);
  }

  Shape shape;
  Config config = lesson();
  Where where = place<Where>();
  Pixels<Where> pixels;
  Value<Background, Where> background;
  Value<Levels, Where> levels;
  Runs<Where> runs;
  Components<Where> components;
  Buffer<SourceSums, Where> sums;
  ComponentCounts counts;
};

/// Room for a normal field on a device; the host needs none beforehand.
template <>
void Prepared<Cpu>::make_room() {}
#if SRCEXTRACT_HAVE_CUDA
template <>
void Prepared<Gpu>::make_room() {
  where.capacity = initial_capacity(shape);
}
#endif

const Buffer<SourceSums, Cpu>& sums_on_host(const Prepared<Cpu>& in) {
  return in.sums;
}
#if SRCEXTRACT_HAVE_CUDA
Buffer<SourceSums, Cpu> sums_on_host(const Prepared<Gpu>& in) {
  return to_host(in.sums, in.counts.kept, in.where);
}
#endif

/// The input of a size, shared by the benchmarks that follow one another.
template <class Where>
const Prepared<Where>& prepared(std::int64_t size) {
  place<Where>();  // made first, so that it outlives what is kept on it
  static std::unique_ptr<Prepared<Where>> last;
  if (!last || last->shape.width != size) {
    last.reset();
    last = std::make_unique<Prepared<Where>>(size);
  }
  return *last;
}

/// Times stage(prepared) until its work is complete; freeing what it made is not counted.
template <class Where, class Stage>
void time_stage(benchmark::State& state, const Stage& stage) {
  const Prepared<Where>& input = prepared<Where>(state.range(0));
  for ([[maybe_unused]] auto unused : state) {
    const auto begin = std::chrono::steady_clock::now();
    const auto result = stage(input);
    synchronize(input.where);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    benchmark::DoNotOptimize(&result);
    state.SetIterationTime(elapsed.count());
  }
  const auto pixels = state.iterations() * input.shape.count();
  state.SetBytesProcessed(pixels * static_cast<std::int64_t>(sizeof(float)));
  state.SetItemsProcessed(pixels);
  state.counters["sources"] = static_cast<double>(input.counts.kept);
}

template <class Where, class Stage>
void add_stage(const std::string& backend, const std::string& stage_name, std::int64_t size, const Stage& stage) {
  benchmark::RegisterBenchmark((backend + "/" + stage_name).c_str(),
                               [stage](benchmark::State& state) { time_stage<Where>(state, stage); })
      ->Arg(size)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

template <class Where>
void add_stages(const std::string& backend, std::initializer_list<std::int64_t> sizes) {
  using Input = Prepared<Where>;
  for (const std::int64_t size : sizes) {
    add_stage<Where>(backend, "ingest", size, [](const Input& in) { return ingest(in.source(), in.where); });
    add_stage<Where>(backend, "background", size, [](const Input& in) {
      return estimate_background(in.pixels.image, in.config.background, in.where);
    });
    add_stage<Where>(backend, "threshold", size,
                     [](const Input& in) { return find_runs(in.pixels.image, in.levels, in.where); });
    add_stage<Where>(backend, "label", size,
                     [](const Input& in) { return label_components(in.runs, in.config.detection, in.where); });
    add_stage<Where>(backend, "measure", size, [](const Input& in) { return in.measure(); });
    add_stage<Where>(backend, "columns", size, [](const Input& in) {
      return derive_columns(sums_on_host(in), in.shape, fetch(in.levels, in.where), in.config.measurement);
    });
  }
}

#if SRCEXTRACT_HAVE_CUDA
/// The four steps as the program runs them, a graph on a resident image, launched on several images in turn so that no
/// cache holds the next one.
class FourSteps {
 public:
  explicit FourSteps(std::int64_t size) : size_(size) {
    constexpr std::int64_t most_bytes = std::int64_t{8} << 30;
    constexpr std::int64_t most_images = 16;
    const Prepared<Gpu> prepared(size);
    const std::int64_t images = std::clamp<std::int64_t>(most_bytes / (size * size * 8), 1, most_images);
    for (std::int64_t i = 0; i < images; ++i) {
      images_.push_back(ingest(prepared.source(), prepared.where));
      graphs_.push_back(std::make_unique<DetectionGraph>(images_.back(), prepared.config, prepared.where));
    }
    sources_ = prepared.counts.kept;
    stream_ = prepared.where.stream;
  }

  /// Seconds that the next launch takes on the device.
  double launch() {
    begin_.record(stream_);
    graphs_[next_]->launch();
    end_.record(stream_);
    end_.wait();
    next_ = (next_ + 1) % graphs_.size();
    return end_.seconds_since(begin_);
  }

  std::int64_t size() const { return size_; }
  std::int64_t sources() const { return sources_; }

 private:
  std::int64_t size_;
  std::int64_t sources_ = 0;
  CUstream_st* stream_ = nullptr;
  std::deque<Pixels<Gpu>> images_;
  std::vector<std::unique_ptr<DetectionGraph>> graphs_;
  std::size_t next_ = 0;
  TimedEvent begin_, end_;
};

/// One launch an iteration; the median over 25 of them is printed.
void time_four_steps(benchmark::State& state) {
  place<Gpu>();  // made first, so that it outlives what is kept on it
  static std::unique_ptr<FourSteps> steps;
  if (!steps || steps->size() != state.range(0)) {
    steps.reset();
    steps = std::make_unique<FourSteps>(state.range(0));
    for (int warm_up = 0; warm_up < 3; ++warm_up) steps->launch();
  }
  for ([[maybe_unused]] auto unused : state) state.SetIterationTime(steps->launch());
  state.SetBytesProcessed(state.range(0) * state.range(0) * static_cast<std::int64_t>(sizeof(float)));
  state.counters["sources"] = static_cast<double>(steps->sources());
}

void add_four_steps() {
  for (const std::int64_t size : {2048, 4096, 8192, 16384, 32768}) {
    benchmark::RegisterBenchmark("cuda/four_steps", time_four_steps)
        ->Arg(size)
        ->UseManualTime()
        ->Iterations(1)
        ->Repetitions(25)
        ->ReportAggregatesOnly()
        ->Unit(benchmark::kMicrosecond);
  }
}
#endif

void add_backends() {
  benchmark::AddCustomContext("threads", std::to_string(available_threads()));
  benchmark::AddCustomContext("field", "1000 sources/Mpixel, config/lesson.yaml");
  add_stages<Cpu>("cpu", {1024, 4096});
#if SRCEXTRACT_HAVE_CUDA
  if (const auto reason = testing::Backend<Gpu>::reason_to_skip()) {
    benchmark::AddCustomContext("cuda", "skipped: " + *reason);
    return;
  }
  benchmark::AddCustomContext("cuda", find_cuda_device(0).name);
  add_stages<Gpu>("cuda", {2048, 4096, 8192, 16384});
  add_four_steps();
#else
  benchmark::AddCustomContext("cuda", "skipped: not built");
#endif
}

}  // namespace
}  // namespace srcextract

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  srcextract::add_backends();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
