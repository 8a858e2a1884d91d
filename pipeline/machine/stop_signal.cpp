#include "pipeline/machine/stop_signal.hpp"

#include <atomic>

namespace srcextract {
namespace {

std::atomic<int> signal_received = 0;
static_assert(std::atomic<int>::is_always_lock_free);  // required for use in a signal handler

void remember(int number) {
  signal_received = number;
}

}  // namespace

StopSignal::StopSignal() {
  signal_received = 0;
  struct sigaction action {};
  action.sa_handler = remember;
  // SA_RESETHAND: a second signal of the same kind has the default effect, which ends the process. SA_RESTART:
  // interrupted system calls are restarted.
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGTERM, &action, &terminate_);
  // A shell starts background jobs with SIGINT ignored, and nohup a command with SIGHUP ignored; this is kept.
  sigaction(SIGINT, nullptr, &interrupt_);
  if (interrupt_.sa_handler != SIG_IGN) sigaction(SIGINT, &action, nullptr);
  sigaction(SIGHUP, nullptr, &hang_up_);
  if (hang_up_.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

StopSignal::~StopSignal() {
  sigaction(SIGTERM, &terminate_, nullptr);
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGHUP, &hang_up_, nullptr);
}

int StopSignal::received() {
  return signal_received;
}

}  // namespace srcextract
