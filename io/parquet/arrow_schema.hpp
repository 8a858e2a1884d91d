#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/parquet/parquet_column.hpp"

namespace srcextract {

using KeyValues = std::vector<std::pair<std::string, std::string>>;

/// A column with the metadata that Arrow stores beyond Parquet's.
struct ArrowField {
  const ParquetField& field;
  KeyValues metadata;
};

/// Returns the value for the key ARROW:schema, in base64: the message Schema of Arrow's IPC format (Schema.fbs,
/// Message.fbs; FlatBuffers). Programs based on Arrow read from it the length of vectors and the metadata of columns.
/// They also read the table's metadata here, and ignore the other keys.
std::string arrow_schema(const std::vector<ArrowField>& fields, const KeyValues& metadata);

}  // namespace srcextract
