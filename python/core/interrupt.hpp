#pragma once

#include <functional>

namespace srcextract::python {

/// Maximum delay until Ctrl-C is noticed, in milliseconds.
inline constexpr int look_for_signals = 50;

/// Whether Python runs signal handlers in this thread.
bool hears_signals();

/// Calls work() without the GIL, which the caller holds. In the thread that runs Python's signal handlers, another
/// thread works while this one checks for signals. If a handler raises, as on Ctrl-C, the work is asked to stop
/// (stages/core/stop.hpp). After the work has stopped, the handler's exception is thrown.
void do_interruptibly(const std::function<void()>& work);

/// As do_interruptibly(), but works in this thread and checks for signals between pieces of loops
/// (stages/core/parallel.hpp). For work that never waits long for another thread; it costs next to nothing.
void do_watchfully(const std::function<void()>& work);

/// Runs Python's signal handlers, with the GIL; throws their exceptions.
void look_at_signals();

}  // namespace srcextract::python
