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

/// Reads structs in Thrift's compact protocol, of which nothing is taken for granted: throws Error{input} that begins
/// with `where` if they are damaged. Fields are gone through by for_each_field, lists by for_each_element.
class CompactReader {
 public:
  using Kind = CompactWriter::Kind;

  CompactReader(std::span<const std::byte> bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

  /// Calls f(number, kind) for each field of the struct that is next, which reads its value, or returns false; then it
  /// is passed over.
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

  /// Calls f() for each element of the list that is next, if these are of the kind; f reads it.
  template <class F>
  void for_each_element(Kind kind, F&& f) {
    const auto [count, found] = list();
    if (count > 0 && found != kind) fail("a list is of another type than the format has");
    for (std::size_t i = 0; i < count; ++i) {
      field_.kind = kind;
      f();
    }
  }

  /// The value of the field that is told, or of an element of a list of these.
  std::int64_t integer();
  std::string_view text();
  bool boolean() const;
  std::int32_t int32();

  /// How many bytes were read.
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
  /// Structs within structs, of which there are few.
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
  Field field_{0, Kind::structure};  ///< that is read next
};

}  // namespace srcextract
