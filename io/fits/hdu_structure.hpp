#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/header.hpp"

namespace srcextract {

enum class HduKind { image, compressed_image, random_groups, ascii_table, binary_table, other };

/// What the header of an HDU says of its data (FITS Standard 4.0, 4.4.1, 7.1 to 7.3, 10.1).
struct HduStructure {
  HduKind kind = HduKind::other;
  int bitpix = 0;                  ///< of the image, whether compressed or not
  std::vector<std::int64_t> axes;  ///< of the image, whether compressed or not
  std::int64_t data_bytes = 0;     ///< the length of the data unit without padding
};

/// `primary` is said of the first HDU; `where` begins the messages. Throws Error{input} that names the card, if one
/// that the structure hangs on is missing, or out of the range that FITS has for it, or if the data had a size that no
/// file can have.
HduStructure read_structure(const Header& header, bool primary, const std::string& where);

/// True if an HDU begins like this: what follows the last HDU of a file (padding, special records, another file) is not
/// ours to judge.
bool begins_as_hdu(std::string_view text, bool primary);

/// No header is longer: a file of text is not read to its end in search of one.
inline constexpr std::int64_t longest_header = std::int64_t{1} << 24;

}  // namespace srcextract
