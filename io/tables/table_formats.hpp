#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/tables/table_file.hpp"

namespace srcextract {

// Functions that read one format each; io/tables/table_file.hpp declares the functions that users call. NAME_columns()
// and open_fits_table() work as open_table(), the functions read_NAME() as read_table(), with the same errors.

/// Largest number of elements of a vector column that is read. Longer vectors are spectra, light curves or images
/// rather than quantities of a source.
inline constexpr std::int64_t longest_vector = 1024;

/// Returns the name of an element (from 0) of a vector column: FLUX, FLUX_1, FLUX_2, ...
inline std::string element_name(const std::string& name, std::int64_t element) {
  return element == 0 ? name : name + "_" + std::to_string(element);
}

/// Returns the descriptions of all elements of the columns.
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

/// Returns a table with these columns of the file and `rows` rows, but without values.
inline Table table_of(const TableFile& file, const std::vector<std::size_t>& columns, std::int64_t rows) {
  Table table;
  table.rows = rows;
  for (const std::size_t column : columns) {
    const ColumnHead& head = file.columns.at(column);
    table.columns.push_back({head.name, head.unit, head.ucd, head.description, {}});
  }
  return table;
}

/// Throws Error{input} if two columns have the same name. The message begins with `where`.
void require_distinct(const std::vector<ColumnHead>& heads, const std::string& where);

/// CSV (RFC 4180); quoted fields may contain line ends. The first line has the names; blank lines and lines that begin
/// with # may precede it. Blanks around an unquoted field are dropped. A column without a name is named col1, col2, ...
/// by its position. ColumnBuilder finds the types; a column that mixes numbers and text becomes text.
std::vector<ColumnHead> csv_columns(const std::string& path);
Table read_csv(const TableFile& file, const std::vector<std::size_t>& columns);

/// ECSV 1.0, separated by blanks or commas. Columns of objects, complex numbers and images are left out, and vectors of
/// text, of variable length, or longer than longest_vector. float16 and float32 become floats, float128 doubles,
/// booleans 1 and 0. A field that does not match the declared datatype is an error.
std::vector<ColumnHead> ecsv_columns(const std::string& path);
Table read_ecsv(const TableFile& file, const std::vector<std::size_t>& columns);

/// A column as the header of an ECSV file describes it.
struct YamlColumn {
  ColumnHead head;
  std::int64_t elements = 1;  ///< elements of a vector; 0 for images and other lists that are not read
};

/// Returns the columns that an ECSV header describes, one for each vector. Returns an empty list if the header is
/// invalid.
std::vector<YamlColumn> columns_of_yaml(const std::string& header);

/// SExtractor's ASCII_HEAD format. A gap in the column numbers of the header means that the column before the gap is a
/// vector. The length of a vector in the last column follows from the first row. Elements are named as in ColumnHead.
/// Columns of images (VIGNET) are left out.
std::vector<ColumnHead> ascii_head_columns(const std::string& path);
Table read_ascii_head(const TableFile& file, const std::vector<std::size_t>& columns);

/// The first TABLE of a VOTable, stored as TABLEDATA, BINARY or BINARY2.
std::vector<ColumnHead> votable_columns(const std::string& path);
Table read_votable(const TableFile& file, const std::vector<std::size_t>& columns);

/// Apache Parquet, as far as the following are used:
/// - values: numbers, booleans, text, and lists of numbers or booleans that all have the same length;
/// - encodings: PLAIN, dictionary, or RLE of booleans, in data pages of version 1 or 2;
/// - compression: snappy, gzip, zstd or none;
/// - units and descriptions: from the metadata key that Astropy and srcextract write.
///
/// Columns of lists of text, of different lengths or of more than longest_vector elements, of structs and of other
/// types are left out.
std::vector<ColumnHead> parquet_columns(const std::string& path);
Table read_parquet(const TableFile& file, const std::vector<std::size_t>& columns);

/// FITS tables. open_fits_table() sets `hdu` and `columns` of `file`; `extension` is an EXTNAME, a number, or empty for
/// the first table.
void open_fits_table(TableFile& file, const std::string& extension);
Table read_fits_table(const TableFile& file, const std::vector<std::size_t>& columns);

}  // namespace srcextract
