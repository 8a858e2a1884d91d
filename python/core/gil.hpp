#pragma once

#include <Python.h>
#include <unistd.h>

namespace srcextract::python {

/// Takes the GIL by `take`. Who asks for it when Python ends never gets it: since 3.14 such a thread waits for ever,
/// and before its stack is unwound, which no destructor of C++ may be left by. So it waits for ever here.
template <class Take>
auto take_gil(const Take& take) noexcept {
  try {
    return take();
  } catch (...) {
    for (;;) pause();
  }
}

/// Others may have the GIL while it is there.
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

/// The GIL, for a thread that may have none.
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
