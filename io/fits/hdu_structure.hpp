#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/header.hpp"

namespace srcextract {

enum class HduKind { image, compressed_image, random_groups, ascii_table, binary_table, other };

/// Kind and data layout of an HDU, according to its header (FITS Standard 4.0, 4.4.1, 7.1 to 7.3, 10.1).
struct HduStructure {
  HduKind kind = HduKind::other;
  int bitpix = 0;                  ///< BITPIX, or ZBITPIX of a compressed image; 0 for a table
  std::vector<std::int64_t> axes;  ///< NAXISn, or ZNAXISn of a compressed image; empty for a table
  std::int64_t data_bytes = 0;     ///< length of the data unit in bytes, without padding
};

/// Reads the data layout from a header; `primary` marks the first HDU. Throws Error{input} if a required card is
/// missing or out of range, or if no file can have that size. Error messages begin with `where`.
HduStructure read_structure(const Header& header, bool primary, const std::string& where);

/// Returns true if the text begins like an HDU. Anything else after the last HDU (padding, special records, another
/// file) is no HDU and is ignored.
bool begins_as_hdu(std::string_view text, bool primary);

/// Length in bytes of the longest header that is read, 16 MiB. Without a limit, a text file that happens to begin like
/// an HDU would be searched for END to its end.
inline constexpr std::int64_t longest_header = std::int64_t{1} << 24;

}  // namespace srcextract
