#include <cmath>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include "io/catalog/row_sink.hpp"
#include "io/catalog/table_yaml.hpp"
#include "io/catalog/text_values.hpp"

namespace srcextract {
namespace {

/// Appends a vector as a JSON list, with NaN and Infinity spelt as in Python. An image is a list of the lists of its
/// rows.
template <class T>
void append_list(std::string& out, const FieldValues<T>& values, std::size_t row) {
  const std::size_t width = values.width == 0 ? values.size() : values.width;
  out += '[';
  for (std::size_t element = 0; element < values.size(); ++element) {
    const T value = values.at(row, element);
    if (element > 0) out += element % width == 0 ? "],[" : ",";
    if (element == 0 && values.width > 0) out += '[';
    if (std::isfinite(static_cast<double>(value))) {
      append_number(out, value);
    } else {
      out += std::isnan(static_cast<double>(value)) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    }
  }
  out += values.width == 0 ? "]" : "]]";
}

/// Appends text for ECSV (if the separator is a blank) or CSV. In CSV, text that a spreadsheet would take for a formula
/// gets an apostrophe in front.
void append_field(std::string& out, const std::string& text, char separator) {
  if (separator == ' ') {
    append_text(out, for_ecsv(text, "\t\n"), separator);
  } else if (text == "nan") {  // without quotes, readers would take it for a missing number
    out += "\"nan\"";
  } else {
    append_text(out, is_formula(text) ? "'" + text : text, separator);
  }
}

std::string names(const CatalogRows& rows, char separator) {
  std::string line;
  for_each_field(rows, [&](const Column& column, const auto&) {
    append_field(line, separator == ' ' ? for_ecsv(column.name) : column.name, separator);
    line += separator;
  });
  if (!line.empty()) line.back() = '\n';
  return line;
}

void write_rows(OutputFile& file, const CatalogRows& rows, char separator) {
  if (rows.fields.empty()) return;
  write_text_rows(file, rows.count, [&](std::string& text, std::size_t i) {
    for_each_field(rows, [&]<class T>(const Column&, const FieldValues<T>& values) {
      if constexpr (std::is_same_v<T, std::string>) {
        append_field(text, values.at(i, 0), separator);
      } else if (values.size() == 1 && values.width == 0) {
        append_number(text, values.at(i, 0));
      } else {
        append_list(text, values, i);
      }
      text += separator;
    });
    text.back() = '\n';
  });
}

/// Writes a line of column names, then a line for each row.
class TextRows final : public RowSink {
 public:
  TextRows(OutputFile& file, const CatalogRows& rows, char separator) : file_(file), separator_(separator) {
    file_.write(names(rows, separator_));
  }
  void write(const CatalogRows& rows) override { write_rows(file_, rows, separator_); }

 private:
  OutputFile& file_;
  char separator_;
};

std::string ecsv_header(const CatalogRows& rows, const CatalogMetadata& metadata) {
  std::string out = "# %ECSV 1.0\n# ---\n";
  std::istringstream yaml(table_yaml(rows, metadata));
  for (std::string line; std::getline(yaml, line);) out += "# " + line + "\n";
  return out + "# schema: astropy-2.0\n";
}

}  // namespace

std::unique_ptr<RowSink> ecsv_sink(OutputFile& file, const CatalogRows& rows, std::int64_t /*count*/,
                                   const CatalogMetadata& metadata, const Cpu& /*where*/) {
  file.write(ecsv_header(rows, metadata));
  return std::make_unique<TextRows>(file, rows, ' ');
}

std::unique_ptr<RowSink> csv_sink(OutputFile& file, const CatalogRows& rows, std::int64_t /*count*/,
                                  const CatalogMetadata& /*metadata*/, const Cpu& /*where*/) {
  return std::make_unique<TextRows>(file, rows, ',');
}

}  // namespace srcextract
