#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace srcextract {

/// Decodes base64 (RFC 4648) in pieces, cut anywhere. White space is skipped.
class Base64Decoder {
 public:
  /// Appends the bytes of the next piece to `out`. Returns false on a character outside the alphabet, or on padding
  /// before the end; the appended bytes are then useless.
  bool decode(std::string_view text, std::vector<std::byte>& out);

  /// True if the text may end here, after a whole group of four characters.
  bool complete() const { return held_ == 0; }

 private:
  bool take(char character, std::byte*& next);

  std::array<unsigned char, 4> group_{};  ///< digits of an incomplete group
  std::size_t held_ = 0;                  ///< characters in the group
  std::size_t padding_ = 0;               ///< number of = among them
  bool ended_ = false;                    ///< a padded group has ended the text
};

/// Encodes bytes in pieces as base64, in lines of 76 characters (RFC 2045), each ended by a newline.
class Base64Encoder {
 public:
  /// Appends the characters of all whole groups of three bytes to `out`.
  void encode(std::span<const std::byte> bytes, std::string& out);

  /// Appends the last group, padded, and the end of the line.
  void finish(std::string& out);

 private:
  void put_group(const std::byte* bytes, std::string& out);

  std::array<std::byte, 3> held_{};  ///< bytes of an incomplete group
  std::size_t count_ = 0;            ///< bytes in the group
  std::size_t column_ = 0;           ///< characters in the line
};

}  // namespace srcextract
