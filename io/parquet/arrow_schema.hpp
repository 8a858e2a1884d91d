#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/parquet/parquet_column.hpp"

namespace srcextract {

using KeyValues = std::vector<std::pair<std::string, std::string>>;

/// What Arrow knows of a column beyond what Parquet does.
struct ArrowField {
  const ParquetField& field;
  KeyValues metadata;
};

/// The value of the key ARROW:schema, by which programs that use Arrow give vectors one length and columns metadata:
/// the message Schema of Arrow's IPC format (Schema.fbs, Message.fbs; FlatBuffers), in base64. Arrow
/// takes what is said of the table from there as well, and no longer from the other keys.
std::string arrow_schema(const std::vector<ArrowField>& fields, const KeyValues& metadata);

}  // namespace srcextract
