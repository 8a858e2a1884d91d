#include "pipeline/batch/run_summary.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "pipeline/log/progress.hpp"
#include "stages/core/counted.hpp"

namespace srcextract {
namespace {

/// "0.28 s" if `seconds` is less than a minute, else "1:02:03".
std::string duration_text(double seconds) {
  return seconds < 60 ? fmt::format("{:.2f} s", seconds) : format_duration(seconds);
}

}  // namespace

void RunSummary::add(const ImageOutcome& outcome) {
  const std::lock_guard lock(mutex_);
  if (outcome.record.images == 0) return;
  if (!outcome.record.done) {
    ++failed_;
    ++failures_[outcome.record.kind];
    return;
  }
  ++done_;
  sources_ += outcome.record.sources;
  pixels_ += outcome.record.width * outcome.record.height;
  for (const StepTime& time : outcome.times) {
    const auto known = std::ranges::find(times_, time.step, &StepTime::step);
    if (known == times_.end()) {
      times_.push_back(time);
    } else {
      known->seconds += time.seconds;
    }
  }
}

std::int64_t RunSummary::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

std::int64_t RunSummary::images() const {
  const std::lock_guard lock(mutex_);
  return done_ + failed_;
}

std::vector<std::string> RunSummary::describe() const {
  const std::lock_guard lock(mutex_);
  const std::chrono::duration<double> elapsed = Clock::now() - begin_;
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{} done, {}, {} failed, in {} ({:.1f} images/s, {:.1f} Mpixel/s)",
                              counted(done_, "image"), counted(sources_, "source"), failed_,
                              duration_text(elapsed.count()), static_cast<double>(done_) / elapsed.count(),
                              static_cast<double>(pixels_) / elapsed.count() / 1e6));
  if (failed_ > 0) {
    std::string kinds;
    for (const auto& [kind, count] : failures_) kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", count, kind);
    lines.push_back("failed, by kind: " + kinds);
  }
  double total = 0;
  for (const StepTime& time : times_) total += time.seconds;
  std::string steps;
  for (const StepTime& time : times_)
    steps += fmt::format("{}{} {:.0f} %", steps.empty() ? "" : ", ", time.step, 100 * time.seconds / total);
  if (total > 0) lines.push_back("where the workers' time went: " + steps);
  return lines;
}

}  // namespace srcextract
