#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "cuda/device/check.hpp"

namespace srcextract {

/// Events or streams that stay when nobody needs them, for who comes next, and are made many at a time: to make one, or
/// to end it, waits for whatever other threads have asked of the driver, milliseconds where sixteen feed a device.
/// Never destroyed: threads may have some when the process ends.
template <class Handle>
class KeptHandles {
 public:
  KeptHandles(cudaError_t (*make)(Handle*), int at_once) : make_(make), at_once_(at_once) {}

  /// Of the device of this thread, as which it is given.
  Handle take(int device) {
    const std::lock_guard lock(mutex_);
    std::vector<Handle>& kept = kept_[device];
    if (kept.empty()) {
      kept.reserve(static_cast<std::size_t>(at_once_));
      for (int made = 0; made < at_once_; ++made) {
        Handle handle = nullptr;
        check(make_(&handle));
        kept.push_back(handle);
      }
    }
    const Handle handle = kept.back();
    kept.pop_back();
    return handle;
  }

  void give_back(int device, Handle handle) noexcept {
    const std::lock_guard lock(mutex_);
    kept_.at(device).push_back(handle);
  }

 private:
  cudaError_t (*make_)(Handle*);
  int at_once_;
  std::mutex mutex_;
  std::map<int, std::vector<Handle>> kept_;
};

}  // namespace srcextract
