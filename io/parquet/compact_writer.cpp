#include "io/parquet/compact_writer.hpp"

namespace srcextract {
namespace {

/// Maps small numbers of either sign to small unsigned numbers (zigzag encoding).
std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63U);
}

}  // namespace

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>(value | 0x80U);
  out += static_cast<char>(value);
}

void CompactWriter::varint(std::uint64_t value) {
  append_varint(bytes_, value);
}

void CompactWriter::header(int field, Kind kind) {
  const int step = field - last_.back();
  if (step > 0 && step < 16) {
    bytes_ += static_cast<char>(step * 16 + static_cast<int>(kind));
  } else {
    bytes_ += static_cast<char>(kind);
    varint(zigzag(field));
  }
  last_.back() = field;
}

void CompactWriter::int8(int field, std::int8_t value) {
  header(field, Kind::int8);
  bytes_ += static_cast<char>(value);
}

void CompactWriter::int32(int field, std::int32_t value) {
  header(field, Kind::int32);
  varint(zigzag(value));
}

void CompactWriter::int64(int field, std::int64_t value) {
  header(field, Kind::int64);
  varint(zigzag(value));
}

void CompactWriter::boolean(int field, bool value) {
  header(field, value ? Kind::yes : Kind::no);
}

void CompactWriter::text(int field, std::string_view bytes) {
  header(field, Kind::binary);
  text_element(bytes);
}

void CompactWriter::begin(int field) {
  header(field, Kind::structure);
  last_.push_back(0);
}

void CompactWriter::list(int field, Kind kind, std::size_t count) {
  header(field, Kind::list);
  bytes_ += static_cast<char>((count < 15 ? count : 15) * 16 + static_cast<std::size_t>(kind));
  if (count >= 15) varint(count);
}

void CompactWriter::begin_element() {
  last_.push_back(0);
}

void CompactWriter::int32_element(std::int32_t value) {
  varint(zigzag(value));
}

void CompactWriter::text_element(std::string_view bytes) {
  varint(bytes.size());
  bytes_ += bytes;
}

void CompactWriter::encoded(std::string_view elements) {
  bytes_ += elements;
}

void CompactWriter::end() {
  bytes_ += '\0';
  last_.pop_back();
}

}  // namespace srcextract
