#include "io/parquet/arrow_schema.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "io/files/base64.hpp"

namespace srcextract {
namespace {

// Constants of Arrow's Schema.fbs and Message.fbs.
constexpr std::uint32_t version_5 = 4, schema_message = 1;
constexpr std::uint32_t int_type = 2, floating_point_type = 3, utf8_type = 5, fixed_size_list_type = 16;
constexpr std::uint32_t single_precision = 1, double_precision = 2;

/// Writes a FlatBuffer from the root on: each reference (an offset) is written as 0, and set when its target is
/// written. All members of tables have four bytes, so that only the tables themselves need alignment.
class FlatWriter {
 public:
  /// Value of a member that is a reference, until its target is written.
  static constexpr std::uint32_t later = 0;

  FlatWriter() : bytes_(word, '\0') {}

  /// Writes a table and sets the reference at `from` to it. A member without a value is left out, which means its
  /// default. Returns the offset of each member in the buffer.
  std::vector<std::size_t> table(std::size_t from, const std::vector<std::optional<std::uint32_t>>& members) {
    std::size_t present = 0;
    for (const auto& member : members) present += member ? 1 : 0;
    const std::size_t layout_size = 2 * (2 + members.size());
    bytes_.resize((bytes_.size() + layout_size + word - 1) / word * word - layout_size, '\0');
    const std::size_t layout = bytes_.size();
    put16(layout_size);
    put16(word * (1 + present));
    std::size_t next = word;
    for (const auto& member : members) {
      put16(member ? next : 0);
      next += member ? word : 0;
    }
    refer(from);
    put32(bytes_.size() - layout);
    std::vector<std::size_t> places;
    for (const auto& member : members) {
      places.push_back(bytes_.size());
      if (member) put32(*member);
    }
    return places;
  }

  void text(std::size_t from, const std::string& text) {
    refer(from);
    put32(text.size());
    bytes_ += text;
    bytes_.resize((bytes_.size() + word) / word * word, '\0');  // at least one zero ends the text
  }

  /// Writes a vector of references whose targets are written later, and sets the reference at `from` to it. Returns the
  /// offset of each reference in the buffer.
  std::vector<std::size_t> references(std::size_t from, std::size_t count) {
    refer(from);
    put32(count);
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < count; ++i) {
      places.push_back(bytes_.size());
      put32(later);
    }
    return places;
  }

  /// Returns the buffer, padded to a multiple of eight bytes.
  std::string finish() && {
    bytes_.resize((bytes_.size() + 7) / 8 * 8, '\0');
    return std::move(bytes_);
  }

 private:
  static constexpr std::size_t word = sizeof(std::uint32_t);

  void put16(std::size_t value) {
    for (int shift = 0; shift < 16; shift += 8) bytes_ += static_cast<char>(value >> shift);
  }
  void put32(std::size_t value) {
    for (int shift = 0; shift < 32; shift += 8) bytes_ += static_cast<char>(value >> shift);
  }
  /// Sets the reference at `from` to the next byte that is written.
  void refer(std::size_t from) {
    const auto offset = static_cast<std::uint32_t>(bytes_.size() - from);
    std::memcpy(bytes_.data() + from, &offset, sizeof(offset));
  }

  std::string bytes_;
};

void write_metadata(FlatWriter& out, std::size_t from, const KeyValues& metadata) {
  const auto pairs = out.references(from, metadata.size());
  for (std::size_t i = 0; i < metadata.size(); ++i) {
    const auto pair = out.table(pairs[i], {FlatWriter::later, FlatWriter::later});
    out.text(pair[0], metadata[i].first);
    out.text(pair[1], metadata[i].second);
  }
}

/// Returns the number of the field's type in Arrow's union Type.
std::uint32_t kind_of(const ParquetField& field) {
  if (field.type == ParquetType::byte_array) return utf8_type;
  return field.type == ParquetType::int32 || field.type == ParquetType::int64 ? int_type : floating_point_type;
}

void write_type(FlatWriter& out, std::size_t from, const ParquetField& field) {
  const std::uint32_t kind = kind_of(field);
  if (kind == utf8_type) out.table(from, {});
  if (kind == floating_point_type)
    out.table(from, {field.type == ParquetType::float32 ? single_precision : double_precision});
  if (kind == int_type) {
    const bool is_short = field.meaning == ConvertedType::int16;
    const std::uint32_t bits = is_short ? 16 : field.type == ParquetType::int32 ? 32 : 64;
    out.table(from, {bits, 1U});
  }
}

/// Writes a table Field of Arrow's schema: name, nullable, type number, type, dictionary, children, metadata.
void write_field(FlatWriter& out, std::size_t from, const std::string& name, const ParquetField& field, bool vector,
                 const KeyValues& metadata) {
  const auto places = out.table(from, {FlatWriter::later, std::nullopt, vector ? fixed_size_list_type : kind_of(field),
                                       FlatWriter::later, std::nullopt, FlatWriter::later, FlatWriter::later});
  out.text(places[0], name);
  if (vector) {
    out.table(places[3], {static_cast<std::uint32_t>(field.elements)});
    write_field(out, out.references(places[5], 1)[0], "element", field, false, {});
  } else {
    write_type(out, places[3], field);
    out.references(places[5], 0);
  }
  write_metadata(out, places[6], metadata);
}

/// Returns the message as a stream has it: after Arrow's marker of a message (0xffffffff) and the message's length.
std::string in_stream(const std::string& message) {
  std::string out(8, '\xff');
  const auto size = static_cast<std::uint32_t>(message.size());
  std::memcpy(out.data() + 4, &size, sizeof(size));
  return out + message;
}

}  // namespace

std::string arrow_schema(const std::vector<ArrowField>& fields, const KeyValues& metadata) {
  FlatWriter out;
  const auto message = out.table(0, {version_5, schema_message, FlatWriter::later});
  const auto schema = out.table(message[2], {std::nullopt, FlatWriter::later, FlatWriter::later});
  const auto places = out.references(schema[1], fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i)
    write_field(out, places[i], fields[i].field.name, fields[i].field, fields[i].field.vector, fields[i].metadata);
  write_metadata(out, schema[2], metadata);
  return in_base64(in_stream(std::move(out).finish()));
}

}  // namespace srcextract
