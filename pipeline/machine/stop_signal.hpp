#pragma once

#include <csignal>

namespace srcextract {

/// While an object exists, the process does not end at the first SIGTERM, SIGINT or SIGHUP: received() returns the
/// signal. A second signal of the same kind ends the process. At most one object may exist at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// The number of the received signal; 0 if none was received.
  static int received();

 private:
  struct sigaction terminate_ {
  }, interrupt_{}, hang_up_{};
};

}  // namespace srcextract
