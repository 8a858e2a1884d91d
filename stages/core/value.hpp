#pragma once

#include "stages/core/buffer.hpp"

namespace srcextract {

/// One value that a stage passes to the next stage, in host or device memory. A value on a device stays there, so that
/// the host need not wait for it.
template <class T, class Where>
class Value;

template <class T>
class Value<T, Cpu> {
 public:
  Value() = default;
  explicit Value(const Cpu&) {}
  Value(const T& value) : value_(value) {}

  T& operator*() { return value_; }
  const T& operator*() const { return value_; }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

 private:
  T value_{};
};

/// On a device: one uninitialised element in device memory, which kernels write and read.
template <class T>
class Value<T, Gpu> {
 public:
  Value() = default;
  explicit Value(const Gpu& where) : element_(1, where) {}

  T* data() { return element_.data(); }
  const T* data() const { return element_.data(); }

 private:
  Buffer<T, Gpu> element_;
};

/// Returns the value on the host. For a value on a device, the function waits until the value is computed;
/// cuda/device/memory.hpp defines that overload.
template <class T>
T fetch(const Value<T, Cpu>& value, const Cpu&) {
  return *value;
}
template <class T>
T fetch(const Value<T, Gpu>& value, const Gpu& where);

}  // namespace srcextract
