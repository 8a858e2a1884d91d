#pragma once

#include <cstdint>
#include <string>

#include "io/fits/fits_reader.hpp"

namespace srcextract {

/// The header, in whole records, of a table that has the columns of this one, so many rows, and nothing behind them. No
/// byte of the other header is copied: cards are written from its values. Throws Error{input} if these are not those of
/// a table; `where` begins the message.
std::string rewritten_table_header(const Hdu& table, std::int64_t rows, const std::string& where);

}  // namespace srcextract
