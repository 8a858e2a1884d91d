#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/parquet/compact_reader.hpp"
#include "io/parquet/parquet_file.hpp"

namespace srcextract {

/// One node of the schema, which stands in the file as a tree walked in depth.
struct SchemaNode {
  std::string name;
  std::optional<ParquetType> type;  ///< none of groups
  ParquetRepetition repetition = ParquetRepetition::required;
  std::int32_t children = 0;
  std::optional<std::int32_t> converted;
  int logical = 0;  ///< number of the field in the union LogicalType; 0: none
  int bits = 0;     ///< of an integer
  bool has_sign = true;
};

SchemaNode read_schema_node(CompactReader& reader);

/// Finds the columns: `leaves` of `file`, and why one is not there. Returns how many columns there are in all. Throws
/// Error{input} that begins with `where` if the nodes are no tree.
std::size_t find_leaves(const std::vector<SchemaNode>& nodes, ParquetFile& file, const std::string& where);

}  // namespace srcextract
