#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>

#include "stages/background.hpp"
#include "stages/core/buffer.hpp"
#include "stages/core/exec.hpp"
#include "stages/core/sources.hpp"
#include "stages/ingest.hpp"
#include "stages/label.hpp"
#include "stages/measure.hpp"
#include "stages/threshold.hpp"

namespace srcextract {

/// Host copies of what every stage made of one image, for the comparison of back ends.
struct StageRecord {
  Pixels<Cpu> pixels;
  Background background;
  Runs<Cpu> runs;
  Components<Cpu> components;
  Buffer<SourceSums, Cpu> sums;
  Sources sources;
};

/// What someone outside the pipeline may learn of a run: on the host as it goes on, from a GPU when it is done.
struct Observer {
  std::function<void(const char* stage, double seconds)> on_stage;  ///< called for every stage
  StageRecord* record = nullptr;                                    ///< if set, receives every stage's result
};

template <class T>
Buffer<T, Cpu> copy_of(const Buffer<T, Cpu>& buffer) {
  Buffer<T, Cpu> copy(buffer.size(), Cpu{});
  std::copy(buffer.begin(), buffer.end(), copy.begin());
  return copy;
}

/// Copies the result of a stage into the record.
inline void keep(const Pixels<Cpu>& pixels, StageRecord& record) {
  record.pixels.image.shape = pixels.image.shape;
  record.pixels.image.pixels = copy_of(pixels.image.pixels);
  record.pixels.masked = pixels.masked;
}
inline void keep(const Value<Background, Cpu>& background, StageRecord& record) {
  record.background = *background;
}
inline void keep(const Runs<Cpu>& runs, StageRecord& record) {
  record.runs = {runs.shape, copy_of(runs.runs), copy_of(runs.row_begin)};
}
inline void keep(const Components<Cpu>& components, StageRecord& record) {
  record.components = {copy_of(components.label), components.counts};
}
inline void keep(const Buffer<SourceSums, Cpu>& sums, StageRecord& record) {
  record.sums = copy_of(sums);
}
inline void keep(const Sources& sources, StageRecord& record) {
  record.sources = sources;
}

/// The tap of run_stages that serves an Observer. A stage's time is wall time until its work is complete, without the
/// copies made for the record.
class ObservingTap {
 public:
  explicit ObservingTap(const Observer& observer) : observer_(observer) {}

  template <class Result>
  void operator()(const char* stage, const Result& result) {
    const std::chrono::duration<double> elapsed = Clock::now() - begin_;
    if (observer_.on_stage) observer_.on_stage(stage, elapsed.count());
    if (observer_.record) keep(result, *observer_.record);
    begin_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;

  const Observer& observer_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace srcextract
