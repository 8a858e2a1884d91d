#pragma once

#include <string>

#include "io/catalog/catalog.hpp"
#include "io/files/output_file.hpp"
#include "stages/catalogue/table.hpp"

namespace srcextract {

/// Returns the format that belongs to the ending of a file name. Throws Error{config} for an unknown ending; its
/// message lists `further` endings as well.
const FormatNames& format_of_ending(const std::string& path, const std::string& further = "");

/// The table format for the ending of a file name. Throws Error{config} for any other ending.
CatalogFormat table_format(const std::string& path);

/// Endings of the table formats, `.fits .ecsv ...`.
std::string table_endings();

/// Writes the table in the format of its ending, with the conventions of write_catalog; the caller commits the file. In
/// FITS, text loses trailing blanks, and '?' replaces non-ASCII characters. Throws Error{output}, also for more columns
/// than the format can have, and Error{config} as table_format does.
[[nodiscard]] OutputFile write_table(const std::string& path, const Table& table, const CatalogMetadata& metadata,
                                     const Cpu& where = {});

}  // namespace srcextract
