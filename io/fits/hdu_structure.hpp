#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/header.hpp"

namespace srcextract {

enum class HduKind { image, compressed_image, random_groups, ascii_table, binary_table, other };

/// Data layout of an HDU, from its header (FITS Standard 4.0, 4.4.1, 7.1 to 7.3, 10.1).
struct HduStructure {
  HduKind kind = HduKind::other;
  int bitpix = 0;                  ///< the image's, whether compressed or not
  std::vector<std::int64_t> axes;  ///< the image's, whether compressed or not
  std::int64_t data_bytes = 0;     ///< length of the data unit without padding
};

/// Reads the layout; `primary` marks the first HDU, and `where` begins the messages. Throws Error{input} naming the
/// card if a required card is missing or out of range, or if the size is impossible.
HduStructure read_structure(const Header& header, bool primary, const std::string& where);

/// True if the text begins like an HDU. Anything else after the last HDU (padding, special records, another file) is
/// ignored.
bool begins_as_hdu(std::string_view text, bool primary);

/// Longest header that is read. The limit keeps a text file from being searched to its end.
inline constexpr std::int64_t longest_header = std::int64_t{1} << 24;

}  // namespace srcextract
