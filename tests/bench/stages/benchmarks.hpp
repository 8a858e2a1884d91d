#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "stages/core/parallel.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract::bench {

inline constexpr std::int64_t pixels_per_star = 1000;

/// config/lesson.yaml.
Config lesson();

/// A normal field of that size, beyond 4096 the field of 4096 again and again. The last is kept, since benchmarks of a
/// size follow one another.
const std::vector<float>& sky(std::int64_t size);

/// Where the benchmarks of a back end run: all threads, or one stream of the first device.
template <class Where>
Where place();
template <>
inline Cpu place() {
  return {available_threads()};
}
#if SRCEXTRACT_HAVE_CUDA
template <>
inline Gpu place() {
  static const Stream stream(0);
  return stream.where();
}
#endif

/// 1, 2, 4, ... threads, and as many as there are.
inline std::vector<int> thread_counts() {
  std::vector<int> counts;
  for (int threads = 1; threads < available_threads(); threads *= 2) counts.push_back(threads);
  counts.push_back(available_threads());
  return counts;
}

/// Registers a benchmark that sets the time of its one iteration; the median over `repetitions` is reported, and the
/// best, which is what others on the machine disturb least.
template <class Function>
void add_repeated(const std::string& name, int repetitions, const Function& function) {
  benchmark::RegisterBenchmark(name.c_str(), function)
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(repetitions)
      ->ReportAggregatesOnly()
      ->ComputeStatistics("min", [](const std::vector<double>& times) { return *std::ranges::min_element(times); })
      ->Unit(benchmark::kMicrosecond);
}

/// What is measured on a back end; the CUDA ones only where there is a device.
void add_cpu_stages();
void add_cuda_stages();
void add_cpu_morphology();
void add_cuda_morphology();
void add_cpu_combinations();
void add_cuda_combinations();
void add_cpu_reads();
void add_cuda_reads();
void add_cpu_steps();
void add_cpu_tiles();
void add_cpu_convolutions();
void add_cuda_rice();
void add_cuda_steps();
void add_cuda_chain();
void add_cuda_convolutions();
void add_cuda_memory();
void add_cuda_library();
void add_cpu_differences();
void add_cuda_differences();
void add_cpu_galaxies();
void add_cpu_pictures();
void add_cuda_pictures();

}  // namespace srcextract::bench
