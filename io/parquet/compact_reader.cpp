#include "io/parquet/compact_reader.hpp"

#include <limits>
#include <utility>

#include "io/files/refuse.hpp"

namespace srcextract {
namespace {

constexpr int deepest = 32;

std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1U) ^ -static_cast<std::int64_t>(value & 1U);
}

}  // namespace

CompactReader::Nested::Nested(CompactReader& outer) : reader(outer) {
  if (++reader.depth_ <= deepest) return;
  --reader.depth_;
  reader.fail("structs are nested too deeply");
}

void CompactReader::fail(const std::string& problem) const {
  refuse(where_, problem + " (byte " + std::to_string(position_) + " of it); the file is damaged");
}

std::uint8_t CompactReader::byte() {
  if (position_ == bytes_.size()) fail("it ends too soon");
  return std::to_integer<std::uint8_t>(bytes_[position_++]);
}

std::uint64_t CompactReader::varint() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t next = byte();
    value |= static_cast<std::uint64_t>(next & 0x7FU) << shift;
    if (next < 0x80) return value;
  }
  fail("a number has too many bytes");
}

std::string_view CompactReader::take(std::uint64_t count) {
  if (count > bytes_.size() - position_) fail("it ends within a text");
  const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + position_, count);
  position_ += count;
  return text;
}

std::optional<CompactReader::Field> CompactReader::next_field(int last) {
  const std::uint8_t head = byte();
  if (head == 0) return std::nullopt;
  const int kind = head & 0x0F, step = head >> 4;
  if (kind < static_cast<int>(Kind::yes) || kind > static_cast<int>(Kind::structure))
    fail("a field is of no type that there is");
  const std::int64_t number = step > 0 ? last + step : unzigzag(varint());
  if (number < 0 || number > std::numeric_limits<std::int16_t>::max()) fail("a field has no possible number");
  return Field{static_cast<int>(number), static_cast<Kind>(kind)};
}

/// Reads the head of a list: the number of elements and their type. Throws if the number exceeds the bytes left, since
/// each element takes at least one byte.
CompactReader::List CompactReader::list() {
  if (field_.kind != Kind::list) fail("there is no list where the format has one");
  const std::uint8_t head = byte();
  const int kind = head & 0x0F;
  const std::uint64_t count = head >> 4 == 15 ? varint() : head >> 4;
  if (count > 0 && (kind < static_cast<int>(Kind::yes) || kind > static_cast<int>(Kind::structure)))
    fail("a list is of no type that there is");
  if (count > bytes_.size() - position_) fail("a list is longer than the metadata that holds it");
  field_.kind = static_cast<Kind>(kind);
  return {static_cast<std::size_t>(count), static_cast<Kind>(kind)};
}

std::int64_t CompactReader::integer() {
  if (field_.kind == Kind::int8) return static_cast<std::int8_t>(byte());
  if (field_.kind != Kind::int16 && field_.kind != Kind::int32 && field_.kind != Kind::int64)
    fail("there is no number where the format has one");
  return unzigzag(varint());
}

std::int32_t CompactReader::int32() {
  const std::int64_t value = integer();
  if (!std::in_range<std::int32_t>(value)) fail("a number is out of range");
  return static_cast<std::int32_t>(value);
}

std::string_view CompactReader::text() {
  if (field_.kind != Kind::binary) fail("there is no text where the format has one");
  return take(varint());
}

bool CompactReader::boolean() const {
  if (field_.kind != Kind::yes && field_.kind != Kind::no) fail("there is no boolean where the format has one");
  return field_.kind == Kind::yes;
}

void CompactReader::skip(Kind kind) {
  const Nested nested(*this);
  switch (kind) {
    case Kind::yes:
    case Kind::no:
      return;
    case Kind::int8:
      byte();
      return;
    case Kind::int16:
    case Kind::int32:
    case Kind::int64:
      varint();
      return;
    case Kind::real:
      take(sizeof(double));
      return;
    case Kind::binary:
      take(varint());
      return;
    case Kind::structure:
      field_.kind = Kind::structure;
      for_each_field([](int) { return false; });
      return;
    case Kind::list:
    case Kind::set: {
      field_.kind = Kind::list;
      const List elements = list();
      for (std::size_t i = 0; i < elements.count; ++i) {
        const bool flag = elements.kind == Kind::yes || elements.kind == Kind::no;
        skip(flag ? Kind::int8 : elements.kind);
      }
      return;
    }
    case Kind::map:
      fail("there is a map, which the format has nowhere");
  }
}

}  // namespace srcextract
