#include "io/parquet/hybrid_reader.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace srcextract {
namespace {

std::optional<std::uint64_t> read_varint(std::span<const std::byte>& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 35 && !bytes.empty(); shift += 7) {
    const auto next = std::to_integer<std::uint8_t>(bytes[0]);
    bytes = bytes.subspan(1);
    value |= static_cast<std::uint64_t>(next & 0x7FU) << shift;
    if (next < 0x80) return value;
  }
  return std::nullopt;
}

/// Unpacks numbers of `width` bits, lowest bits first.
void unpack(std::span<const std::byte> bytes, unsigned width, std::span<std::uint32_t> out) {
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  std::uint64_t held = 0;
  unsigned bits = 0;
  std::size_t next = 0;
  for (std::uint32_t& value : out) {
    for (; bits < width; bits += 8) held |= std::to_integer<std::uint64_t>(bytes[next++]) << bits;
    value = static_cast<std::uint32_t>(held & mask);
    held >>= width;
    bits -= width;
  }
}

}  // namespace

bool read_hybrid(std::span<const std::byte>& bytes, int width, std::span<std::uint32_t> out) {
  const auto bits = static_cast<unsigned>(width);
  while (!out.empty()) {
    const std::optional<std::uint64_t> head = read_varint(bytes);
    if (!head || *head < 2) return false;
    const std::uint64_t count = *head >> 1U;
    if ((*head & 1U) != 0) {
      // Some writers leave out bytes of the last group of eight. So only the bytes that `out` needs must exist.
      const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(count, (out.size() + 7) / 8) * 8);
      const std::size_t wanted = std::min(size, out.size());
      if (bytes.size() < (wanted * bits + 7) / 8) return false;
      unpack(bytes, bits, out.first(wanted));
      bytes = bytes.subspan(std::min<std::size_t>(bytes.size(), static_cast<std::size_t>(count) * bits));
      out = out.subspan(wanted);
    } else {
      const std::size_t stored = (bits + 7) / 8;
      if (bytes.size() < stored) return false;
      std::uint32_t value = 0;
      std::memcpy(&value, bytes.data(), stored);
      bytes = bytes.subspan(stored);
      const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count, out.size()));
      std::ranges::fill(out.first(wanted), value);
      out = out.subspan(wanted);
    }
  }
  return true;
}

}  // namespace srcextract
