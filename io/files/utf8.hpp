#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace srcextract {

/// Character that stands for invalid input: U+FFFD, the Unicode replacement character.
inline constexpr char32_t replacement_character = 0xfffd;
inline constexpr std::string_view replacement_utf8 = "\xef\xbf\xbd";

/// Removes the first character from a non-empty UTF-8 text and returns it. Invalid UTF-8 (RFC 3629) yields
/// replacement_character, once for each byte.
inline char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) -> char32_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const char32_t first = byte(0);
  const std::size_t size = first < 0x80                    ? 1
                           : first >= 0xc2 && first < 0xe0 ? 2
                           : first >= 0xe0 && first < 0xf0 ? 3
                           : first >= 0xf0 && first < 0xf5 ? 4
                                                           : 0;
  char32_t character = size < 2 ? first : first & (0x7f >> size);
  bool valid = size > 0;
  for (std::size_t i = 1; i < size; ++i) {
    valid &= byte(i) >> 6 == 2;
    character = character << 6 | (byte(i) & 0x3f);
  }
  // Rejects overlong forms, UTF-16 surrogates, and code points beyond Unicode.
  valid &= (size != 3 || character >= 0x800) && (size != 4 || character >= 0x10000) && character < 0x110000 &&
           (character < 0xd800 || character >= 0xe000);
  text.remove_prefix(valid ? size : 1);
  return valid ? character : replacement_character;
}

/// Returns the text with a replacement_character in place of each byte of invalid UTF-8. File names, for instance, may
/// hold any bytes.
inline std::string as_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::string_view rest = text;
    const bool replaced = take_character(text) == replacement_character;
    out += replaced ? replacement_utf8 : rest.substr(0, rest.size() - text.size());
  }
  return out;
}

inline std::size_t count_characters(std::string_view utf8) {
  std::size_t count = 0;
  for (const char byte : utf8) count += (static_cast<unsigned char>(byte) & 0xc0U) != 0x80U ? 1 : 0;
  return count;
}

}  // namespace srcextract
