#pragma once

#include <algorithm>
#include <chrono>

namespace srcextract {

/// Counts the time that a process had: of one that was stopped (SIGSTOP, a scheduler that suspends jobs, a laptop that
/// sleeps) time goes on without it, and no image is to blame for that.
class Stopwatch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds tick{250};

  /// To be called about every tick; a longer gap counts as two.
  void look() {
    const Clock::time_point now = Clock::now();
    elapsed_ += std::min<Clock::duration>(now - last_, 2 * tick);
    last_ = now;
  }

  void restart() { *this = Stopwatch(); }

  double seconds() const { return std::chrono::duration<double>(elapsed_).count(); }

 private:
  Clock::time_point last_ = Clock::now();
  Clock::duration elapsed_{0};
};

}  // namespace srcextract
