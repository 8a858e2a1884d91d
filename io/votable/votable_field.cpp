#include "io/votable/votable_field.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "io/tables/table_formats.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t largest_cell = std::int64_t{1} << 40;  ///< most elements of a cell; no file holds as many
constexpr std::size_t longest_attribute = 255;                ///< in bytes; each element of an array has a copy

struct TypeName {
  std::string_view name;
  VotableType type;
};

constexpr std::array<TypeName, 12> type_names = {{{"boolean", VotableType::boolean},
                                                  {"bit", VotableType::bit},
                                                  {"unsignedByte", VotableType::unsigned_byte},
                                                  {"short", VotableType::short_integer},
                                                  {"int", VotableType::integer},
                                                  {"long", VotableType::long_integer},
                                                  {"char", VotableType::character},
                                                  {"unicodeChar", VotableType::unicode_character},
                                                  {"float", VotableType::real},
                                                  {"double", VotableType::double_real},
                                                  {"floatComplex", VotableType::complex},
                                                  {"doubleComplex", VotableType::double_complex}}};

std::string attribute(const XmlAttributes& attributes, std::string_view name, const XmlReader& xml) {
  const std::string_view value = without_xml_space(attributes.find(name).value_or(""));
  if (value.size() > longest_attribute) {
    xml.fail("the " + std::string(name) + " of a FIELD has " + std::to_string(value.size()) +
             " characters, more than " + std::to_string(longest_attribute));
  }
  return std::string(value);
}

std::string parse_name(const XmlAttributes& attributes, const XmlReader& xml) {
  std::string name = attribute(attributes, "name", xml);
  if (name.empty()) name = attribute(attributes, "ID", xml);
  if (name.empty()) xml.fail("a FIELD has neither name nor ID");
  return name;
}

VotableType parse_type(const std::string& name, const XmlAttributes& attributes, const XmlReader& xml) {
  const std::string type = attribute(attributes, "datatype", xml);
  const auto* found =
      std::find_if(type_names.begin(), type_names.end(), [&](auto& known) { return known.name == type; });
  if (found != type_names.end()) return found->type;
  if (type.empty()) xml.fail("the FIELD '" + name + "' has no datatype");
  std::string all;
  for (const TypeName& known : type_names) all += (all.empty() ? "" : ", ") + std::string(known.name);
  xml.fail("the FIELD '" + name + "' has the datatype '" + type + "', which is none of VOTable's: " + all);
}

/// Parses an arraysize such as 5, *, 10*, 3x5 or 3x*; false if it is invalid.
bool parse_size(std::string_view size, VotableField& field) {
  field.dimensions = 1;
  if (size.ends_with('*')) {
    field.variable = true;
    size.remove_suffix(1);
    if (size.empty()) return true;
    if (size.ends_with('x')) {
      size.remove_suffix(1);
      ++field.dimensions;
    }
  }
  for (;;) {
    std::int64_t count = 0;
    const auto [stop, error] = std::from_chars(size.data(), size.data() + size.size(), count);
    if (error != std::errc() || count < 0 || (count > 0 && field.elements > largest_cell / count)) return false;
    field.elements *= count;
    size.remove_prefix(static_cast<std::size_t>(stop - size.data()));
    if (size.empty()) return true;
    if (size[0] != 'x') return false;
    size.remove_prefix(1);
    ++field.dimensions;
  }
}

std::int64_t element_bytes(VotableType type) {
  switch (type) {
    case VotableType::boolean:
    case VotableType::bit:
    case VotableType::unsigned_byte:
    case VotableType::character:
      return 1;
    case VotableType::short_integer:
    case VotableType::unicode_character:
      return 2;
    case VotableType::integer:
    case VotableType::real:
      return 4;
    case VotableType::long_integer:
    case VotableType::double_real:
    case VotableType::complex:
      return 8;
    case VotableType::double_complex:
      return 16;
  }
  return 1;
}

}  // namespace

std::string_view without_xml_space(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(xml_space);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(xml_space) - begin + 1);
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, size, hexadecimal ? 16 : 10);
  constexpr std::uint64_t limit = std::uint64_t{1} << 63;
  if (stop != end || error != std::errc() || size > limit - (negative ? 0 : 1)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - size : size);
}

VotableField parse_field(const XmlAttributes& attributes, const XmlReader& xml) {
  VotableField field;
  field.head.name = parse_name(attributes, xml);
  field.head.unit = attribute(attributes, "unit", xml);
  field.head.ucd = attribute(attributes, "ucd", xml);
  field.type = parse_type(field.head.name, attributes, xml);
  const std::string size = attribute(attributes, "arraysize", xml);
  if (!size.empty() && !parse_size(size, field)) {
    xml.fail("the FIELD '" + field.head.name + "' has the arraysize '" + size +
             "'; it is to be as 5, *, 10*, 3x5 or 3x*");
  }
  return field;
}

std::optional<std::int64_t> parse_null(const XmlAttributes& attributes) {
  return parse_integer(without_xml_space(attributes.find("null").value_or("")));
}

std::string VotableField::declaration() const {
  const auto* found =
      std::find_if(type_names.begin(), type_names.end(), [&](auto& known) { return known.type == type; });
  const std::string name(found->name);
  return dimensions == 0 ? name : name + " of arraysize " + std::to_string(elements);
}

std::int64_t VotableField::columns() const {
  if (is_complex() || dimensions > 1) return 0;
  if (is_text()) return 1;
  return variable || elements > largest_array ? 0 : elements;
}

void VotableField::append_heads(std::vector<ColumnHead>& heads) const {
  for (std::int64_t element = 0; element < columns(); ++element) {
    heads.push_back(head);
    if (element == 0) continue;
    heads.back().name = element_name(head.name, element);
    heads.back().description.clear();
  }
}

std::int64_t VotableField::bytes(std::int64_t count) const {
  return type == VotableType::bit ? (count + 7) / 8 : count * element_bytes(type);
}

}  // namespace srcextract
