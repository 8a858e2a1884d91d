#pragma once

#include <algorithm>
#include <chrono>

namespace srcextract {

/// Counts the time during which the process ran. Time during which the process was stopped (SIGSTOP, a suspended job, a
/// sleeping laptop) does not count, since no image is to blame for it.
class Stopwatch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds tick{250};

  /// Call it about every tick; a gap of more than two ticks counts as two.
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
