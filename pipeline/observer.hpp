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

/// What someone outside the pipeline may learn while it runs.
struct Observer {
  std::function<void(const char* stage, double seconds)> on_stage;  ///< called when a stage is complete
  StageRecord* record = nullptr;                                    ///< if set, receives every stage's result
};

template <class T>
Buffer<T, Cpu> host_copy(const Buffer<T, Cpu>& buffer, const Cpu& where) {
  Buffer<T, Cpu> copy(buffer.size(), where);
  std::copy(buffer.begin(), buffer.end(), copy.begin());
  return copy;
}
template <class T>
Buffer<T, Cpu> host_copy(const Buffer<T, Gpu>& buffer, const Gpu& where) {
  return to_host(buffer, where);
}

/// The tap of run_stages that serves an Observer. A stage's time is wall time until its work is complete, without the
/// copies made for the record.
template <class Where>
class ObservingTap {
 public:
  ObservingTap(const Observer& observer, const Where& where) : observer_(observer), where_(where) {}

  template <class Result>
  void operator()(const char* stage, const Result& result) {
    synchronize(where_);
    const std::chrono::duration<double> elapsed = Clock::now() - begin_;
    if (observer_.on_stage) observer_.on_stage(stage, elapsed.count());
    if (observer_.record) keep(result, *observer_.record);
    begin_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void keep(const Pixels<Where>& pixels, StageRecord& record) const {
    record.pixels.image.shape = pixels.image.shape;
    record.pixels.image.pixels = host_copy(pixels.image.pixels, where_);
    record.pixels.nan = pixels.nan;
    record.pixels.infinite = pixels.infinite;
    record.pixels.blank = pixels.blank;
  }
  void keep(const Background& background, StageRecord& record) const { record.background = background; }
  void keep(const Runs<Where>& runs, StageRecord& record) const {
    record.runs = {runs.shape, host_copy(runs.runs, where_), host_copy(runs.row_begin, where_)};
  }
  void keep(const Components<Where>& components, StageRecord& record) const {
    record.components = {host_copy(components.label, where_), components.count, components.found};
  }
  void keep(const Buffer<SourceSums, Where>& sums, StageRecord& record) const { record.sums = host_copy(sums, where_); }
  void keep(const Sources& sources, StageRecord& record) const { record.sources = sources; }

  const Observer& observer_;
  Where where_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace srcextract
