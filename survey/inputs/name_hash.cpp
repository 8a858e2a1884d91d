#include "survey/inputs/name_hash.hpp"

namespace srcextract {

std::uint64_t name_hash(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

std::string hexadecimal(std::uint64_t number) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += digits[number >> shift & 15];
  return text;
}

}  // namespace srcextract
