// Every stage by itself on pixels that are where they are needed, with the configuration of config/lesson.yaml.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstring>
#include <map>
#include <string>

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
    background = estimate_background(pixels.image, config.background, where);
    levels = resolve_levels(background, config);
    runs = find_runs(pixels.image, levels.detection, where);
    components = label_components(runs, config.detection, where);
    sums = measure();
  }

  PixelSource source() const {
    return {shape, {.big_endian = false}, [data = sky(shape.width).data()](auto first, auto count, std::byte* out) {
              std::memcpy(out, data + first, static_cast<std::size_t>(count) * sizeof(float));
            }};
  }
  Buffer<SourceSums, Where> measure() const {
    return measure_sources(pixels.image, runs, components, levels.background, false, where);
  }

  Shape shape;
  Config config = lesson();
  Where where = place<Where>();
  Pixels<Where> pixels;
  Background background;
  Levels levels;
  Runs<Where> runs;
  Components<Where> components;
  Buffer<SourceSums, Where> sums;
};

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
  state.counters["sources"] = static_cast<double>(input.components.count);
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
                     [](const Input& in) { return find_runs(in.pixels.image, in.levels.detection, in.where); });
    add_stage<Where>(backend, "label", size,
                     [](const Input& in) { return label_components(in.runs, in.config.detection, in.where); });
    add_stage<Where>(backend, "measure", size, [](const Input& in) { return in.measure(); });
    add_stage<Where>(backend, "columns", size, [](const Input& in) {
      return derive_columns(host_copy(in.sums, in.where), in.shape, in.levels, in.config.measurement);
    });
  }
}

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
