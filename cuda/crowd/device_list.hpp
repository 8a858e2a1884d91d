#pragma once

#include <cstdint>

#include "cuda/device/memory.hpp"

namespace srcextract {

/// Returns the number of items to allocate for `count` items. Few different sizes occur (ratio 4/3 or 3/2), so that
/// memory of earlier, slightly smaller requests can be reused.
inline std::int64_t room_for(std::int64_t count) {
  std::int64_t room = 256;
  while (room < count) room = room % 3 == 0 ? room / 3 * 4 : room / 2 * 3;
  return room;
}

/// Makes the buffer hold at least `count` elements. A reallocation loses the former elements.
template <class T>
void make_room(Buffer<T, Gpu>& buffer, std::int64_t count, const Gpu& where) {
  if (buffer.size() >= count && buffer.size() > 0) return;
  buffer = {};
  buffer = Buffer<T, Gpu>(room_for(count), where);
}

/// A list in device memory; its number of elements is known on the host.
template <class T>
struct DeviceList {
  Buffer<T, Gpu> items;
  std::int64_t count = 0;

  T* data() { return items.data(); }
  const T* data() const { return items.data(); }

  /// Adds `more` uninitialised elements at the end.
  void grow(std::int64_t more, const Gpu& where) {
    if (items.size() < count + more || items.size() == 0) {
      Buffer<T, Gpu> larger(room_for(count + more), where);
      if (count > 0)
        check(cudaMemcpyAsync(larger.data(), items.data(), static_cast<std::size_t>(count) * sizeof(T),
                              cudaMemcpyDeviceToDevice, where.stream));
      items = std::move(larger);
    }
    count += more;
  }
};

}  // namespace srcextract
