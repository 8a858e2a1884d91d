#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace srcextract {

/// The text, in which every byte that is no part of UTF-8 (RFC 3629) is U+FFFD. Names of files may hold any bytes.
std::string as_utf8(std::string_view text);

/// How many characters UTF-8 has.
std::size_t count_characters(std::string_view utf8);

}  // namespace srcextract
