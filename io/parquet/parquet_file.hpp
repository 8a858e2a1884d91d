#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/parquet/parquet_format.hpp"
#include "io/tables/table_file.hpp"

namespace srcextract {

/// Type in which the values of a column are read. `unsigned64` is for integers, some of which may exceed the signed
/// range.
enum class ParquetMeaning { boolean, int32, unsigned32, int64, unsigned64, float32, float64, text };

/// A column of the schema that can be read: single values, or lists of values that all have the same length.
struct ParquetLeaf {
  ColumnHead head;
  std::size_t place = 0;  ///< index of the column's chunk within each row group
  ParquetType type = ParquetType::float64;
  ParquetMeaning meaning = ParquetMeaning::float64;
  std::int64_t elements = 1;
  int repetition = 0, definition = 0;  ///< largest levels; 0 without lists, or if no value can be missing
  bool optional = false;               ///< true if single values may be missing, not only whole lists
};

/// Position of the values of a column in a row group.
struct StoredChunk {
  std::int64_t begin = 0, bytes = 0, values = 0;
  ParquetType type = ParquetType::float64;
  std::int32_t codec = 0;
  bool elsewhere = false;  ///< true if the values are in another file
  bool encrypted = false;
};

struct StoredGroup {
  std::int64_t rows = 0;
  std::vector<StoredChunk> chunks;  ///< one for each column of the schema, read or not
};

struct ParquetFile {
  std::int64_t rows = 0;
  std::vector<ParquetLeaf> leaves;
  std::vector<StoredGroup> groups;
  std::string left_out;  ///< reason why the first ignored column is ignored, or empty
};

/// Opens a Parquet file. Throws Error{input} if the file cannot be read, or is gzipped as a whole.
InputFile open_parquet(const std::string& path);

/// Reads the footer. Columns that hold neither numbers nor text are left out, as are lists of text, lists of varying
/// length or of more than longest_vector elements, and deeper nested columns. Throws Error{input}.
ParquetFile read_parquet_footer(const InputFile& file);

}  // namespace srcextract
