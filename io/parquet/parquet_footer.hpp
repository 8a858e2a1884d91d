#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/parquet/parquet_column.hpp"

namespace srcextract {

/// A chunk with its offset in the file.
struct PlacedChunk {
  const ParquetField& field;
  const ParquetChunk& chunk;
  std::int64_t begin;
};

/// The encoded struct RowGroup of parquet.thrift.
std::string encoded_row_group(const std::vector<PlacedChunk>& chunks, std::int64_t rows,
                              ParquetCompression compression);

/// Contents of the footer.
struct ParquetFooter {
  std::vector<ParquetField> fields;
  std::int64_t rows = 0;
  std::int64_t groups = 0;
  std::string encoded_groups;  ///< encoded row groups, concatenated
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string creator;
};

/// The encoded struct FileMetaData.
std::string encoded_footer(const ParquetFooter& footer);

}  // namespace srcextract
