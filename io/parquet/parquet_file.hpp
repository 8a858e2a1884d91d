#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/parquet/parquet_format.hpp"
#include "io/tables/table.hpp"

namespace srcextract {

/// What the values of a column are read as; `unsigned64` are integers beyond those with a sign.
enum class ParquetMeaning { boolean, int32, unsigned32, int64, unsigned64, float32, float64, text };

/// A column of the schema that can be read: of values, or of lists of values.
struct ParquetLeaf {
  ColumnHead head;
  std::size_t place = 0;  ///< among the chunks of a row group
  ParquetType type = ParquetType::float64;
  ParquetMeaning meaning = ParquetMeaning::float64;
  std::int64_t elements = 1;
  int repetition = 0, definition = 0;  ///< the largest levels
  bool optional = false;               ///< values themselves may be missing
};

/// Where the values of a column in a row group are.
struct StoredChunk {
  std::int64_t begin = 0, bytes = 0, values = 0;
  ParquetType type = ParquetType::float64;
  std::int32_t codec = 0;
  bool elsewhere = false;  ///< in another file
  bool encrypted = false;
};

struct StoredGroup {
  std::int64_t rows = 0;
  std::vector<StoredChunk> chunks;  ///< as many as the schema has columns
};

struct ParquetFile {
  std::int64_t rows = 0;
  std::vector<ParquetLeaf> leaves;
  std::vector<StoredGroup> groups;
  std::string left_out;  ///< why the first column that is not among the leaves is not
};

/// Opens a file that begins as Parquet does. Throws Error{input}.
InputFile open_parquet(const std::string& path);

/// Reads what stands at its end. Columns whose values are neither numbers nor text, or are nested deeper than lists of
/// one length, are left out. Throws Error{input}.
ParquetFile read_parquet_footer(const InputFile& file);

}  // namespace srcextract
