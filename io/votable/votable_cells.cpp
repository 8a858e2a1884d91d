#include "io/votable/votable_cells.hpp"

#include <limits>
#include <optional>
#include <string>

#include "io/files/big_endian.hpp"

namespace srcextract {
namespace {

FieldType field_type(VotableType type) {
  switch (type) {
    case VotableType::boolean:
      return FieldType::boolean;
    case VotableType::character:
    case VotableType::unicode_character:
      return FieldType::text;
    case VotableType::real:
      return FieldType::float32;
    case VotableType::double_real:
      return FieldType::float64;
    default:
      return FieldType::integer;
  }
}

struct Range {
  std::int64_t least, largest;
};

template <class T>
constexpr Range range_of = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};

Range range(VotableType type) {
  switch (type) {
    case VotableType::bit:
      return {0, 1};
    case VotableType::unsigned_byte:
      return range_of<std::uint8_t>;
    case VotableType::short_integer:
      return range_of<std::int16_t>;
    case VotableType::integer:
      return range_of<std::int32_t>;
    default:
      return range_of<std::int64_t>;
  }
}

bool is_nan_word(std::string_view text) {
  return text == "NaN" || text == "nan" || text == "NAN";
}

/// Returns the bytes of a cell as text, up to the first NUL if there is one.
std::string_view characters(std::span<const std::byte> bytes) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return all.substr(0, all.find('\0'));
}

void append_utf8(char32_t c, std::string& out) {
  const auto put = [&](char32_t bits) { out += static_cast<char>(bits); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | c >> 6);
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3f));
    put(0x80 | (c >> 6 & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

/// Converts big-endian UTF-16 to UTF-8, up to the first NUL if there is one. An unpaired surrogate becomes U+FFFD.
std::string utf8(std::span<const std::byte> bytes) {
  std::string out;
  for (std::size_t i = 0; i + 2 <= bytes.size(); i += 2) {
    char32_t c = load_big_endian<std::uint16_t>(&bytes[i]);
    if (c == 0) break;
    if (c >= 0xd800 && c < 0xe000) {
      const char32_t low = i + 4 <= bytes.size() ? load_big_endian<std::uint16_t>(&bytes[i + 2]) : 0;
      const bool pair = c < 0xdc00 && low >= 0xdc00 && low < 0xe000;
      c = pair ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0xfffd;
      if (pair) i += 2;
    }
    append_utf8(c, out);
  }
  return out;
}

/// Returns bit `element` of an array of bits, in which the first bit is the highest of the first byte. A single bit
/// counts as 1 if any bit of the byte is set, because Astropy sets another bit than the highest.
int bit_of(std::span<const std::byte> bytes, const VotableField& field, std::int64_t element) {
  const auto byte = std::to_integer<unsigned>(bytes[static_cast<std::size_t>(element / 8)]);
  if (field.elements == 1) return byte != 0 ? 1 : 0;
  return static_cast<int>(byte >> (7 - element % 8) & 1);
}

/// Returns 1 for true, 0 for false, -1 for a missing value, and nothing for a character that VOTable does not define.
std::optional<int> parse_boolean(char c) {
  if (c == 'T' || c == 't' || c == '1') return 1;
  if (c == 'F' || c == 'f' || c == '0') return 0;
  if (c == '?' || c == ' ' || c == '\0') return -1;
  return std::nullopt;
}

}  // namespace

void VotableCells::keep(std::int64_t element, std::size_t place) {
  kept_.push_back({element, place, ColumnBuilder(field_type(field_->type))});
}

void VotableCells::add_missing() {
  for (Kept& kept : kept_) kept.values.add_missing();
}

bool VotableCells::add_text(std::string_view text) {
  if (field_->is_text()) {
    for (Kept& kept : kept_) kept.values.add(text);
    return true;
  }
  text = without_xml_space(text);
  if (text.empty()) {
    add_missing();
    return true;
  }
  if (field_->dimensions > 0) return add_array_text(text);
  for (Kept& kept : kept_) {
    if (!add_element_text(kept.values, text)) return false;
  }
  return true;
}

/// Adds an array, given as text of a TD. White space separates the elements; bits may also stand without space between.
bool VotableCells::add_array_text(std::string_view text) {
  auto next = kept_.begin();
  std::int64_t element = 0;
  for (; !text.empty(); ++element) {
    const std::size_t size = field_->type == VotableType::bit ? 1 : text.find_first_of(xml_space);
    const std::string_view word = text.substr(0, size);
    text = without_xml_space(text.substr(word.size()));
    for (; next != kept_.end() && next->element == element; ++next) {
      if (!add_element_text(next->values, word)) return false;
    }
  }
  return element == field_->elements;
}

bool VotableCells::add_element_text(ColumnBuilder& values, std::string_view text) const {
  switch (field_->type) {
    case VotableType::real:
    case VotableType::double_real:
      return values.add(text);
    case VotableType::boolean:
      return values.add(text == "?" ? std::string_view() : text);
    default:
      break;
  }
  const std::optional<std::int64_t> value = parse_integer(text);
  if (!value) {
    if (!is_nan_word(text)) return false;
    values.add_missing();
    return true;
  }
  const auto [least, largest] = range(field_->type);
  if ((*value < least || *value > largest) && value != field_->null) return false;
  add_integer(values, *value);
  return true;
}

bool VotableCells::add_bytes(std::span<const std::byte> bytes) {
  for (Kept& kept : kept_) {
    if (!add_element_bytes(kept, bytes)) return false;
  }
  return true;
}

bool VotableCells::add_element_bytes(Kept& kept, std::span<const std::byte> bytes) const {
  ColumnBuilder& values = kept.values;
  const std::byte* element = bytes.data() + (field_->is_text() ? 0 : field_->bytes(kept.element));
  switch (field_->type) {
    case VotableType::boolean: {
      const std::optional<int> value = parse_boolean(static_cast<char>(*element));
      if (!value) return false;
      if (*value < 0) {
        values.add_missing();
      } else {
        values.add_integer_value(*value);
      }
      return true;
    }
    case VotableType::bit:
      add_integer(values, bit_of(bytes, *field_, kept.element));
      return true;
    case VotableType::unsigned_byte:
      add_integer(values, std::to_integer<std::int64_t>(*element));
      return true;
    case VotableType::short_integer:
      add_integer(values, load_big_endian<std::int16_t>(element));
      return true;
    case VotableType::integer:
      add_integer(values, load_big_endian<std::int32_t>(element));
      return true;
    case VotableType::long_integer:
      add_integer(values, load_big_endian<std::int64_t>(element));
      return true;
    case VotableType::character:
      return values.add(characters(bytes));
    case VotableType::unicode_character:
      return values.add(utf8(bytes));
    case VotableType::real:
      values.add_real_value(static_cast<double>(load_big_endian<float>(element)));
      return true;
    case VotableType::double_real:
      values.add_real_value(load_big_endian<double>(element));
      return true;
    case VotableType::complex:
    case VotableType::double_complex:
      break;  // fields of complex numbers are never kept
  }
  return false;
}

void VotableCells::add_integer(ColumnBuilder& values, std::int64_t value) const {
  if (value == field_->null) {
    values.add_missing();
  } else {
    values.add_integer_value(value);
  }
}

std::int64_t VotableCells::bytes_with(std::int64_t more) const {
  std::int64_t bytes = 0;
  for (const Kept& kept : kept_) bytes += kept.values.bytes_with(more);
  return bytes;
}

void VotableCells::finish(std::vector<TableColumn>& columns) {
  for (Kept& kept : kept_) {
    // ColumnBuilder::finish() returns nothing only after add() got mixed fields in a column of type `any`, or an
    // integer beyond 64 bits. Neither happens here: types are declared, and integers are added as values.
    columns[kept.place].values = kept.values.finish().value();
  }
}

}  // namespace srcextract
