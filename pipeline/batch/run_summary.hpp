#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "pipeline/image/open_image.hpp"

namespace srcextract {

/// Totals of a run of many images. Several threads may call the member functions at the same time.
class RunSummary {
 public:
  void add(const ImageOutcome& outcome);

  std::int64_t failed() const;
  std::int64_t images() const;  ///< done or failed

  /// Lines for the log: numbers of images and sources, failures by kind, rate, and the shares of the workers' time that
  /// the steps took.
  std::vector<std::string> describe() const;

 private:
  using Clock = std::chrono::steady_clock;

  mutable std::mutex mutex_;
  Clock::time_point begin_ = Clock::now();
  std::int64_t done_ = 0, failed_ = 0, sources_ = 0, pixels_ = 0;
  std::map<std::string, std::int64_t> failures_;  ///< number of failed images by ImageRecord::kind
  std::vector<StepTime> times_;  ///< time of every step summed over all images, in order of the steps' first appearance
};

}  // namespace srcextract
