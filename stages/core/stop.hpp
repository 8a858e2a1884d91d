#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <utility>

namespace srcextract {

/// Thrown when work stops early because the stop flag is set.
class Stopped : public std::exception {
 public:
  const char* what() const noexcept override { return "stopped"; }
};

/// The flag that, when true, makes the work of this thread stop; null: the work never stops early.
inline thread_local const std::atomic<bool>* stop_of_thread = nullptr;

/// A task that a thread runs between pieces of other work, at most once per interval `every`.
class Errand {
 public:
  using Clock = std::chrono::steady_clock;

  Errand(std::chrono::milliseconds every, std::function<void()> run)
      : every_(every), due_(Clock::now() + every), run_(std::move(run)) {}

  void run_if_due() {
    const Clock::time_point now = Clock::now();
    if (now < due_) return;
    run_();
    due_ = now + every_;
  }

 private:
  Clock::duration every_;
  Clock::time_point due_;
  std::function<void()> run_;
};

/// The errand that stop_if_asked() runs in this thread; null: none.
inline thread_local Errand* errand_of_thread = nullptr;

class ErrandScope {
 public:
  explicit ErrandScope(Errand* errand) : before_(errand_of_thread) { errand_of_thread = errand; }
  ~ErrandScope() { errand_of_thread = before_; }
  ErrandScope(const ErrandScope&) = delete;
  ErrandScope& operator=(const ErrandScope&) = delete;

 private:
  Errand* before_;
};

/// While this object exists, work of this thread throws Stopped soon after `asked` becomes true. The same applies to
/// threads that run pieces of the work in parallel_for(). If `asked` is null, the work never stops early.
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
  if (errand_of_thread != nullptr) errand_of_thread->run_if_due();
  if (stop_of_thread != nullptr && stop_of_thread->load(std::memory_order_relaxed)) throw Stopped();
}

}  // namespace srcextract
