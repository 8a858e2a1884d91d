#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

#include "cuda/device/check.hpp"

namespace srcextract {

/// A pool of CUDA events or streams. Creating or destroying a handle waits for the driver calls of all other threads:
/// milliseconds if sixteen threads use a device. So the pool keeps unused handles and creates several at a time. A pool
/// must never be destroyed, since threads may hold handles when the process ends.
template <class Handle>
class KeptHandles {
 public:
  KeptHandles(cudaError_t (*make)(Handle*), int at_once) : make_(make), at_once_(at_once) {}

  /// Takes an unused handle of `device`, which must be the current device of the calling thread. Creates handles if
  /// none is unused.
  Handle take(int device) {
    Kept& kept = of(device);
    const std::lock_guard lock(kept.mutex);
    if (kept.handles.empty()) {
      // so that push_back() in give_back() never allocates
      kept.handles.reserve(kept.made + static_cast<std::size_t>(at_once_));
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
  /// The handles of one device. Each device has a mutex of its own, so that threads of other devices do not wait.
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
  std::mutex mutex_;  ///< guards the structure of kept_; each Kept has its own mutex
  std::map<int, Kept> kept_;
};

}  // namespace srcextract
