#pragma once

#include <cstdint>
#include <string>

#include "io/tables/table.hpp"

namespace srcextract {

/// Where row number `row`, from 0, of a table stands, for messages: "line 7" of CSV and ECSV, where the row begins, and
/// "row 5", from 1, of others. Reads a text up to there.
std::string place_of_row(const TableFile& file, std::int64_t row);

}  // namespace srcextract
