#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/parquet/compact_reader.hpp"
#include "io/parquet/parquet_file.hpp"

namespace srcextract {

/// A node of the schema, which the file stores as a tree in depth-first order.
struct SchemaNode {
  std::string name;
  std::optional<ParquetType> type;  ///< nothing for groups
  ParquetRepetition repetition = ParquetRepetition::required;
  std::int32_t children = 0;
  std::optional<std::int32_t> converted;
  int logical = 0;  ///< field number in the union LogicalType; 0: none
  int bits = 0;     ///< bits of an integer
  bool has_sign = true;
};

SchemaNode read_schema_node(CompactReader& reader);

/// Fills `leaves` of `file`, and the reason why a column is left out. Returns the number of columns in the schema.
/// Throws Error{input} that begins with `where` if the nodes form no tree.
std::size_t find_leaves(const std::vector<SchemaNode>& nodes, ParquetFile& file, const std::string& where);

}  // namespace srcextract
