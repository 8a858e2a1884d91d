#include "io/files/base64.hpp"

#include <cstdint>

namespace srcextract {
namespace {

constexpr unsigned char largest_digit = 63;
constexpr unsigned char no_digit = 255;

constexpr std::array<unsigned char, 256> make_digits() {
  std::array<unsigned char, 256> digits{};
  digits.fill(no_digit);
  unsigned char value = 0;
  for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")) {
    digits[static_cast<unsigned char>(c)] = value++;
  }
  return digits;
}

constexpr std::array<unsigned char, 256> digits = make_digits();

unsigned char digit(char character) {
  return digits[static_cast<unsigned char>(character)];
}

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// Three bytes from four digits.
void put_group(unsigned a, unsigned b, unsigned c, unsigned d, std::byte* out) {
  const std::uint32_t bits = a << 18 | b << 12 | c << 6 | d;
  out[0] = static_cast<std::byte>(bits >> 16);
  out[1] = static_cast<std::byte>(bits >> 8);
  out[2] = static_cast<std::byte>(bits);
}

}  // namespace

bool Base64Decoder::decode(std::string_view text, std::vector<std::byte>& out) {
  const std::size_t before = out.size();
  out.resize(before + (held_ + text.size()) / 4 * 3);
  std::byte* next = out.data() + before;
  for (std::size_t i = 0; i < text.size();) {
    for (; held_ == 0 && !ended_ && text.size() - i >= 4; i += 4, next += 3) {
      const unsigned a = digit(text[i]), b = digit(text[i + 1]), c = digit(text[i + 2]), d = digit(text[i + 3]);
      if ((a | b | c | d) > largest_digit) break;
      put_group(a, b, c, d, next);
    }
    // Whatever is not four digits side by side: the rest of a group, the end of a line, padding.
    if (i < text.size() && !take(text[i++], next)) return false;
  }
  out.resize(static_cast<std::size_t>(next - out.data()));
  return true;
}

/// Writes to `next`, and moves it on, when the character completes a group.
bool Base64Decoder::take(char character, std::byte*& next) {
  if (is_space(character)) return true;
  if (ended_) return false;
  if (character == '=') {
    if (held_ < 2) return false;
    group_[held_++] = 0;
    ++padding_;
  } else {
    if (padding_ > 0 || digit(character) > largest_digit) return false;
    group_[held_++] = digit(character);
  }
  if (held_ < 4) return true;
  put_group(group_[0], group_[1], group_[2], group_[3], next);
  next += 3 - padding_;
  held_ = 0;
  ended_ = padding_ > 0;
  return true;
}

}  // namespace srcextract
