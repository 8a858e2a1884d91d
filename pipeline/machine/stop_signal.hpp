#pragma once

#include <csignal>

namespace srcextract {

/// While an object exists, SIGTERM and SIGINT are remembered instead of ending the process. The second signal of the
/// same kind does end it. At most one object at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// The received signal, or 0.
  static int received();

 private:
  struct sigaction terminate_ {
  }, interrupt_{};
};

}  // namespace srcextract
