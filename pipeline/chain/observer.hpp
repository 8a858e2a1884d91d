#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "stages/core/stage_record.hpp"

namespace srcextract {

/// Callbacks that report the progress of an extraction. On the host they are called while the extraction runs. For a
/// GPU, the steps on the device are reported together when they are done.
struct Observer {
  std::function<void(const char* stage, double seconds)> on_stage;  ///< called after every stage with its wall time
  StageRecord* record = nullptr;  ///< receives the result of every stage; null: results are not recorded
  /// On the host: called with the number of sources before memory for them is allocated. May throw, which ends the
  /// extraction.
  std::function<void(std::int64_t sources)> on_sources = {};
  /// On the host: called with the number of bytes that deblending is about to allocate. May throw, which ends the
  /// extraction.
  std::function<void(std::int64_t bytes)> on_deblending = {};
  /// Called with the number of bytes that the fit of all stars is about to allocate. May throw, which ends the
  /// extraction.
  std::function<void(std::int64_t bytes)> on_crowd = {};
};

/// Measures the wall time of each stage on the host and reports it to an Observer. The time that recording a result
/// takes is not counted.
class StageClock {
 public:
  explicit StageClock(const Observer& observer) : observer_(observer) {}

  void done(const char* stage) {
    const std::chrono::duration<double> elapsed = Clock::now() - begin_;
    if (observer_.on_stage) observer_.on_stage(stage, elapsed.count());
    begin_ = Clock::now();
  }

  template <class Result>
  void done(const char* stage, const Result& result) {
    done(stage);
    if (observer_.record == nullptr) return;
    record_stage(stage, result, *observer_.record);
    begin_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;

  const Observer& observer_;
  Clock::time_point begin_ = Clock::now();
};

}  // namespace srcextract
