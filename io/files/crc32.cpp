#include "io/files/crc32.hpp"

#include <zlib.h>

namespace srcextract {

void Crc32::add(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;  // without bytes the pointer may be null, and crc32_z with a null pointer restarts the sum
  value_ = static_cast<std::uint32_t>(::crc32_z(value_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace srcextract
