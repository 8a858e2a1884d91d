#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/parquet/parquet_column.hpp"

namespace srcextract {

/// A column chunk with its offset in the file, in bytes.
struct PlacedChunk {
  const ParquetField& field;
  const ParquetChunk& chunk;
  std::int64_t begin;
};

/// Returns the struct RowGroup of parquet.thrift for these column chunks, encoded.
std::string encoded_row_group(const std::vector<PlacedChunk>& chunks, std::int64_t rows,
                              ParquetCompression compression);

struct ParquetFooter {
  std::vector<ParquetField> fields;
  std::int64_t rows = 0;
  std::int64_t groups = 0;
  std::string encoded_groups;  ///< encoded structs of all row groups, concatenated
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string creator;
};

/// Returns the struct FileMetaData of parquet.thrift, encoded.
std::string encoded_footer(const ParquetFooter& footer);

}  // namespace srcextract
