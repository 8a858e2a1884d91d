#include "python/core/interrupt.hpp"

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <thread>

#include "stages/core/stop.hpp"

namespace srcextract::python {
namespace nb = nanobind;

bool hears_signals() {
  return gettid() == getpid();
}

void look_at_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void do_interruptibly(const std::function<void()>& work) {
  if (!hears_signals()) {
    const nb::gil_scoped_release others;
    return work();
  }
  std::atomic<bool> stop = false;
  std::optional<nb::python_error> raised;
  std::exception_ptr failure;
  {
    std::promise<void> ended;
    const std::future<void> end = ended.get_future();
    std::optional<nb::gil_scoped_release> others(std::in_place);
    std::jthread worker([&] {
      const StopScope asked(&stop);
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      ended.set_value();
    });
    while (end.wait_for(std::chrono::milliseconds(look_for_signals)) != std::future_status::ready) {
      others.reset();
      if (PyErr_CheckSignals() != 0) raised.emplace();
      others.emplace();
      if (!raised) continue;
      stop = true;
      end.wait();
    }
    worker.join();
  }
  if (raised) throw nb::python_error(std::move(*raised));
  if (failure) std::rethrow_exception(failure);
}

}  // namespace srcextract::python
