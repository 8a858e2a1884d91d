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

/// The value of a field in an Avro record: null, a number, text, bytes, or a record's fields in order.
struct AvroValue {
  using Bytes = std::vector<std::byte>;

  std::variant<std::monostate, std::int32_t, std::int64_t, double, std::string, Bytes, std::vector<AvroValue>> held;
};

/// Writes an object container file (Apache Avro 1.11 Specification) of records without compression. Libavro checks the
/// schema and encodes the records. The bytes depend on schema, metadata and records alone: the mark between blocks,
/// which libavro would derive from the time, is fixed. Throws Error{output}, and Error{internal} for a value that its
/// field in the schema cannot hold.
class AvroFile {
 public:
  using Metadata = std::vector<std::pair<std::string, std::string>>;

  /// `schema` is JSON: a record whose fields are records, numbers, text, bytes or unions of null and one of these, null
  /// first. `file` must outlive this object.
  AvroFile(OutputFile& file, const std::string& schema, const Metadata& metadata);
  ~AvroFile();
  AvroFile(const AvroFile&) = delete;
  AvroFile& operator=(const AvroFile&) = delete;

  /// Writes a record of these fields.
  void write(const std::vector<AvroValue>& fields);

  /// Writes records that are still in memory; the caller commits the file.
  void finish();

 private:
  class Encoder;

  OutputFile& file_;
  std::unique_ptr<Encoder> encoder_;
  std::string block_;  ///< encoded records
  std::int64_t records_ = 0;
};

}  // namespace srcextract
