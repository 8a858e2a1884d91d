#pragma once

#include <string>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// The format that the ending of a file name asks for: .fits, .ldac, .ecsv, .csv, .txt (ascii_head), .vot (a VOTable in
/// BINARY2) or .xml (one in TABLEDATA). Throws Error{config} if it is another.
CatalogFormat table_format(const std::string& path);

/// Writes the table in that format, as write_catalog does its own; the caller commits the file. Text of a FITS table
/// loses the blanks at its end, and what is not ASCII in it becomes '?'. Throws Error{output}, also for more columns
/// than the format can have, Error{config} as table_format does.
[[nodiscard]] OutputFile write_table(const std::string& path, const Table& table, const CatalogMetadata& metadata,
                                     const Cpu& where = {});

}  // namespace srcextract
