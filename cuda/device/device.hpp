#pragma once

#include <cstdint>

#include "cuda/device/workspace.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Makes it the device of the calling thread, which nearly every call depends on. Forgets what calls that nobody
/// checks, those that leave a lost device, have left in this thread.
void use_device(int device);

/// Bytes, of the calling thread's device.
std::int64_t free_device_memory();

/// A stream of its own on a device, for as long as this lives, fed by so many host threads, with a workspace that keeps
/// the memory that stages free, so that the next image of the shape allocates nothing.
class Stream {
 public:
  explicit Stream(int device, int host_threads = 1);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const Gpu& where() const { return where_; }

  /// Returns to the device what is kept from earlier images and not in use.
  void give_back_kept_memory();

 private:
  Workspace workspace_;
  Gpu where_;
};

/// Waits for a stream when destroyed.
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
