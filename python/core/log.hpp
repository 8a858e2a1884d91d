#pragma once

#include <nanobind/nanobind.h>

#include <thread>

namespace srcextract::python {

/// While an object exists, log lines of the current thread are kept for the thread `caller`, which called the library
/// from Python.
class LogOfCaller {
 public:
  explicit LogOfCaller(std::thread::id caller);
  ~LogOfCaller();
  LogOfCaller(const LogOfCaller&) = delete;
  LogOfCaller& operator=(const LogOfCaller&) = delete;

 private:
  std::thread::id before_;
};

/// Keeps log lines for Python. Adds the function `take_log()`, which removes and returns the lines kept for the calling
/// thread, and the lines of threads without a LogOfCaller. A line is a pair of a Python logging level (10 to 50) and a
/// text. At most 10,000 lines are kept for each thread.
void bind_log(nanobind::module_& module);

}  // namespace srcextract::python
