#include "pipeline/log/printable.hpp"

#include <cstddef>
#include <filesystem>

#include "io/files/utf8.hpp"

namespace srcextract {

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view rest = text;
    const char32_t c = take_character(text);
    const std::size_t bytes = rest.size() - text.size();
    const bool is_control = c < 0x20 || (c >= 0x7f && c < 0xa0), is_none = (c & 0xfffe) == 0xfffe;
    const bool is_damaged = c == replacement_character && bytes == 1;
    out += is_control || is_none || is_damaged ? std::string(bytes, '?') : std::string(rest.substr(0, bytes));
  }
  return out;
}

std::string printable_name(const std::string& path) {
  return printable(std::filesystem::path(path).filename().string());
}

}  // namespace srcextract
