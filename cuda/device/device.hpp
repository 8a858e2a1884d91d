#pragma once

#include <cstdint>

#include "cuda/device/workspace.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

/// Makes `device` the current device of the calling thread, on which nearly every CUDA call depends. Also clears the
/// error that earlier unchecked calls on a lost device left in this thread; the next check_launch() would report that
/// error.
void use_device(int device);

/// A CUDA stream, with the memory and the `host_threads` host threads of one extractor. The workspace keeps memory that
/// processing steps have released, so that the next image of the same shape needs no new allocation.
class Stream {
 public:
  explicit Stream(int device, int host_threads = 1);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const Gpu& where() const { return where_; }

  /// Settings of the host memory that holds blocks of images too large for the device. By default, no host memory is
  /// used.
  HostShare& host_share() { return host_share_; }

  /// Waits for the stream, and frees the memory that the workspace keeps but that is not in use.
  void give_back_kept_memory() noexcept;

 private:
  HostShare host_share_;
  Workspace workspace_{&host_share_};
  Gpu where_;
};

/// Waits for the stream in the destructor, so also after an exception.
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
