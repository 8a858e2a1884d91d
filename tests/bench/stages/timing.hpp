#pragma once

#include <benchmark/benchmark.h>

#include <chrono>

#include "stages/core/exec.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "cuda/device/timing.hpp"
#endif

namespace srcextract::bench {

/// Seconds from before `work` until `where` is done with it, by the clock; freeing what it returns is not counted.
template <class Work, class Where>
double wall_seconds_of(const Work& work, const Where& where) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = work();
  synchronize(where);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  benchmark::DoNotOptimize(&result);
  return elapsed.count();
}

/// Seconds that `work` takes where it runs.
template <class Work>
double seconds_of(const Work& work, const Cpu& where) {
  return wall_seconds_of(work, where);
}

#if SRCEXTRACT_HAVE_CUDA
/// On a device the time between events: while it is at the same work for the first time, the second is queued, so that
/// launching is not counted unless it takes longer than the work.
template <class Work>
double seconds_of(const Work& work, const Gpu& where) {
  TimedEvent begin, end;
  work();
  begin.record(where.stream);
  const auto result = work();
  end.record(where.stream);
  end.wait();
  benchmark::DoNotOptimize(&result);
  return end.seconds_since(begin);
}
#endif

}  // namespace srcextract::bench
