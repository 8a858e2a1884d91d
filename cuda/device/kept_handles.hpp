#pragma once

#include <cstddef>
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
    Kept& kept = of(device);
    const std::lock_guard lock(kept.mutex);
    if (kept.handles.empty()) {
      kept.handles.reserve(kept.made + static_cast<std::size_t>(at_once_));  // so that none fails to be given back
      for (int made = 0; made < at_once_; ++made) {
        Handle handle = nullptr;
        check(make_(&handle));
        kept.handles.push_back(handle);
        ++kept.made;
      }
    }
    const Handle handle = kept.handles.back();
    kept.handles.pop_back();
    return handle;
  }

  void give_back(int device, Handle handle) noexcept {
    Kept& kept = of(device);
    const std::lock_guard lock(kept.mutex);
    kept.handles.push_back(handle);
  }

 private:
  /// Those of one device, which others do not wait for.
  struct Kept {
    std::mutex mutex;
    std::vector<Handle> handles;  ///< that nobody has
    std::size_t made = 0;
  };

  Kept& of(int device) {
    const std::lock_guard lock(mutex_);
    return kept_[device];
  }

  cudaError_t (*make_)(Handle*);
  int at_once_;
  std::mutex mutex_;  ///< of the map alone
  std::map<int, Kept> kept_;
};

}  // namespace srcextract
