#pragma once

#include <functional>
#include <vector>

#include "cuda/device/timing.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Notes when the stages in a stream were done.
class StageEvents {
 public:
  /// The first stage begins now.
  explicit StageEvents(const Gpu& where) : stream_(where.stream) { begin_again(); }

  void done(const char* stage) {
    ends_.push_back({stage, {}});
    ends_.back().event.record(stream_);
  }

  /// Forgets the stages there were; the next one begins now.
  void begin_again() {
    ends_.clear();
    begin_.record(stream_);
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
