#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/parquet/parquet_column.hpp"

namespace srcextract {

/// Where a chunk is in the file.
struct PlacedChunk {
  const ParquetField& field;
  const ParquetChunk& chunk;
  std::int64_t begin;
};

/// The struct RowGroup of parquet.thrift, encoded.
std::string encoded_row_group(const std::vector<PlacedChunk>& chunks, std::int64_t rows,
                              ParquetCompression compression);

/// What stands at the end of a file.
struct ParquetFooter {
  std::vector<ParquetField> fields;
  std::int64_t rows = 0;
  std::int64_t groups = 0;
  std::string encoded_groups;  ///< one behind the other
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string creator;
};

/// The struct FileMetaData, encoded.
std::string encoded_footer(const ParquetFooter& footer);

}  // namespace srcextract
