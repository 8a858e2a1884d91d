#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace srcextract {

/// Returns the bytes that this process may still allocate on the calling thread's current device, within
/// limit_device_memory().
std::int64_t free_device_memory();

/// Page-locked host memory in which a Workspace puts blocks of images that are too large for the device: settings, and
/// the amount in use.
struct HostShare {
  std::int64_t most = 0;   ///< largest number of bytes to take from the host; 0: all blocks are in device memory
  std::int64_t taken = 0;  ///< bytes of the host that slabs occupy now
  std::int64_t large = 0;  ///< blocks of at least so many bytes count as large
  /// a large block is put on the host if fewer bytes than this would else remain free on the device
  std::int64_t for_small = 0;
  int threads = 1;  ///< number of host threads that touch new pages for the first time
};

/// A large allocation that kernels of a device can use: device memory, or page-locked host memory, which kernels read
/// and write over the bus. Freed by the destructor.
class Slab {
 public:
  /// Allocates memory of the current device. The slab is empty if too little memory is left.
  static Slab on_device(std::size_t bytes);

  /// Allocates host memory within share.most. The slab is empty if that limit is reached, or if the system locks no
  /// more memory. The share must outlive the slab.
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
