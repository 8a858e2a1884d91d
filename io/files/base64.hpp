#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace srcextract {

/// Decodes base64 (RFC 4648) from pieces of text, which may be cut at any character. Skips white space.
class Base64Decoder {
 public:
  /// Decodes the next piece and appends the bytes to `out`. Returns false if the piece has a character outside the
  /// alphabet, misplaced padding, or text after the padding; the appended bytes are then useless.
  bool decode(std::string_view text, std::vector<std::byte>& out);

  /// Returns true if the text may end here: no group of four characters is incomplete.
  bool complete() const { return held_ == 0; }

 private:
  bool take(char character, std::byte*& next);

  std::array<unsigned char, 4> group_{};  ///< values (0 to 63) of the digits in an incomplete group
  std::size_t held_ = 0;                  ///< number of digits and = signs in that group
  std::size_t padding_ = 0;               ///< number of = signs among them
  bool ended_ = false;                    ///< true after a group that ends with =; only white space may follow
};

/// Encodes bytes, given in pieces, as base64 in lines of 76 characters (RFC 2045), each ended by a newline.
class Base64Encoder {
 public:
  /// Adds bytes to those held back, and appends the characters of all whole groups of three bytes to `out`.
  void encode(std::span<const std::byte> bytes, std::string& out);

  /// Appends the incomplete last group, padded with =, and ends the last line.
  void finish(std::string& out);

 private:
  void put_group(const std::byte* bytes, std::string& out);

  std::array<std::byte, 3> held_{};  ///< bytes of an incomplete group of three
  std::size_t count_ = 0;            ///< number of bytes in that group
  std::size_t column_ = 0;           ///< characters in the current line of the output
};

/// Encodes bytes as base64 without line ends.
std::string in_base64(std::string_view bytes);

}  // namespace srcextract
