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

/// Limits the time that an image may take. A thread that hangs in an image cannot be ended, so the whole process must
/// be.
///
/// Once an image has taken too long, has_barked() is true and the run should begin no further images. The other images
/// may still finish. When only images that took too long are left, `on_hang` is called with their names from the
/// watchdog's thread. `on_hang` must end the process.
class Watchdog {
 public:
  using OnHang = std::function<void(const std::vector<std::string>&)>;

  /// `limit`: seconds that an image may take; 0: no limit.
  Watchdog(double limit, OnHang on_hang);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Starts the time limit of the image or file `name`. Destroying the returned object ends the timed work. May be
  /// called from several threads. The watchdog must outlive the returned object.
  std::shared_ptr<void> watch(const std::string& name);

  /// Whether any image took too long, even if it finished later.
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
