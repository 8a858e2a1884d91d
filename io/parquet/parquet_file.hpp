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

/// Type in which the values of a column are read. `unsigned64` holds integers beyond the signed range.
enum class ParquetMeaning { boolean, int32, unsigned32, int64, unsigned64, float32, float64, text };

/// A readable column of the schema, of values or lists of values.
struct ParquetLeaf {
  ColumnHead head;
  std::size_t place = 0;  ///< index of its chunk within a row group
  ParquetType type = ParquetType::float64;
  ParquetMeaning meaning = ParquetMeaning::float64;
  std::int64_t elements = 1;
  int repetition = 0, definition = 0;  ///< largest levels
  bool optional = false;               ///< values themselves may be missing, not only lists
};

/// Location of the values of a column in a row group.
struct StoredChunk {
  std::int64_t begin = 0, bytes = 0, values = 0;
  ParquetType type = ParquetType::float64;
  std::int32_t codec = 0;
  bool elsewhere = false;  ///< values are in another file
  bool encrypted = false;
};

struct StoredGroup {
  std::int64_t rows = 0;
  std::vector<StoredChunk> chunks;  ///< one for each column of the schema
};

struct ParquetFile {
  std::int64_t rows = 0;
  std::vector<ParquetLeaf> leaves;
  std::vector<StoredGroup> groups;
  std::string left_out;  ///< why the first ignored column is ignored
};

/// Opens a Parquet file. Throws Error{input} if it cannot be read, or is gzipped as a whole.
InputFile open_parquet(const std::string& path);

/// Reads the footer. Left out are columns of other types than numbers and text, and columns nested deeper than lists of
/// one length. Throws Error{input}.
ParquetFile read_parquet_footer(const InputFile& file);

}  // namespace srcextract
