// Benchmarks of the stages, of the four steps together, and of the limits they are held against, on pixels that are
// where they are needed, and of decompression; scripts/bench.sh makes tables of them.
#include "stages/core/keep_buffers.hpp"
#include "tests/bench/stages/benchmarks.hpp"

#include <algorithm>

namespace srcextract::bench {

Config lesson() {
  Config config;
  config.background.method = BackgroundMethod::constant;
  config.detection.reference = Baseline::zero;
  config.detection.connectivity = 4;
  config.detection.min_area = 1;
  config.measurement.reference = Baseline::zero;
  return config;
}

const std::vector<float>& sky(std::int64_t size) {
  constexpr std::int64_t largest_made = 4096;
  static std::int64_t last = 0;
  static std::vector<float> pixels;
  if (size == last) return pixels;
  const std::int64_t made = std::min(size, largest_made);
  const std::vector<float> tile = testing::star_field({made, made}, 0, 1, pixels_per_star, 1).pixels;
  pixels.resize(static_cast<std::size_t>(size * size));
  for (std::int64_t y = 0; y < size; ++y) {
    const auto row = tile.begin() + y % made * made;
    for (std::int64_t x = 0; x < size; x += made)
      std::copy_n(row, std::min(made, size - x), pixels.begin() + y * size + x);
  }
  last = size;
  return pixels;
}

namespace {

void add_cuda() {
#if SRCEXTRACT_HAVE_CUDA
  if (const auto reason = testing::Backend<Gpu>::reason_to_skip()) {
    benchmark::AddCustomContext("cuda", "skipped: " + *reason);
    return;
  }
  benchmark::AddCustomContext("cuda", find_cuda_device(0).name);
  add_cuda_stages();
  add_cuda_morphology();
  add_cuda_combinations();
  add_cuda_reads();
  add_cuda_rice();
  add_cuda_steps();
  add_cuda_chain();
  add_cuda_convolutions();
  add_cuda_memory();
  add_cuda_library();
  add_cuda_differences();
  add_cuda_pictures();
#else
  benchmark::AddCustomContext("cuda", "skipped: not built");
#endif
}

}  // namespace
}  // namespace srcextract::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::AddCustomContext("threads", std::to_string(srcextract::available_threads()));
  benchmark::AddCustomContext("field", "1000 sources/Mpixel, config/lesson.yaml");
  const srcextract::KeepBuffers as_for_a_list_of_images;
  srcextract::keep_released_memory(srcextract::KeepBuffers::least);
  srcextract::bench::add_cpu_stages();
  srcextract::bench::add_cpu_morphology();
  srcextract::bench::add_cpu_combinations();
  srcextract::bench::add_cpu_reads();
  srcextract::bench::add_cpu_steps();
  srcextract::bench::add_cpu_tiles();
  srcextract::bench::add_cpu_convolutions();
  srcextract::bench::add_cpu_differences();
  srcextract::bench::add_cpu_galaxies();
  srcextract::bench::add_cpu_pictures();
  srcextract::bench::add_cuda();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
