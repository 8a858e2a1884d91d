// Every stage by itself on pixels that are where they are needed, with the configuration of config/lesson.yaml.
#include <chrono>
#include <cstring>
#include <memory>
#include <type_traits>

#include "stages/convolve/convolve.hpp"
#include "stages/detect/label.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/measure/columns.hpp"
#include "stages/measure/measure.hpp"
#include "stages/photometry/photometry.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"
#include "tests/bench/stages/benchmarks.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "pipeline/engine/detection_graph.hpp"
#endif

namespace srcextract::bench {
namespace {

/// Everything that the stages of one image pass on, made before the clock starts.
template <class Where>
struct Prepared {
  explicit Prepared(std::int64_t size) : shape{size, size} {
    pixels = ingest(source(), where);
    make_room();
    background = estimate_background(pixels.image, config.background, where, bright);
    levels = resolve_levels(background, config, where);
    runs = find_runs(pixels.image, levels, where);
    components = label_components(runs, config.detection, where);
    sums = measure();
    meshes = estimate_mesh(pixels.image, BackgroundConfig{}, where);
    above_levels = resolve_levels(meshes.background, above_config(), where);
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

  /// From pixels to the foreground, by meshes and their noise at 1.5 sigma, with SExtractor's filter of 3 x 3 or none.
  Runs<Where> sky_to_runs(bool filtered) const {
    MeshSky<Where> of_image = estimate_mesh(pixels.image, BackgroundConfig{}, where);
    Image<float, Where> image = subtract_sky(pixels.image, of_image.mesh, where);
    if (filtered) {
      ConvolveConfig filter;
      filter.kernel = KernelShape::values;
      filter.values = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
      image = convolve(image, make_kernel(filter), Edges::zero, of_image.above, where);
    }
    return find_runs(image, resolve_levels(of_image.above, above_config(), where), of_image.mesh, where);
  }
  static Config above_config() {
    Config above;
    above.detection.threshold = 1.5;
    above.detection.min_area = 5;
    return above;
  }

  Shape shape;
  Config config = lesson();
  Where where = place<Where>();
  Pixels<Where> pixels;
  Value<Background, Where> background;
  BrightQuads<Where> bright;
  Value<Levels, Where> levels;
  MeshSky<Where> meshes;
  Value<Levels, Where> above_levels;  ///< of pixels from which the sky was not subtracted
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
  where.capacity = initial_capacity(shape, config);
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

/// Sources as SExtractor's default.sex finds them, but for deblending and cleaning, for the families that measure them.
template <class Where>
struct FoundSources {
  explicit FoundSources(const Prepared<Where>& in)
      : runs(in.sky_to_runs(true)),
        components(label_components(runs, Prepared<Where>::above_config().detection, in.where)),
        sums(measure_sources(in.pixels.image, runs, components, in.above_levels, in.pixels.masked, in.where)) {}

  Photometry<Where> measure(const Prepared<Where>& in, const char* columns) const {
    Config config = Prepared<Where>::above_config();
    config.output.columns = {columns};
    return measure_photometry({in.pixels.image, no_variance, in.above_levels, runs, components, sums, not_deblended},
                              config, in.where);
  }

  Runs<Where> runs;
  Components<Where> components;
  Buffer<SourceSums, Where> sums;
  Image<float, Where> no_variance;
  Buffer<Parentage, Where> not_deblended;
};

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

/// Measuring the sources of the last size asked for by the families that these columns need.
template <class Where>
Photometry<Where> measure_columns(const Prepared<Where>& in, const char* columns) {
  static std::int64_t size = 0;
  static std::unique_ptr<FoundSources<Where>> found;
  if (size != in.shape.width) found = std::make_unique<FoundSources<Where>>(in);
  size = in.shape.width;
  return found->measure(in, columns);
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
    if constexpr (std::is_same_v<Where, Gpu>) {  // the host leaves no bright quads
      add_stage<Where>(backend, "background_and_bright", size, [](const Input& in) {
        BrightQuads<Where> bright;
        return estimate_background(in.pixels.image, in.config.background, in.where, bright);
      });
      add_stage<Where>(backend, "threshold_of_bright", size,
                       [](const Input& in) { return find_runs(in.pixels.image, in.levels, in.bright, in.where); });
    }
    add_stage<Where>(backend, "mesh", size,
                     [](const Input& in) { return estimate_mesh(in.pixels.image, BackgroundConfig{}, in.where); });
    add_stage<Where>(backend, "subtract", size,
                     [](const Input& in) { return subtract_sky(in.pixels.image, in.meshes.mesh, in.where); });
    add_stage<Where>(backend, "threshold_by_noise", size, [](const Input& in) {
      return find_runs(in.pixels.image, in.above_levels, in.meshes.mesh, in.where);
    });
    add_stage<Where>(backend, "sky_to_runs", size, [](const Input& in) { return in.sky_to_runs(false); });
    add_stage<Where>(backend, "sky_to_runs_filtered", size, [](const Input& in) { return in.sky_to_runs(true); });
    add_stage<Where>(backend, "label", size,
                     [](const Input& in) { return label_components(in.runs, in.config.detection, in.where); });
    add_stage<Where>(backend, "measure", size, [](const Input& in) { return in.measure(); });
    add_stage<Where>(backend, "columns", size, [](const Input& in) {
      return derive_columns({sums_on_host(in)}, in.shape, fetch(in.levels, in.where), in.config.measurement);
    });
    // Radii need FLUX_AUTO, and windows need radii.
    for (const char* columns : {"FLUX_APER", "FLUX_AUTO", "FLUX_PETRO", "FLUX_RADIUS", "XWIN_IMAGE", "profile",
                                "ANNULUS_SKY", "photometry", "all"})
      add_stage<Where>(backend, std::string("photometry_") + columns, size,
                       [columns](const Input& in) { return measure_columns(in, columns); });
  }
}

}  // namespace

void add_cpu_stages() {
  add_stages<Cpu>("cpu", {1024, 4096});
}

#if SRCEXTRACT_HAVE_CUDA
void add_cuda_stages() {
  add_stages<Gpu>("cuda", {2048, 4096, 8192, 16384});
}
#endif

}  // namespace srcextract::bench
