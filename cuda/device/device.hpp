#pragma once

#include <cstdint>

#include "cuda/device/workspace.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Makes `device` the current device of the calling thread; nearly every CUDA call depends on it. Clears the error that
/// unchecked calls (those that leave a lost device) have left in this thread.
void use_device(int device);

/// Free memory of the calling thread's device, in bytes.
std::int64_t free_device_memory();

/// A private stream on a device, fed by `host_threads` threads. Its workspace keeps the memory that stages free, so
/// that the next image of the same shape allocates nothing.
class Stream {
 public:
  explicit Stream(int device, int host_threads = 1);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const Gpu& where() const { return where_; }

  /// Returns to the device the memory that is kept from earlier images and not in use.
  void give_back_kept_memory();

 private:
  Workspace workspace_;
  Gpu where_;
};

/// Waits for the stream when destroyed.
class StreamEnd {
 public:
  explicit StreamEnd(const Gpu& where) : where_(where) {}
  ~StreamEnd();
  StreamEnd(const StreamEnd&) = delete;
  StreamEnd& operator=(const StreamEnd&) = delete;

 private:
  Gpu where_;
};

}  // namespace srcextract
