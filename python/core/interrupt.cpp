#include "python/core/interrupt.hpp"

#include <nanobind/nanobind.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <optional>
#include <system_error>
#include <thread>

#include "python/core/gil.hpp"
#include "python/core/log.hpp"
#include "stages/core/stop.hpp"

namespace srcextract::python {
namespace nb = nanobind;

bool hears_signals() {
  return syscall(SYS_gettid) == getpid();  // the C library has gettid() only from glibc 2.30 on
}

void look_at_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void do_interruptibly(const std::function<void()>& work) {
  const LogOfCaller own(std::this_thread::get_id());
  if (!hears_signals()) {
    const WithoutGil others;
    return work();
  }
  std::atomic<bool> stop = false;
  std::optional<nb::python_error> raised;
  std::exception_ptr failure;
  {
    std::promise<void> ended;
    const std::future<void> end = ended.get_future();
    std::optional<WithoutGil> others(std::in_place);
    std::jthread worker;
    try {
      worker = std::jthread([&, caller = std::this_thread::get_id()] {
        const StopScope asked(&stop);
        const LogOfCaller log(caller);
        try {
          work();
        } catch (...) {
          failure = std::current_exception();
        }
        ended.set_value();
      });
    } catch (const std::system_error&) {
      return work();  // no thread can be started, so the work runs without checks for signals
    }
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

void do_watchfully(const std::function<void()>& work) {
  const LogOfCaller log(std::this_thread::get_id());
  std::optional<nb::python_error> raised;
  std::exception_ptr failure;
  {
    const WithoutGil others;
    if (!hears_signals()) return work();
    std::atomic<bool> stop = false;
    Errand look(std::chrono::milliseconds(look_for_signals), [&] {
      if (stop) return;
      const WithGil own;
      if (PyErr_CheckSignals() == 0) return;
      raised.emplace();
      stop = true;
    });
    const StopScope asked(&stop);
    const ErrandScope looking(&look);
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (raised) throw nb::python_error(std::move(*raised));
  if (failure) std::rethrow_exception(failure);
}

}  // namespace srcextract::python
