#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "stages/core/stage_record.hpp"

namespace srcextract {

/// Callbacks for users of a run: on the host while it runs, from a GPU when it is done.
struct Observer {
  std::function<void(const char* stage, double seconds)> on_stage;  ///< called for every stage
  StageRecord* record = nullptr;                                    ///< if set, receives every stage's result
  /// On the host: receives the number of sources before memory for them is taken. May throw.
  std::function<void(std::int64_t sources)> on_sources = {};
  /// On the host: receives the number of bytes that deblending is about to take. May throw.
  std::function<void(std::int64_t bytes)> on_deblending = {};
  /// Receives the number of bytes that the stars of a crowd are about to take. May throw.
  std::function<void(std::int64_t bytes)> on_crowd = {};
};

/// Measures the wall time of each stage on the host and reports it to an Observer. Copies made for the record do not
/// count.
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
