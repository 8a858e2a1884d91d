#pragma once

#include <Python.h>
#include <unistd.h>

namespace srcextract::python {

/// Takes the GIL by calling `take`. While Python exits, no thread gets the GIL. Since 3.14 such a thread waits forever.
/// Before, Python unwinds its stack, which must not leave a C++ destructor, so the thread waits forever here.
template <class Take>
auto take_gil(const Take& take) noexcept {
  try {
    return take();
  } catch (...) {
    for (;;) pause();
  }
}

/// Releases the GIL while it exists.
class WithoutGil {
 public:
  WithoutGil() : thread_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    take_gil([this] { PyEval_RestoreThread(thread_); });
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* thread_;
};

/// Holds the GIL while it exists; for a thread that may not have it yet.
class WithGil {
 public:
  WithGil() : before_(take_gil(PyGILState_Ensure)) {}
  ~WithGil() { PyGILState_Release(before_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE before_;
};

}  // namespace srcextract::python
