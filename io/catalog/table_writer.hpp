#pragma once

#include <string>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// The format that the ending of a file name asks for. Throws Error{config} if it is none.
const FormatNames& format_of_ending(const std::string& path, const std::string& further = "");

/// The same of those that are tables.
CatalogFormat table_format(const std::string& path);

/// Those endings, `.fits .ecsv ...`.
std::string table_endings();

/// Writes the table in that format, as write_catalog does its own; the caller commits the file. Text of a FITS table
/// loses the blanks at its end, and what is not ASCII in it becomes '?'. Throws Error{output}, also for more columns
/// than the format can have, Error{config} as table_format does.
[[nodiscard]] OutputFile write_table(const std::string& path, const Table& table, const CatalogMetadata& metadata,
                                     const Cpu& where = {});

}  // namespace srcextract
