#include "io/files/base64.hpp"

#include <algorithm>
#include <cstdint>

namespace srcextract {
namespace {

constexpr unsigned char largest_digit = 63;
constexpr unsigned char no_digit = 255;
constexpr std::size_t line_length = 76;

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<unsigned char, 256> make_digits() {
  std::array<unsigned char, 256> digits{};
  digits.fill(no_digit);
  unsigned char value = 0;
  for (const char c : alphabet) {
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

/// Writes the three bytes that four base64 digits (values 0 to 63) encode.
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
    // take() handles every character that is not in a whole group of four digits: line ends, padding, and groups cut
    // apart by the pieces.
    if (i < text.size() && !take(text[i++], next)) return false;
  }
  out.resize(static_cast<std::size_t>(next - out.data()));
  return true;
}

/// Takes one base64 character; returns false if the character cannot follow. A character that completes a group of four
/// writes the bytes of the group to `next` and advances `next`.
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

void Base64Encoder::encode(std::span<const std::byte> bytes, std::string& out) {
  out.reserve(out.size() + bytes.size() / 3 * 4 + bytes.size() / 57 + 8);
  std::size_t at = 0;
  for (; count_ > 0 && count_ < 3 && at < bytes.size(); ++at) held_[count_++] = bytes[at];
  if (count_ == 3) {
    put_group(held_.data(), out);
    count_ = 0;
  }
  for (; bytes.size() - at >= 3; at += 3) put_group(&bytes[at], out);
  for (; at < bytes.size(); ++at) held_[count_++] = bytes[at];
}

void Base64Encoder::put_group(const std::byte* bytes, std::string& out) {
  const auto bits = std::to_integer<unsigned>(bytes[0]) << 16 | std::to_integer<unsigned>(bytes[1]) << 8 |
                    std::to_integer<unsigned>(bytes[2]);
  for (const unsigned shift : {18U, 12U, 6U, 0U}) out += alphabet[bits >> shift & largest_digit];
  column_ += 4;
  if (column_ < line_length) return;
  out += '\n';
  column_ = 0;
}

void Base64Encoder::finish(std::string& out) {
  if (count_ > 0) {
    const std::size_t padding = 3 - count_;
    std::fill(held_.begin() + static_cast<std::ptrdiff_t>(count_), held_.end(), std::byte{0});
    const bool ends_line = column_ + 4 == line_length;
    put_group(held_.data(), out);
    const std::size_t end = out.size() - (ends_line ? 1 : 0);
    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(end - padding), padding, '=');
    count_ = 0;
  }
  if (column_ > 0) out += '\n';
  column_ = 0;
}

std::string in_base64(std::string_view bytes) {
  std::string out;
  Base64Encoder encoder;
  encoder.encode(std::as_bytes(std::span(bytes)), out);
  encoder.finish(out);
  std::erase(out, '\n');
  return out;
}

}  // namespace srcextract
