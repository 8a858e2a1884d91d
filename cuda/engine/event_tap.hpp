#pragma once

#include <functional>
#include <vector>

#include "cuda/device/timing.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// A tap (pipeline/chain/run_stages.hpp) that notes when the stages in a stream were done.
class EventTap {
 public:
  /// The first stage begins now.
  explicit EventTap(const Gpu& where) : stream_(where.stream) { begin_.record(stream_); }

  template <class Result>
  void operator()(const char* stage, const Result&) {
    ends_.push_back({stage, {}});
    ends_.back().event.record(stream_);
  }

  /// The end of the last stage.
  const TimedEvent& last() const { return ends_.empty() ? begin_ : ends_.back().event; }

  /// Tells how long every stage took; all must be complete.
  void report_times(const std::function<void(const char*, double)>& on_stage) const {
    const TimedEvent* before = &begin_;
    for (const StageEnd& end : ends_) {
      on_stage(end.stage, end.event.seconds_since(*before));
      before = &end.event;
    }
  }

 private:
  struct StageEnd {
    const char* stage;
    TimedEvent event;
  };
  cudaStream_t stream_;
  TimedEvent begin_;
  std::vector<StageEnd> ends_;
};

}  // namespace srcextract
