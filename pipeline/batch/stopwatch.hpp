#pragma once

#include <algorithm>
#include <chrono>

namespace srcextract {

/// Measures the time during which the process ran. Time during which the process was stopped (SIGSTOP, a suspended job,
/// a sleeping laptop) does not count, since an image did not cause that delay.
class Stopwatch {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds tick{250};

  /// Call this about once every tick. If more than two ticks have passed since the last call, only two ticks are added.
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
