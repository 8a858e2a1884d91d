#include "io/avro/avro_file.hpp"

#include <avro.h>

#include <string_view>

#include "io/parquet/compact_writer.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Size in bytes from which on a block of records is written: the block ends with the record that reaches this size.
constexpr std::size_t block_bytes = std::size_t{1} << 20;

constexpr std::string_view avro_magic("Obj\x01", 4);

/// Avro's sync marker, which follows the header and every block: 16 fixed random bytes, which data are unlikely to
/// contain.
constexpr std::string_view sync_mark("\x9d\x1f\xe3\x42\xb7\x06\xc8\x5a\x71\xee\x0b\xd4\x2c\x93\xf8\x67", 16);

/// Appends a number in Avro's encoding: zigzag, then a variable number of bytes with 7 bits each.
void append_long(std::string& out, std::int64_t value) {
  append_varint(out, (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

void append_text(std::string& out, std::string_view text) {
  append_long(out, std::ssize(text));
  out += text;
}

/// Throws Error{internal} if `failure`, the result of a libavro function, is not 0.
void require(int failure, const char* doing) {
  if (failure != 0)
    throw Error(ErrorKind::internal,
                std::string("libavro cannot ") + doing + ": " + avro_strerror() + "; please report this");
}

/// Stores an AvroValue in the libavro value `to_`, with the function for its type.
class Setter {
 public:
  explicit Setter(avro_value_t& to) : to_(to) {}

  void operator()(std::monostate) { require(avro_value_set_null(&to_), "set null"); }
  void operator()(std::int32_t value) { require(avro_value_set_int(&to_, value), "set an integer"); }
  void operator()(std::int64_t value) { require(avro_value_set_long(&to_, value), "set a long integer"); }
  void operator()(double value) { require(avro_value_set_double(&to_, value), "set a number"); }
  void operator()(const std::string& value) {
    require(avro_value_set_string_len(&to_, value.c_str(), value.size() + 1), "set text");
  }
  void operator()(const AvroValue::Bytes& value) {
    require(avro_value_set_bytes(&to_, const_cast<std::byte*>(value.data()), value.size()), "set bytes");
  }
  void operator()(const std::vector<AvroValue>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      avro_value_t field;
      require(avro_value_get_by_index(&to_, i, &field, nullptr), "find a field");
      const bool is_null = std::holds_alternative<std::monostate>(fields[i].held);
      if (avro_value_get_type(&field) == AVRO_UNION) {
        avro_value_t branch;
        require(avro_value_set_branch(&field, is_null ? 0 : 1, &branch), "choose null or a value");
        field = branch;
      }
      std::visit(Setter(field), fields[i].held);
    }
  }

 private:
  avro_value_t& to_;
};

}  // namespace

/// Encodes records with libavro: holds the schema, and one libavro record that each encode() fills anew.
class AvroFile::Encoder {
 public:
  explicit Encoder(const std::string& schema) {
    require(avro_schema_from_json_length(schema.data(), schema.size(), &schema_), "read the schema of the file");
    class_ = avro_generic_class_from_schema(schema_);
    if (class_ == nullptr || avro_generic_value_new(class_, &record_) != 0) throw std::bad_alloc();
  }
  ~Encoder() {
    avro_value_decref(&record_);
    avro_value_iface_decref(class_);
    avro_schema_decref(schema_);
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  void encode(const std::vector<AvroValue>& fields, std::string& out) {
    require(avro_value_reset(&record_), "forget a record");
    Setter set(record_);
    set(fields);
    std::size_t size = 0;
    require(avro_value_sizeof(&record_, &size), "size a record");
    const std::size_t begin = out.size();
    out.resize(begin + size);
    const std::unique_ptr<avro_writer_t_, void (*)(avro_writer_t)> writer(
        avro_writer_memory(out.data() + begin, static_cast<std::int64_t>(size)), avro_writer_free);
    if (!writer) throw std::bad_alloc();
    require(avro_value_write(writer.get(), &record_), "encode a record");
  }

 private:
  avro_schema_t schema_ = nullptr;
  avro_value_iface_t* class_ = nullptr;
  avro_value_t record_ = {};
};

AvroFile::AvroFile(OutputFile& file, const std::string& schema, const Metadata& metadata)
    : file_(file), encoder_(std::make_unique<Encoder>(schema)) {
  std::string head(avro_magic);
  append_long(head, 2 + std::ssize(metadata));
  append_text(head, "avro.codec");
  append_text(head, "null");
  append_text(head, "avro.schema");
  append_text(head, schema);
  for (const auto& [key, value] : metadata) {
    append_text(head, key);
    append_text(head, value);
  }
  append_long(head, 0);
  file_.write(head);
  file_.write(sync_mark);
}

AvroFile::~AvroFile() = default;

void AvroFile::write(const std::vector<AvroValue>& fields) {
  encoder_->encode(fields, block_);
  ++records_;
  if (block_.size() >= block_bytes) finish();
}

void AvroFile::finish() {
  if (records_ == 0) return;
  std::string head;
  append_long(head, records_);
  append_long(head, std::ssize(block_));
  file_.write(head);
  file_.write(block_);
  file_.write(sync_mark);
  block_.clear();
  records_ = 0;
}

}  // namespace srcextract
