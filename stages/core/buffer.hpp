#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "stages/core/exec.hpp"

namespace srcextract {

/// Allocates uninitialised memory on `where`. Throws Error{device} (Gpu) or std::bad_alloc (Cpu) if there is not enough
/// memory. On a Gpu, allocate() and release() take effect in the order of the stream. The Gpu functions are defined in
/// cuda/device/memory.cpp.
void* allocate(std::size_t bytes, const Cpu& where);
void* allocate(std::size_t bytes, const Gpu& where);
void release(void* memory, const Cpu& where) noexcept;
void release(void* memory, const Gpu& where) noexcept;

/// An uninitialised array of `size` elements in the memory of `Where`. A Buffer owns the array, except one made by
/// borrowed(). Only to_host() and to_device() copy between host and device.
template <class T, class Where>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  Buffer(std::int64_t size, const Where& where)
      : data_(size > 0 ? static_cast<T*>(allocate(static_cast<std::size_t>(size) * sizeof(T), where)) : nullptr,
              Release{where}),
        size_(size) {}
  Buffer(Buffer&& other) noexcept : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  /// Makes a Buffer of memory that another object owns and releases. The memory must exist as long as the Buffer.
  static Buffer borrowed(T* memory, std::int64_t size, const Where& where) {
    Buffer view;
    view.data_ = {memory, Release{where, false}};
    view.size_ = size;
    return view;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  T& operator[](std::int64_t i) requires std::is_same_v<Where, Cpu> { return data_.get()[i]; }
  const T& operator[](std::int64_t i) const requires std::is_same_v<Where, Cpu> { return data_.get()[i]; }
  T* begin() requires std::is_same_v<Where, Cpu> { return data(); }
  T* end() requires std::is_same_v<Where, Cpu> { return data() + size_; }
  const T* begin() const requires std::is_same_v<Where, Cpu> { return data(); }
  const T* end() const requires std::is_same_v<Where, Cpu> { return data() + size_; }

 private:
  struct Release {
    Where where;
    bool owned = true;
    void operator()(T* memory) const noexcept {
      if (owned) release(memory, where);
    }
  };
  std::unique_ptr<T, Release> data_{nullptr, Release{}};
  std::int64_t size_ = 0;
};

/// Returns a copy of a host buffer. The function for device buffers is in pipeline/engine/results.hpp.
template <class T>
Buffer<T, Cpu> copy_of(const Buffer<T, Cpu>& buffer, const Cpu& where) {
  Buffer<T, Cpu> copy(buffer.size(), where);
  std::copy(buffer.begin(), buffer.end(), copy.begin());
  return copy;
}

/// Copy a buffer to the host or to the device, and return when the copy is complete. Defined in cuda/device/memory.hpp.
template <class T>
Buffer<T, Cpu> to_host(const Buffer<T, Gpu>& source, const Gpu& where);
template <class T>
Buffer<T, Gpu> to_device(const Buffer<T, Cpu>& source, const Gpu& where);

}  // namespace srcextract
