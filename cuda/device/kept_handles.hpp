#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "cuda/device/check.hpp"

namespace srcextract {

/// A pool of events or streams. Unused handles stay in the pool, and new ones are made several at a time. Making or
/// destroying a handle waits for the driver calls of all other threads, which takes milliseconds if sixteen threads
/// feed a device. A pool is never destroyed, since threads may hold handles when the process ends.
template <class Handle>
class KeptHandles {
 public:
  KeptHandles(cudaError_t (*make)(Handle*), int at_once) : make_(make), at_once_(at_once) {}

  /// Takes an unused handle of `device`, which must be the current device of the calling thread.
  Handle take(int device) {
    Kept& kept = of(device);
    const std::lock_guard lock(kept.mutex);
    if (kept.handles.empty()) {
      kept.handles.reserve(kept.made + static_cast<std::size_t>(at_once_));  // so that give_back() cannot fail
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
  /// The handles of one device, with their own mutex, so that threads of other devices do not wait.
  struct Kept {
    std::mutex mutex;
    std::vector<Handle> handles;  ///< unused handles
    std::size_t made = 0;
  };

  Kept& of(int device) {
    const std::lock_guard lock(mutex_);
    return kept_[device];
  }

  cudaError_t (*make_)(Handle*);
  int at_once_;
  std::mutex mutex_;  ///< guards the map only
  std::map<int, Kept> kept_;
};

}  // namespace srcextract
