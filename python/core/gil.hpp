#pragma once

#include <Python.h>
#include <unistd.h>

namespace srcextract::python {

/// Calls `take`, which acquires the GIL. While Python exits, no other thread gets the GIL. From Python 3.14 on, a
/// thread that asks for the GIL then waits forever inside Python. Older versions unwind the thread's stack, which must
/// not pass a C++ destructor; therefore the thread waits forever here.
template <class Take>
auto take_gil(const Take& take) noexcept {
  try {
    return take();
  } catch (...) {
    for (;;) pause();
  }
}

/// Releases the GIL in the constructor, and acquires it again in the destructor.
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

/// Acquires the GIL in the constructor, also in a thread that Python did not start; releases it in the destructor.
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
