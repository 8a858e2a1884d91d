#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace srcextract {

/// The CRC-32 that zlib, gzip and PNG use (ISO 3309), computed in pieces. The sum detects damage, not deliberate
/// tampering.
class Crc32 {
 public:
  void add(std::span<const std::byte> bytes);
  std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 0;
};

}  // namespace srcextract
