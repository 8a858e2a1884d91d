#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/files/output_file.hpp"

namespace srcextract {

/// The value of a field in an Avro record: null, a number, a text, bytes, or a record as its fields in order.
struct AvroValue {
  using Bytes = std::vector<std::byte>;

  std::variant<std::monostate, std::int32_t, std::int64_t, double, std::string, Bytes, std::vector<AvroValue>> held;
};

/// Writes records without compression to an Avro object container file (Apache Avro 1.11 Specification). Libavro checks
/// the schema and encodes the records. The same schema, metadata and records always give the same bytes: the sync
/// marker between blocks, which libavro would derive from the time, is fixed. Throws Error{output} or Error{storage},
/// and Error{internal} for a value that does not fit its field in the schema.
class AvroFile {
 public:
  using Metadata = std::vector<std::pair<std::string, std::string>>;

  /// `schema` is the JSON of a record. The type of a field is a number, a text, bytes, a record, or a union of null
  /// (first) and one of these. `file` must outlive this object.
  AvroFile(OutputFile& file, const std::string& schema, const Metadata& metadata);
  ~AvroFile();
  AvroFile(const AvroFile&) = delete;
  AvroFile& operator=(const AvroFile&) = delete;

  void write(const std::vector<AvroValue>& fields);

  /// Writes the records that are still in memory. The caller commits the file.
  void finish();

 private:
  class Encoder;

  OutputFile& file_;
  std::unique_ptr<Encoder> encoder_;
  std::string block_;  ///< encoded records not written yet
  std::int64_t records_ = 0;
};

}  // namespace srcextract
