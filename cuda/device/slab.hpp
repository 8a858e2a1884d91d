#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace srcextract {

/// Memory that the calling thread's current device has left for this process, in bytes (limit_device_memory).
std::int64_t free_device_memory();

/// Host memory for the blocks of images that are too large for a device. All workspaces of a stream share one.
struct HostShare {
  std::int64_t most = 0;       ///< bytes that may be taken; 0: all blocks lie on the device
  std::int64_t taken = 0;      ///< bytes that slabs take
  std::int64_t large = 0;      ///< bytes from which a block is large
  std::int64_t for_small = 0;  ///< bytes that large blocks leave on the device for others
  int threads = 1;             ///< number of threads that make its pages
};

/// An allocation that kernels of a device can use. It lies in the device's memory, or in page-locked memory of the
/// host, which kernels reach over the bus.
class Slab {
 public:
  /// Takes memory of the current device; empty if too little is left.
  static Slab on_device(std::size_t bytes);

  /// Takes memory of that share; empty if too little is left of it, or if the system locks no more. The share must
  /// outlive the slab.
  static Slab on_host(std::size_t bytes, HostShare& share);

  bool empty() const { return memory_ == nullptr; }
  std::byte* data() const { return memory_.get(); }
  std::size_t bytes() const { return memory_.get_deleter().bytes; }

 private:
  struct Release {
    std::size_t bytes;
    int device;
    HostShare* share;  ///< null: memory of the device
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Release> memory_{nullptr, Release{0, 0, nullptr}};
};

}  // namespace srcextract
