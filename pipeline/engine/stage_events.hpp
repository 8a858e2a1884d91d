#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "cuda/device/timing.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

struct StageEnd {
  const char* stage;
  TimedEvent event;
};

/// Calls on_stage(stage, seconds) for every stage. The first stage is timed from `begin`. All stages must be complete.
inline void report_stage_times(const TimedEvent& begin, std::span<const StageEnd> ends,
                               const std::function<void(const char*, double)>& on_stage) {
  const TimedEvent* before = &begin;
  for (const StageEnd& end : ends) {
    on_stage(end.stage, end.event.seconds_since(*before));
    before = &end.event;
  }
}

/// Measures the times of stages in a stream, with CUDA events that are kept from image to image. Creating or destroying
/// an event would wait for all driver calls of other threads.
class StageEvents {
 public:
  explicit StageEvents(const Gpu& where) : stream_(where.stream) {}

  /// Forgets the earlier stages. The first stage is timed from now.
  void begin() {
    count_ = 0;
    begin_.record(stream_);
  }

  void done(const char* stage) {
    if (count_ == ends_.size()) ends_.push_back({stage, {}});
    StageEnd& end = ends_[count_++];
    end.stage = stage;
    end.event.record(stream_);
  }

  /// The end of the last stage, or the event of begin() if no stage has ended.
  const TimedEvent& last() const { return count_ == 0 ? begin_ : ends_[count_ - 1].event; }

  /// Calls on_stage(stage, seconds) for every stage. All stages must be complete.
  void report_times(const std::function<void(const char*, double)>& on_stage) const {
    report_stage_times(begin_, std::span(ends_).first(count_), on_stage);
  }

 private:
  cudaStream_t stream_;
  TimedEvent begin_;
  std::vector<StageEnd> ends_;
  std::size_t count_ = 0;  ///< number of stages of this image, whose events are the first of `ends_`
};

}  // namespace srcextract
