#pragma once

#include <array>
#include <charconv>
#include <string>

namespace srcextract {

/// Writes a number with the fewest digits that std::from_chars reads back as the same number. The locale has no effect.
inline std::string shortest(double number) {
  std::array<char, 32> text;
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

}  // namespace srcextract
