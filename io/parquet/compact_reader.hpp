#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "io/parquet/compact_writer.hpp"

namespace srcextract {

/// Reads structs in Thrift's compact protocol. for_each_field() reads a struct, for_each_element() a list. Everything
/// read is checked: damaged data throw Error{input} with a message that begins with `where`.
class CompactReader {
 public:
  using Kind = CompactWriter::Kind;

  CompactReader(std::span<const std::byte> bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  /// Calls f(number) for each field of the next struct, with the field's number in the Thrift definition. f reads the
  /// value and returns true, or returns false to skip the value.
  template <class F>
  void for_each_field(F&& f) {
    if (field_.kind != Kind::structure) fail("there is no struct where the format has one");
    const Nested nested(*this);
    int last = 0;
    while (const std::optional<Field> field = next_field(last)) {
      last = field->number;
      field_ = *field;
      if (!f(field->number)) skip(field->kind);
    }
  }

  /// Calls f() for each element of the next list; f reads the element. Throws if the elements are not of type `kind`.
  template <class F>
  void for_each_element(Kind kind, F&& f) {
    const auto [count, found] = list();
    if (count > 0 && found != kind) fail("a list is of another type than the format has");
    for (std::size_t i = 0; i < count; ++i) {
      field_.kind = kind;
      f();
    }
  }

  /// Return the value of the current field, or of the current list element. boolean() is only for fields.
  std::int64_t integer();
  std::string_view text();
  bool boolean() const;
  std::int32_t int32();

  /// Number of bytes read so far.
  std::size_t position() const { return position_; }

  [[noreturn]] void fail(const std::string& problem) const;

 private:
  struct Field {
    int number = 0;
    Kind kind = Kind::yes;
  };
  struct List {
    std::size_t count = 0;
    Kind kind = Kind::yes;
  };
  /// Counts the open structs, and throws if they are nested too deeply.
  struct Nested {
    explicit Nested(CompactReader& outer);
    ~Nested() { --reader.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    CompactReader& reader;
  };

  std::optional<Field> next_field(int last);
  List list();
  void skip(Kind kind);
  std::uint8_t byte();
  std::uint64_t varint();
  std::string_view take(std::uint64_t count);

  std::span<const std::byte> bytes_;
  std::string where_;
  std::size_t position_ = 0;
  int depth_ = 0;
  Field field_{0, Kind::structure};  ///< field, or list element, that is read next
};

}  // namespace srcextract
