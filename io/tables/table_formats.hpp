#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/tables/table_file.hpp"

namespace srcextract {

// The readers behind io/tables/table_file.hpp: for each format, its columns and the values of selected columns. Only
// open_table and read_table call them, and share their contracts and errors.

/// Longest vector that is read. Longer ones are spectra, light curves or pictures rather than quantities of a source.
inline constexpr std::int64_t longest_vector = 1024;

/// Column name for an element of a vector (ColumnHead).
inline std::string element_name(const std::string& name, std::int64_t element) {
  return element == 0 ? name : name + "_" + std::to_string(element);
}

/// The heads of all elements of columns.
template <class Column>
std::vector<ColumnHead> heads_of(const std::vector<Column>& columns) {
  std::vector<ColumnHead> heads;
  for (const Column& column : columns) {
    for (std::int64_t element = 0; element < column.elements; ++element) {
      heads.push_back(column.head);
      heads.back().name = element_name(column.head.name, element);
    }
  }
  return heads;
}

/// A table of these columns of a file, without values.
inline Table table_of(const TableFile& file, const std::vector<std::size_t>& columns, std::int64_t rows) {
  Table table;
  table.rows = rows;
  for (const std::size_t column : columns) {
    const ColumnHead& head = file.columns.at(column);
    table.columns.push_back({head.name, head.unit, head.ucd, head.description, {}});
  }
  return table;
}

/// Throws Error{input} that begins with `where` if two columns have one name.
void require_distinct(const std::vector<ColumnHead>& heads, const std::string& where);

/// CSV (RFC 4180), with quoted line ends. The first line has the names; blank lines and # lines may precede it. Blanks
/// around an unquoted field are dropped. A column without a name becomes col1, col2, ... by its place. ColumnBuilder
/// infers the types; a column of numbers and text is text.
std::vector<ColumnHead> csv_columns(const std::string& path);
Table read_csv(const TableFile& file, const std::vector<std::size_t>& columns);

/// ECSV 1.0, separated by blanks or commas. Columns of objects, complex numbers and pictures are left out, and vectors
/// of text, of variable length, or longer than longest_vector. float16 and float32 become floats, float128 doubles,
/// booleans 1 and 0. A field that does not match its datatype is an error.
std::vector<ColumnHead> ecsv_columns(const std::string& path);
Table read_ecsv(const TableFile& file, const std::vector<std::size_t>& columns);

/// A column in an ECSV header.
struct YamlColumn {
  ColumnHead head;
  std::int64_t elements = 1;  ///< elements of a vector; 0 for pictures and other lists
};

/// The columns of an ECSV header, with vectors whole; empty if the header is invalid.
std::vector<YamlColumn> columns_of_yaml(const std::string& header);

/// SExtractor's ASCII_HEAD. A gap in the header's numbering is a vector, named as in ColumnHead; the first row tells
/// the length of the last one. Cut-outs (VIGNET) are left out.
std::vector<ColumnHead> ascii_head_columns(const std::string& path);
Table read_ascii_head(const TableFile& file, const std::vector<std::size_t>& columns);

/// The first TABLE of a VOTable, as TABLEDATA, BINARY or BINARY2.
std::vector<ColumnHead> votable_columns(const std::string& path);
Table read_votable(const TableFile& file, const std::vector<std::size_t>& columns);

/// Apache Parquet:
/// - values: numbers, text, and lists of one length;
/// - encodings: PLAIN or dictionary, in pages of either version;
/// - compression: snappy, gzip, zstd or none;
/// - units and other metadata: the key that Astropy and srcextract write.
///
/// Lists of different lengths, structs and other types are left out.
std::vector<ColumnHead> parquet_columns(const std::string& path);
Table read_parquet(const TableFile& file, const std::vector<std::size_t>& columns);

/// FITS tables. `extension` is an EXTNAME, a number, or empty for the first table; sets hdu and columns of `file`.
void open_fits_table(TableFile& file, const std::string& extension);
Table read_fits_table(const TableFile& file, const std::vector<std::size_t>& columns);

}  // namespace srcextract
