#pragma once

#include <cstdint>
#include <string>

#include "io/fits/fits_reader.hpp"

namespace srcextract {

/// A header, in whole records, for `rows` rows with the columns of `table` and no heap. Cards are written from parsed
/// values; no byte of the old header is copied. Throws Error{input} if the values are not those of a table; `where`
/// begins the message.
std::string rewritten_table_header(const Hdu& table, std::int64_t rows, const std::string& where);

}  // namespace srcextract
