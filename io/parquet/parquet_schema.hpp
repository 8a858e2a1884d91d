#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/parquet/compact_reader.hpp"
#include "io/parquet/parquet_file.hpp"

namespace srcextract {

/// A node of the schema. The file stores the schema as a tree in depth-first order.
struct SchemaNode {
  std::string name;
  std::optional<ParquetType> type;  ///< physical type; nothing for a group, a node with children
  ParquetRepetition repetition = ParquetRepetition::required;
  std::int32_t children = 0;
  std::optional<std::int32_t> converted;
  int logical = 0;  ///< field number in the union LogicalType; 0 if there is none
  bool has_sign = true;
};

SchemaNode read_schema_node(CompactReader& reader);

/// Finds the columns that can be read and stores them in file.leaves, and the reason for the first column left out in
/// file.left_out. Returns the number of all columns in the schema. Throws Error{input} with a message that begins with
/// `where` if the nodes form no tree.
std::size_t find_leaves(const std::vector<SchemaNode>& nodes, ParquetFile& file, const std::string& where);

}  // namespace srcextract
