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

/// Limits the time of every image. A thread that hangs cannot be ended, but its process can. Once an image has taken
/// too long, the run hands out no further images. When only late images are under way, `on_hang` is called with their
/// names, from a thread of its own; `on_hang` does not return.
class Watchdog {
 public:
  using OnHang = std::function<void(const std::vector<std::string>&)>;

  /// `limit`: seconds that an image may take; 0: no limit.
  Watchdog(double limit, OnHang on_hang);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Marks the start of work on `name`; destroying the returned object marks the end. May be called from several
  /// threads. The watchdog must outlive the returned object.
  std::shared_ptr<void> watch(const std::string& name);

  /// Whether any work took too long, even if it finished later.
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
