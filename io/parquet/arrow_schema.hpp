#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/parquet/parquet_column.hpp"

namespace srcextract {

using KeyValues = std::vector<std::pair<std::string, std::string>>;

/// A column of a Parquet file, with metadata that only the Arrow schema can hold.
struct ArrowField {
  const ParquetField& field;
  KeyValues metadata;
};

/// Returns the value for the file's metadata key ARROW:schema, in base64: a Schema message of Arrow's IPC format
/// (Schema.fbs and Message.fbs, encoded as a FlatBuffer). `metadata` is the metadata of the table. Programs based on
/// Arrow take the lengths of vectors and the metadata of columns from this value. The same programs take the metadata
/// of the table only from this value, and ignore the file's other keys.
std::string arrow_schema(const std::vector<ArrowField>& fields, const KeyValues& metadata);

}  // namespace srcextract
