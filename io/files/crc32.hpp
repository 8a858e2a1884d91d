#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace srcextract {

/// The CRC-32 of zlib, gzip and PNG (ISO 3309) of bytes that come in pieces: it notices what was damaged or replaced,
/// and is no protection from who means it.
class Crc32 {
 public:
  void add(std::span<const std::byte> bytes);
  std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 0;
};

}  // namespace srcextract
