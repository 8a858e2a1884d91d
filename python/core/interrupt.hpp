#pragma once

#include <functional>

namespace srcextract::python {

/// How long Ctrl-C may wait until it is seen, in milliseconds.
inline constexpr int look_for_signals = 50;

/// Whether Python runs its handlers of signals in this thread.
bool hears_signals();

/// Does the work without the GIL, which the caller has. Where Python's handlers of signals run, it is done on a thread
/// of its own while this one looks for signals; if a handler raises, as it does on Ctrl-C, the work is asked to stop
/// (stages/core/stop.hpp), and once it has, what the handler raised is thrown.
void do_interruptibly(const std::function<void()>& work);

/// The same in this thread, which looks for signals between the pieces of its loops (stages/core/parallel.hpp): for
/// work that waits for no other thread's for long. It costs next to nothing.
void do_watchfully(const std::function<void()>& work);

/// Runs Python's handlers of signals, with the GIL; throws what they raise.
void look_at_signals();

}  // namespace srcextract::python
