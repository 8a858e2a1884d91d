#pragma once

#include <csignal>

namespace srcextract {

/// While one lives, SIGTERM and SIGINT do not end the process but are remembered; the second of one kind does end it.
/// At most one at a time.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// The signal that came, or 0.
  static int received();

 private:
  struct sigaction terminate_ {
  }, interrupt_{};
};

}  // namespace srcextract
