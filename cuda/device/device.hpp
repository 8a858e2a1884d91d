#pragma once

#include <cstdint>

#include "cuda/device/workspace.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Makes `device` the current device of the calling thread, on which nearly every CUDA call depends. Also clears errors
/// that calls without check(), on a lost device, have left in this thread.
void use_device(int device);

/// A stream on a device, used by one extractor with `host_threads` host threads. Its workspace keeps memory that stages
/// have released, so that the next image of the same shape allocates nothing.
class Stream {
 public:
  explicit Stream(int device, int host_threads = 1);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const Gpu& where() const { return where_; }

  /// Host memory for images that are too large for the device; at first none.
  HostShare& host_share() { return host_share_; }

  /// Waits for the stream, and gives back memory that the workspace keeps from earlier images and that is not in use.
  void give_back_kept_memory() noexcept;

 private:
  HostShare host_share_;
  Workspace workspace_{&host_share_};
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
