#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "pipeline/batch/stopwatch.hpp"

namespace srcextract {

/// Sees that no image takes for ever. A thread that hangs cannot be ended, but its process can: once an image has
/// taken too long the run is to hand out no more, and when nothing else is under way `on_hang` is called, from a thread
/// of its own, with the names of what hangs; it does not return.
class Watchdog {
 public:
  using OnHang = std::function<void(const std::vector<std::string>&)>;

  /// None that takes more than so many seconds; 0: there is no limit.
  Watchdog(double limit, OnHang on_hang);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Work of that name begins; it is over when what is returned is destroyed. From several threads. This must outlive
  /// it.
  std::shared_ptr<void> watch(const std::string& name);

  /// Whether anything took too long, also if it came to an end after all.
  bool has_barked() const { return barked_; }

 private:
  struct Work {
    std::string name;
    Stopwatch time;
  };
  void look_until_stopped();

  const double limit_;
  const OnHang on_hang_;
  std::atomic<bool> barked_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::list<Work> work_;
  std::thread thread_;
};

}  // namespace srcextract
