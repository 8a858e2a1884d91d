#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "io/catalog/catalog_writers.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/catalog/text_values.hpp"

namespace srcextract {
namespace {

void pad_left(std::string& line, std::size_t from, std::size_t width) {
  const std::size_t size = line.size() - from;
  line.insert(from, width - std::min(width, size), ' ');
}

void pad_right(std::string& line, std::size_t from, std::size_t width) {
  line.append(width - std::min(width, line.size() - from), ' ');
}

/// Returns the width of a column of type T. For numbers, the width is the largest number of characters that a value
/// takes; longer text makes its row wider.
template <class T>
constexpr std::size_t width_of() {
  if constexpr (std::is_same_v<T, std::int16_t>) return 6;
  if constexpr (std::is_same_v<T, std::int32_t>) return 11;
  if constexpr (std::is_same_v<T, std::int64_t>) return 20;
  if constexpr (std::is_same_v<T, float>) return 15;
  return 24;
}

/// Returns the text with control characters replaced, so that it stays on one line. With `word`, blanks are replaced
/// too, so that the text stays one word.
std::string in_line(std::string text, bool word) {
  for (char& c : text)
    if ((c >= 0 && c < ' ') || (word && c == ' ')) c = word ? '_' : ' ';
  return text;
}

/// Returns the header: a line for each field, in SExtractor's format `#%4d %-22s %-58s [unit]`.
std::string head_of(const CatalogRows& rows, const CatalogMetadata& metadata) {
  std::string out;
  std::size_t number = 1;
  for_each_field(rows, [&](const Column& column, const auto& values) {
    std::string line = std::to_string(number);
    pad_left(line, 0, 4);
    line = "#" + line + " ";
    const std::size_t name = line.size();
    line += in_line(column.name, true);
    pad_right(line, name, 22);
    line += ' ';
    const std::size_t description = line.size();
    line += in_line(column.description, false);
    pad_right(line, description, 58);
    if (const std::string unit = unit_of(column, metadata); !unit.empty()) line += " [" + in_line(unit, false) + "]";
    out += line + "\n";
    number += values.size();
  });
  return out;
}

/// Returns SkyCat's header. SkyCat requires the names id, ra, dec and mag for the first four columns.
std::string skycat_head_of(const CatalogRows& rows) {
  constexpr std::string_view known[] = {"id", "ra", "dec", "mag"};
  std::string out =
      "QueryResult\n\n# Config entry for original catalog server:\nserv_type: catalog\n"
      "long_name: SExtractor catalog\nshort_name: SExCat\nsymbol: id diamond  8.0\n# End config entry\n\n";
  std::size_t number = 0;
  for_each_field(rows, [&](const Column& column, const auto& values) {
    for (std::size_t element = 0; element < values.size(); ++element, ++number) {
      if (number > 0) out += '\t';
      if (number < std::size(known)) {
        out += known[number];
      } else {
        out += in_line(column.name, true) + (element > 0 ? "_" + std::to_string(element) : "");
      }
    }
  });
  return out + "\n------------------\n";
}

class SextractorText final : public RowSink {
 public:
  SextractorText(OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata, SextractorHeader header)
      : file_(file), header_(header) {
    if (header_ == SextractorHeader::head) file_.write(head_of(rows, metadata));
    if (header_ == SextractorHeader::skycat) file_.write(skycat_head_of(rows));
  }

  void write(const CatalogRows& rows) override {
    write_text_rows(file_, rows.count, [&](std::string& text, std::size_t row) { add_row(text, rows, row); });
  }

  void finish() override {
    if (header_ == SextractorHeader::skycat) file_.write("[EOD]\n");
  }

 private:
  void add_row(std::string& text, const CatalogRows& rows, std::size_t row) const {
    const std::string_view between = header_ == SextractorHeader::skycat ? " \t" : " ";
    bool first = true;
    for_each_field(rows, [&]<class T>(const Column&, const FieldValues<T>& values) {
      for (std::size_t element = 0; element < values.size(); ++element) {
        if (!first) text += between;
        first = false;
        const std::size_t begin = text.size();
        if constexpr (std::is_same_v<T, std::string>) {
          append_text(text, values.at(row, element), ' ');
        } else {
          append_number(text, values.at(row, element));
        }
        pad_left(text, begin, width_of<T>());
      }
    });
    text += '\n';
  }

  OutputFile& file_;
  SextractorHeader header_;
};

}  // namespace

std::unique_ptr<RowSink> sextractor_text_sink(OutputFile& file, const CatalogRows& rows,
                                              const CatalogMetadata& metadata, SextractorHeader header) {
  return std::make_unique<SextractorText>(file, rows, metadata, header);
}

std::unique_ptr<RowSink> ascii_head_sink(OutputFile& file, const CatalogRows& rows, std::int64_t /*count*/,
                                         const CatalogMetadata& metadata, const Cpu& /*where*/) {
  return sextractor_text_sink(file, rows, metadata, SextractorHeader::head);
}

}  // namespace srcextract
