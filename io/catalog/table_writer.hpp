#pragma once

#include <string>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Returns the format that belongs to the ending of a file name. Throws Error{config} for an unknown ending; the
/// message lists all known endings, followed by `further`.
const FormatNames& format_of_ending(const std::string& path, const std::string& further = "");

/// Returns the table format that belongs to the ending of a file name. Throws Error{config} for any other ending.
CatalogFormat table_format(const std::string& path);

/// Returns the endings of the table formats, as in ".fits .ecsv ...".
std::string table_endings();

/// Writes the table in the format that belongs to the ending of `path`, with the conventions of write_catalog(); the
/// caller commits the file. In FITS, '?' replaces other than printable ASCII characters, and readers may drop trailing
/// blanks of text. Throws Error{output} or Error{storage}, Error{output} also if the table has more columns than the
/// format allows, and Error{config} as table_format() does.
[[nodiscard]] OutputFile write_table(const std::string& path, const Table& table, const CatalogMetadata& metadata,
                                     const Cpu& where = {});

}  // namespace srcextract
