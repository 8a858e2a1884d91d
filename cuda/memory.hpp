#pragma once

#include "cuda/check.hpp"
#include "stages/core/buffer.hpp"

namespace srcextract {

/// Copies `count` elements between host and device in the stream and waits for them.
template <class T>
void copy_to_host(T* host, const T* device, std::int64_t count, const Gpu& where) {
  if (count > 0) {
    check(cudaMemcpyAsync(host, device, static_cast<std::size_t>(count) * sizeof(T), cudaMemcpyDeviceToHost,
                          where.stream));
  }
  check(cudaStreamSynchronize(where.stream));
}

template <class T>
Buffer<T, Cpu> to_host(const Buffer<T, Gpu>& source, const Gpu& where) {
  Buffer<T, Cpu> copy(source.size(), Cpu{});
  copy_to_host(copy.data(), source.data(), source.size(), where);
  return copy;
}

template <class T>
Buffer<T, Gpu> to_device(const Buffer<T, Cpu>& source, const Gpu& where) {
  Buffer<T, Gpu> copy(source.size(), where);
  if (source.size() > 0) {
    check(cudaMemcpyAsync(copy.data(), source.data(), static_cast<std::size_t>(source.size()) * sizeof(T),
                          cudaMemcpyHostToDevice, where.stream));
  }
  check(cudaStreamSynchronize(where.stream));
  return copy;
}

/// A device buffer of `size` elements, every byte `value`.
template <class T>
Buffer<T, Gpu> filled(std::int64_t size, int value, const Gpu& where) {
  Buffer<T, Gpu> buffer(size, where);
  if (size > 0) {
    check(cudaMemsetAsync(buffer.data(), value, static_cast<std::size_t>(size) * sizeof(T), where.stream));
  }
  return buffer;
}

/// One element, waiting for it.
template <class T>
T read_element(const Buffer<T, Gpu>& buffer, std::int64_t index, const Gpu& where) {
  T element;
  copy_to_host(&element, buffer.data() + index, 1, where);
  return element;
}

}  // namespace srcextract
