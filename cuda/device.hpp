#pragma once

#include "stages/core/exec.hpp"

namespace srcextract {

/// A stream of its own on a device, for as long as this lives. The device keeps the memory that stages free, so that
/// the next image of the shape allocates nothing.
class Stream {
 public:
  explicit Stream(int device);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  const Gpu& where() const { return where_; }

 private:
  Gpu where_;
};

}  // namespace srcextract
