#pragma once

#include <nanobind/nanobind.h>

#include <thread>

namespace srcextract::python {

/// While one is there, what this thread logs is for who called: a thread of Python that asks for the log hears of its
/// own images, and of those of threads that have none.
class LogOfCaller {
 public:
  explicit LogOfCaller(std::thread::id caller);
  ~LogOfCaller();
  LogOfCaller(const LogOfCaller&) = delete;
  LogOfCaller& operator=(const LogOfCaller&) = delete;

 private:
  std::thread::id before_;
};

/// Keeps what the program logs, for Python: `take_log()` of the module returns what came since it was called last,
/// pairs of a level of logging (10 to 50) and a text.
void bind_log(nanobind::module_& module);

}  // namespace srcextract::python
