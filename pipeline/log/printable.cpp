#include "pipeline/log/printable.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>

namespace srcextract {
namespace {

/// Number of bytes of the first UTF-8 character; 0 if the text begins with none, or with a control character.
std::size_t printable_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return first < 0x20 || first == 0x7f ? 0 : 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  std::uint32_t code = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};  // U+0080 to U+009F are control characters as well
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  const bool no_character = code > 0x10ffff || (code & 0xfffe) == 0xfffe;
  return code < least[length] || surrogate || no_character ? 0 : length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = printable_character(text);
    out += length == 0 ? "?" : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string printable_name(const std::string& path) {
  return printable(std::filesystem::path(path).filename().string());
}

}  // namespace srcextract
