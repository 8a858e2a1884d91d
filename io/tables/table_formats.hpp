#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/tables/table.hpp"

namespace srcextract {

// The readers behind io/tables/table.hpp: for each format its columns, from the header, and the values of some of them.
// Contracts and errors are those of open_table and read_table, which alone call them.

/// A longer vector is a spectrum, a light curve or a picture, not that many quantities of a source: it is left out.
inline constexpr std::int64_t longest_vector = 1024;

/// What the column of an element of a vector is called (ColumnHead).
inline std::string element_name(const std::string& name, std::int64_t element) {
  return element == 0 ? name : name + "_" + std::to_string(element);
}

/// RFC 4180, quoted ends of line included. The first line has the names; blank ones and ones that begin with # may
/// precede it. Blanks around a field without quotes are no part of it. A column without a name is col1, col2, ... by
/// its place. ColumnBuilder says what the fields become; a column of numbers and text is text.
std::vector<ColumnHead> csv_columns(const std::string& path);
Table read_csv(const TableFile& file, const std::vector<std::size_t>& columns);

/// ECSV 1.0, separated by blanks or commas. Columns of objects, complex numbers and vectors of any length or of text
/// are left out. float16 and float32 are floats, float128 doubles, booleans 1 and 0. A field that is not of its
/// datatype is an error.
std::vector<ColumnHead> ecsv_columns(const std::string& path);
Table read_ecsv(const TableFile& file, const std::vector<std::size_t>& columns);

/// A column as such a header has it.
struct YamlColumn {
  ColumnHead head;
  std::int64_t elements = 1;  ///< of a vector; 0 of pictures and of lists that are no vectors
};

/// What such a header says of columns, vectors not taken apart; nothing if it is none.
std::vector<YamlColumn> columns_of_yaml(const std::string& header);

/// SExtractor's ASCII_HEAD. A vector is a gap in the numbering of the header: the names are those of ColumnHead. How
/// long the last one is the first row says. Cut-outs (VIGNET) are left out.
std::vector<ColumnHead> ascii_head_columns(const std::string& path);
Table read_ascii_head(const TableFile& file, const std::vector<std::size_t>& columns);

/// The first TABLE, as TABLEDATA, BINARY or BINARY2.
std::vector<ColumnHead> votable_columns(const std::string& path);
Table read_votable(const TableFile& file, const std::vector<std::size_t>& columns);

/// Apache Parquet: numbers, text, and lists of one length, encoded PLAIN or by a dictionary, in pages of either
/// version, with snappy, gzip, zstd or nothing. Units and the like are those of the key that Astropy and srcextract
/// write. Lists of different lengths, structs, and what is neither number nor text are left out.
std::vector<ColumnHead> parquet_columns(const std::string& path);
Table read_parquet(const TableFile& file, const std::vector<std::size_t>& columns);

/// `extension` is an EXTNAME, a number, or empty for the first table; sets path, hdu, columns of `file`.
void open_fits_table(TableFile& file, const std::string& extension);
Table read_fits_table(const TableFile& file, const std::vector<std::size_t>& columns);

}  // namespace srcextract
