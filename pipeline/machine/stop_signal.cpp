#include "pipeline/machine/stop_signal.hpp"

#include <atomic>

namespace srcextract {
namespace {

std::atomic<int> signal_received = 0;
static_assert(std::atomic<int>::is_always_lock_free);  // or a signal handler could not use it

void remember(int number) {
  signal_received = number;
}

}  // namespace

StopSignal::StopSignal() {
  signal_received = 0;
  struct sigaction action {};
  action.sa_handler = remember;
  // The next of the kind does what it always did. System calls go on.
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGTERM, &action, &terminate_);
  // A shell has background jobs ignore it: that stays so.
  sigaction(SIGINT, nullptr, &interrupt_);
  if (interrupt_.sa_handler != SIG_IGN) sigaction(SIGINT, &action, nullptr);
}

StopSignal::~StopSignal() {
  sigaction(SIGTERM, &terminate_, nullptr);
  sigaction(SIGINT, &interrupt_, nullptr);
}

int StopSignal::received() {
  return signal_received;
}

}  // namespace srcextract
