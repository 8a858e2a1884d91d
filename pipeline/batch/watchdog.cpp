#include "pipeline/batch/watchdog.hpp"

#include <iterator>
#include <utility>

namespace srcextract {

Watchdog::Watchdog(double limit, OnHang on_hang) : limit_(limit), on_hang_(std::move(on_hang)) {
  if (limit_ > 0) thread_ = std::thread([this] { look_until_stopped(); });
}

Watchdog::~Watchdog() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

std::shared_ptr<void> Watchdog::watch(const std::string& name) {
  if (limit_ <= 0) return nullptr;
  const std::lock_guard lock(mutex_);
  work_.push_back({name, {}});
  return {&work_.back(), [this, work = std::prev(work_.end())](void*) {
            const std::lock_guard end(mutex_);
            work_.erase(work);
          }};
}

void Watchdog::look_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, Stopwatch::tick, [this] { return stopping_; })) {
    std::vector<std::string> late;
    for (Work& work : work_) {
      work.time.look();
      if (work.time.seconds() > limit_) late.push_back(work.name);
    }
    if (!late.empty()) barked_ = true;
    if (late.empty() || late.size() < work_.size()) continue;
    lock.unlock();
    on_hang_(late);
    lock.lock();
  }
}

}  // namespace srcextract
