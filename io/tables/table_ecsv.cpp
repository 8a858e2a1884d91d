#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "io/tables/table_formats.hpp"
#include "io/tables/text_fields.hpp"
#include "io/tables/text_lists.hpp"
#include "io/tables/text_table.hpp"

namespace srcextract {
namespace {

/// Length in bytes of the longest header that is read. Parsed YAML takes up to about 200 times the memory of its text.
constexpr std::size_t longest_ecsv_header = std::size_t{4} << 20;

/// Largest number of values in a row, elements of vectors included. A limit is needed because a few bytes of the header
/// can declare a vector of a thousand elements.
constexpr std::size_t most_elements = 100'000;

struct DataType {
  std::string_view name;
  std::optional<FieldType> fields;  ///< nothing for types other than numbers, booleans and text
};
constexpr std::array<DataType, 19> data_types = {{{"bool", FieldType::boolean},
                                                  {"int8", FieldType::integer},
                                                  {"int16", FieldType::integer},
                                                  {"int32", FieldType::integer},
                                                  {"int64", FieldType::integer},
                                                  {"uint8", FieldType::integer},
                                                  {"uint16", FieldType::integer},
                                                  {"uint32", FieldType::integer},
                                                  {"uint64", FieldType::integer},
                                                  {"float16", FieldType::float32},
                                                  {"float32", FieldType::float32},
                                                  {"float64", FieldType::float64},
                                                  {"float128", FieldType::float64},
                                                  {"string", FieldType::text},
                                                  {"object", {}},
                                                  {"complex64", {}},
                                                  {"complex128", {}},
                                                  {"complex256", {}},
                                                  {"json", {}}}};

const DataType* find_type(std::string_view name) {
  const auto* const type =
      std::find_if(data_types.begin(), data_types.end(), [&](const DataType& known) { return known.name == name; });
  return type == data_types.end() ? nullptr : type;
}

/// Returns the header lines without # at the front. The first line, %ECSV, becomes empty, so that line numbers of the
/// YAML text equal those of the file.
std::string header_text(TextLines& lines) {
  if (!lines.next()) throw lines.error("the file is empty; fetch or make it again");
  if (!lines.line().starts_with("# %ECSV ")) throw lines.error("an ECSV file begins with '# %ECSV 1.0'");
  std::string text = "\n";
  while (lines.next()) {
    std::string_view line = lines.line();
    if (!line.starts_with('#')) {
      lines.put_back();
      break;
    }
    line.remove_prefix(line.starts_with("# ") ? 2 : 1);
    text.append(line) += '\n';
    if (text.size() > longest_ecsv_header) {
      throw lines.error("the header is longer than " + std::to_string(longest_ecsv_header >> 20) +
                        " MiB, which is not read; leave out what `meta` says");
    }
  }
  return text;
}

std::string scalar(const YAML::Node& node) {
  return node.IsScalar() ? node.Scalar() : std::string();
}

/// Returns the scalar of a key in a map, or in a list of maps (`!!omap`); empty if there is none.
std::string find_scalar(const YAML::Node& node, const std::string& key) {
  for (const auto& item : node) {
    if (node.IsSequence() && item.IsMap()) {
      if (std::string found = find_scalar(item, key); !found.empty()) return found;
    } else if (node.IsMap() && scalar(item.first) == key) {
      return scalar(item.second);
    }
  }
  return {};
}

/// The description of one field of a row, from the header.
struct Entry {
  ColumnHead head;
  std::string type_name;
  std::optional<std::string> subtype;  ///< type of the elements of a vector, or of an object
};

/// Reads all keys in one pass over the map: a search for each key takes longer than parsing the YAML.
Entry parse_entry(const YAML::Node& node) {
  Entry entry;
  if (!node.IsMap()) return entry;
  for (const auto& item : node) {
    const std::string key = scalar(item.first);
    const YAML::Node& value = item.second;
    if (key == "name") entry.head.name = scalar(value);
    if (key == "datatype") entry.type_name = scalar(value);
    if (key == "subtype") entry.subtype = scalar(value);
    if (key == "description") entry.head.description = scalar(value);
    // The unit is a scalar. Inside other objects, Astropy writes a map, `!astropy.units.Unit {unit: deg}`.
    if (key == "unit") entry.head.unit = value.IsMap() ? find_scalar(value, "unit") : scalar(value);
    if (key == "meta") entry.head.ucd = find_scalar(value, "ucd");
  }
  return entry;
}

/// The type of a vector of numbers, such as `float64[3]`.
struct VectorType {
  FieldType type;
  std::size_t length;
};

/// Parses the type of a vector of numbers. Returns nothing for other types: vectors of variable length, of text or of
/// too many elements, and images such as `float64[2,3]`.
std::optional<VectorType> parse_subtype(std::string_view subtype) {
  const std::size_t bracket = std::min(subtype.find('['), subtype.size());
  const DataType* const type = find_type(subtype.substr(0, bracket));
  if (!type || !type->fields || *type->fields == FieldType::text) return std::nullopt;
  std::int64_t length = 0;
  const bool known = for_each_item(subtype.substr(bracket), [&](std::size_t at, std::string_view item) {
    const auto [stop, error] = std::from_chars(item.data(), item.data() + item.size(), length);
    return at == 0 && stop == item.data() + item.size() && error == std::errc() && length >= 1 &&
           length <= longest_vector;
  });
  if (!known) return std::nullopt;
  return VectorType{*type->fields, static_cast<std::size_t>(length)};
}

void add_elements(TextLayout& layout, const Entry& entry, const VectorType& vector) {
  for (std::size_t element = 0; element < vector.length; ++element) {
    TextLayout::Column column{.head = entry.head,
                              .field = layout.fields,
                              .type = vector.type,
                              .type_name = *entry.subtype,
                              .length = vector.length,
                              .element = element};
    column.head.name = element_name(entry.head.name, static_cast<std::int64_t>(element));
    layout.columns.push_back(std::move(column));
  }
}

/// Adds the columns of one entry of the header and returns the name of the entry. A number or a text is one column, a
/// vector of numbers one column per element; other types add no column. Every entry is one field of a row. Throws
/// Error{input} if the name is missing, the datatype is unknown, or there are too many columns.
std::string add_column(TextLayout& layout, const YAML::Node& node, const TextLines& lines) {
  const std::int64_t line = node.Mark().line + 1;
  Entry entry = parse_entry(node);
  std::string name = entry.head.name;
  if (name.empty()) throw lines.error_at(line, "the header's datatype lists what is no column with a name");
  const DataType* const type = find_type(entry.type_name);
  if (!type) {
    throw lines.error_at(
        line, "column " + name + " has the datatype " + shown(entry.type_name) + ", which is none of those of ECSV");
  }
  if (entry.subtype) {
    const std::optional<VectorType> vector = parse_subtype(*entry.subtype);
    if (vector && layout.columns.size() + vector->length > most_elements)
      throw lines.error_at(line, "with column " + name + " there are more than " + std::to_string(most_elements) +
                                     " numbers and texts in a row; leave out what is no quantity of a source");
    if (vector) add_elements(layout, entry, *vector);
  } else if (type->fields) {
    layout.columns.push_back({std::move(entry.head), layout.fields, *type->fields, std::move(entry.type_name)});
  }
  ++layout.fields;
  return name;
}

char delimiter_of(const YAML::Node& header, const TextLines& lines) {
  const YAML::Node delimiter = header["delimiter"];
  if (!delimiter.IsDefined()) return ' ';
  const std::string text = delimiter.IsScalar() ? delimiter.Scalar() : "";
  if (text == " " || text == ",") return text[0];
  throw lines.error_at(delimiter.Mark().line + 1, "the delimiter of an ECSV file is a blank or a comma");
}

/// Throws Error{input} unless the line after the header repeats the names of the columns.
void check_line_of_names(TextLines& lines, char delimiter, const std::vector<std::string>& names) {
  if (!lines.next()) throw lines.error("the file ends before the line with the names of the columns");
  const std::size_t count = FieldSplitter(delimiter, false).split(lines, [&](std::size_t index, std::string_view name) {
    if (index < names.size() && name != names[index]) {
      throw lines.error("column " + std::to_string(index + 1) + " has the name " + shown(name) + " here and " +
                        shown(names[index]) + " in the header");
    }
  });
  if (count != names.size()) {
    throw lines.error("the line names " + std::to_string(count) + " columns, but the header has " +
                      std::to_string(names.size()));
  }
}

}  // namespace

TextLayout ecsv_layout(TextLines& lines) try {
  const YAML::Node header = YAML::Load(header_text(lines));
  const YAML::Node columns = header.IsMap() ? header["datatype"] : YAML::Node();
  if (!columns.IsDefined() || !columns.IsSequence())
    throw lines.error("the header above has no list `datatype` of columns");
  TextLayout layout;
  layout.comments = true;
  layout.delimiter = delimiter_of(header, lines);
  layout.at_tabs = false;
  std::vector<std::string> names;
  for (const YAML::Node& entry : columns) names.push_back(add_column(layout, entry, lines));
  check_line_of_names(lines, layout.delimiter, names);
  if (layout.columns.empty()) throw lines.error("the table has no column of numbers or text");
  check_names(layout, lines);
  return layout;
} catch (const YAML::Exception& error) {
  throw lines.error_at(std::max(error.mark.line + 1, 1), "the header is no YAML: " + error.msg);
}

std::vector<YamlColumn> columns_of_yaml(const std::string& header) try {
  if (header.size() > longest_ecsv_header) return {};
  const YAML::Node root = YAML::Load(header);
  const YAML::Node columns = root.IsMap() ? root["datatype"] : YAML::Node();
  std::vector<YamlColumn> described;
  if (!columns.IsDefined() || !columns.IsSequence()) return described;
  for (const YAML::Node& node : columns) {
    Entry entry = parse_entry(node);
    const auto vector = entry.subtype ? parse_subtype(*entry.subtype) : VectorType{FieldType::text, 1};
    described.push_back({std::move(entry.head), vector ? static_cast<std::int64_t>(vector->length) : 0});
  }
  return described;
} catch (const YAML::Exception&) {
  return {};
}

std::vector<ColumnHead> ecsv_columns(const std::string& path) {
  return text_columns(path, ecsv_layout);
}

Table read_ecsv(const TableFile& file, const std::vector<std::size_t>& columns) {
  return read_text_table(file, columns, ecsv_layout);
}

}  // namespace srcextract
