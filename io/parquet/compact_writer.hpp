#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace srcextract {

/// Writes one struct in Thrift's compact protocol (thrift-compact-protocol.md of Apache Thrift). `field` is the number
/// of a field in the Thrift definition. Fields must be written in the order of their numbers.
class CompactWriter {
 public:
  enum class Kind : std::uint8_t { yes = 1, no, int8, int16, int32, int64, real, binary, list, set, map, structure };

  void int8(int field, std::int8_t value);
  void int32(int field, std::int32_t value);
  void int64(int field, std::int64_t value);
  void boolean(int field, bool value);
  void text(int field, std::string_view bytes);

  template <class Enum>
  requires std::is_enum_v<Enum>
  void number(int field, Enum value) { int32(field, static_cast<std::int32_t>(value)); }

  /// Begins a struct. The calls that follow write its fields, up to the call of end().
  void begin(int field);

  /// Begins a list of `count` elements. After that, each element is written with begin_element() to end(), with
  /// int32_element() or with text_element(). Or one call of encoded() writes all elements.
  void list(int field, Kind kind, std::size_t count);
  void begin_element();
  void int32_element(std::int32_t value);
  void text_element(std::string_view bytes);
  void encoded(std::string_view elements);

  void end();

  /// Writes an empty struct, for a member of a union that has no fields.
  void empty(int field) {
    begin(field);
    end();
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void header(int field, Kind kind);
  void varint(std::uint64_t value);

  std::string bytes_;
  std::vector<int> last_{0};  ///< for each open struct: number of the last field written
};

/// Appends a variable-length integer of Thrift and Parquet: 7 bits in each byte, lowest bits first.
void append_varint(std::string& out, std::uint64_t value);

}  // namespace srcextract
