#pragma once

#include <atomic>
#include <exception>

namespace srcextract {

/// Thrown by work that was asked to end before it is done.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped"; }
};

/// What asks the work of this thread to end; null: nothing does.
inline thread_local const std::atomic<bool>* stop_of_thread = nullptr;

/// The work of this thread, and of the threads that parallel_for() has do a part of it, ends with Stopped soon after
/// `asked` becomes true, for as long as this lives. Null asks nothing.
class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>* asked) : before_(stop_of_thread) { stop_of_thread = asked; }
  ~StopScope() { stop_of_thread = before_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::atomic<bool>* before_;
};

inline void stop_if_asked() {
  if (stop_of_thread != nullptr && stop_of_thread->load(std::memory_order_relaxed)) throw Stopped();
}

}  // namespace srcextract
