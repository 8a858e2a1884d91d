#pragma once

#include <cstdint>
#include <string>

#include "io/tables/table.hpp"

namespace srcextract {

/// Place of row `row` (from 0), for messages: "line 7", where the row begins, in CSV and ECSV; else "row 5", from 1.
/// Reads a text up to that row.
std::string place_of_row(const TableFile& file, std::int64_t row);

}  // namespace srcextract
