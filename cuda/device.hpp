#pragma once

#include "cuda/workspace.hpp"
#include "stages/core/exec.hpp"

namespace srcextract {

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

}  // namespace srcextract
