#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace srcextract {

/// 64-bit FNV-1a hash (Fowler, Noll and Vo; RFC 9923). Collisions can be constructed on purpose.
inline std::uint64_t name_hash(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

/// The number in 16 hexadecimal digits.
inline std::string hexadecimal(std::uint64_t number) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[number >> shift & 15];
  return text;
}

}  // namespace srcextract
