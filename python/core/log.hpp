#pragma once

#include <nanobind/nanobind.h>

#include <thread>

namespace srcextract::python {

/// While it exists, log lines of the current thread belong to the thread `caller`. A Python thread that takes the log
/// gets the lines of its own images, and lines of threads without a caller.
class LogOfCaller {
 public:
  explicit LogOfCaller(std::thread::id caller);
  ~LogOfCaller();
  LogOfCaller(const LogOfCaller&) = delete;
  LogOfCaller& operator=(const LogOfCaller&) = delete;

 private:
  std::thread::id before_;
};

/// Keeps log lines for Python. `take_log()` of the module returns and forgets the lines of the calling thread and those
/// without a caller, as pairs of a Python logging level (10 to 50) and a text. Of each thread at most 10,000 lines are
/// kept.
void bind_log(nanobind::module_& module);

}  // namespace srcextract::python
