#pragma once

#include <functional>

namespace srcextract::python {

/// Interval in milliseconds between checks for Ctrl-C.
inline constexpr int look_for_signals = 50;

/// Whether the current thread is the main thread, in which Python runs signal handlers.
bool hears_signals();

/// Calls work() without the GIL, which the caller holds. In Python's main thread, another thread runs work() while this
/// thread checks for signals. If a signal handler raises an exception, as for Ctrl-C, the work is asked to stop
/// (stages/core/stop.hpp). The exception is thrown after the work has stopped.
void do_interruptibly(const std::function<void()>& work);

/// Like do_interruptibly(), but runs work() in this thread, and checks for signals between pieces of parallel loops
/// (stages/core/parallel.hpp). Costs nearly nothing. Only for work that never waits long for another thread, since
/// signals are not checked meanwhile.
void do_watchfully(const std::function<void()>& work);

/// Runs Python's signal handlers; throws the exceptions of the handlers. The caller holds the GIL.
void look_at_signals();

}  // namespace srcextract::python
