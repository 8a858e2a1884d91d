#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace srcextract {

/// Decodes base64 (RFC 4648) that comes in pieces, cut anywhere. White space is passed over.
class Base64Decoder {
 public:
  /// Appends the bytes of the next piece to `out`. False if a character is not of base64's alphabet, or the padding is
  /// not at the end; what was appended is then of no use.
  bool decode(std::string_view text, std::vector<std::byte>& out);

  /// True if the text may end here: with a whole group of four characters.
  bool complete() const { return held_ == 0; }

 private:
  bool take(char character, std::byte*& next);

  std::array<unsigned char, 4> group_{};  ///< the digits of a group that is not complete
  std::size_t held_ = 0;                  ///< how many characters of a group there are
  std::size_t padding_ = 0;               ///< how many of them are =
  bool ended_ = false;                    ///< a padded group is the last
};

/// Encodes bytes that come in pieces as base64, in lines of 76 characters (RFC 2045), each ended by a newline.
class Base64Encoder {
 public:
  /// Appends the characters of all whole groups of three bytes to `out`.
  void encode(std::span<const std::byte> bytes, std::string& out);

  /// Appends the last group, padded, and the end of the line.
  void finish(std::string& out);

 private:
  void put_group(const std::byte* bytes, std::string& out);

  std::array<std::byte, 3> held_{};  ///< bytes of a group that is not complete
  std::size_t count_ = 0;            ///< how many
  std::size_t column_ = 0;           ///< characters in the line
};

}  // namespace srcextract
