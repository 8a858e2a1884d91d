#pragma once

#include <span>
#include <vector>

#include "cuda/device/check.hpp"
#include "stages/core/buffer.hpp"
#include "stages/core/image.hpp"
#include "stages/core/value.hpp"

namespace srcextract {

/// Queues a copy of `count` elements from device to host. The host may read the elements only after it has waited for
/// the stream.
template <class T>
void queue_copy_to_host(T* host, const T* device, std::int64_t count, const Gpu& where) {
  if (count == 0) return;
  check(
      cudaMemcpyAsync(host, device, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDeviceToHost, where.stream));
}

/// Copies `count` elements to the host and waits for the copy.
template <class T>
void copy_to_host(T* host, const T* device, std::int64_t count, const Gpu& where) {
  queue_copy_to_host(host, device, count, where);
  check(cudaStreamSynchronize(where.stream));
}

/// Returns the first `count` elements of device memory, after waiting for the copy.
template <class T>
std::vector<T> to_vector(const T* device, std::int64_t count, const Gpu& where) {
  std::vector<T> copy(static_cast<std::size_t>(count));
  copy_to_host(copy.data(), device, count, where);
  return copy;
}

/// Copies `count` elements to the device and waits for the copy.
template <class T>
void copy_to_device(T* device, const T* host, std::int64_t count, const Gpu& where) {
  if (count == 0) return;
  check(
      cudaMemcpyAsync(device, host, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyHostToDevice, where.stream));
  check(cudaStreamSynchronize(where.stream));
}

/// Returns a host copy of the first `count` elements of a device buffer.
template <class T>
Buffer<T, Cpu> to_host(const Buffer<T, Gpu>& source, std::int64_t count, const Gpu& where) {
  Buffer<T, Cpu> copy(count, Cpu{});
  copy_to_host(copy.data(), source.data(), count, where);
  return copy;
}

template <class T>
Buffer<T, Cpu> to_host(const Buffer<T, Gpu>& source, const Gpu& where) {
  return to_host(source, source.size(), where);
}

/// Returns a host copy of an image on the device.
template <class T>
Image<T, Cpu> to_host(const Image<T, Gpu>& source, const Gpu& where) {
  Image<T, Cpu> copy;
  copy.shape = source.shape;
  copy.pixels = to_host(source.pixels, where);
  return copy;
}

/// Returns a device copy of an array on the host, after waiting for the copy.
template <class T>
Buffer<T, Gpu> to_device(std::span<const T> source, const Gpu& where) {
  Buffer<T, Gpu> copy(std::ssize(source), where);
  copy_to_device(copy.data(), source.data(), copy.size(), where);
  return copy;
}

template <class T>
Buffer<T, Gpu> to_device(const Buffer<T, Cpu>& source, const Gpu& where) {
  return to_device(std::span(source.begin(), source.end()), where);
}

/// Returns a device buffer of `size` elements, every byte of which is `value`.
template <class T>
Buffer<T, Gpu> filled(std::int64_t size, int value, const Gpu& where) {
  Buffer<T, Gpu> buffer(size, where);
  if (size > 0) {
    check(cudaMemsetAsync(buffer.data(), value, static_cast<std::size_t>(size) * sizeof(T), where.stream));
  }
  return buffer;
}

/// Returns a value in device memory, every byte of which is 0, padding bytes included.
template <class T>
Value<T, Gpu> zeroed(const Gpu& where) {
  Value<T, Gpu> value(where);
  check(cudaMemsetAsync(value.data(), 0, sizeof(T), where.stream));
  return value;
}

template <class T>
T fetch(const Value<T, Gpu>& value, const Gpu& where) {
  T copy;
  copy_to_host(&copy, value.data(), 1, where);
  return copy;
}

/// Returns a device copy of a host value, after waiting for the copy.
template <class T>
Value<T, Gpu> to_device(const T& value, const Gpu& where) {
  Value<T, Gpu> copy(where);
  copy_to_device(copy.data(), &value, 1, where);
  return copy;
}

}  // namespace srcextract
