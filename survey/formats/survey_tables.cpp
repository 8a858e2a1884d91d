#include "survey/formats/survey_tables.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "io/catalog/catalog_rows.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/catalog/table_writer.hpp"
#include "io/files/big_endian.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Converts rows of a FITS table to the numbers and texts that writers of other formats take. The rows may be given in
/// several calls of of(). Integers of a column with a null value (TNULL) become doubles, with NaN for null.
class NativeRows {
 public:
  /// If `vectors` is Vectors::apart, each element of a vector column becomes a column of its own (NAME, NAME_1, ...),
  /// as in write_catalog, and columns of pictures are left out.
  NativeRows(const std::vector<StoredColumn>& columns, Vectors vectors);

  /// The columns with one example row. Its texts have the maximum length of their columns; its numbers have no meaning.
  const CatalogRows& fields() const { return rows_; }

  /// Converts whole rows from their bytes in the FITS table. The result is valid until the next call.
  const CatalogRows& of(std::span<const std::byte> stored);

 private:
  using Values = std::variant<std::vector<std::int16_t>, std::vector<std::int32_t>, std::vector<std::int64_t>,
                              std::vector<float>, std::vector<double>, std::vector<std::string>>;
  struct Field {
    StoredColumn column;
    std::size_t begin, elements, element_bytes;  ///< byte offset in a stored row; number of values per row; bytes per
                                                 ///< value
    Values values;                               ///< the converted values, row by row
    std::size_t first = 0;                       ///< index in rows_.fields of the first column made from this one; the
                                                 ///< others follow
    bool is_written = true, is_apart = false;
  };
  void add_field(Field field, Vectors vectors);
  template <class T>
  void load(Field& field, std::vector<T>& values, std::span<const std::byte> stored);

  std::size_t row_bytes_ = 0;
  std::deque<Field> of_column_;
  std::deque<std::string> names_;  ///< names of the columns made from vector elements; a deque, so that pointers to
                                   ///< them stay valid
  CatalogRows rows_;
};

/// The number at the beginning of a TFORM or TDIM: 12 in `12A`, 11 in `(11,9)`; 1 if there is no number.
std::size_t leading_number(std::string_view text) {
  if (text.starts_with('(')) text.remove_prefix(1);
  std::size_t number = 1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The text in a field of `width` bytes, up to the first NUL, without trailing blanks.
std::string text_at(const std::byte* bytes, std::size_t width) {
  std::string_view text(reinterpret_cast<const char*>(bytes), width);
  text = text.substr(0, text.find('\0'));
  return std::string(text.substr(0, text.find_last_not_of(' ') + 1));
}

NativeRows::NativeRows(const std::vector<StoredColumn>& columns, Vectors vectors) {
  for (const StoredColumn& column : columns) {
    const std::size_t bytes = static_cast<std::size_t>(column.bytes);
    const bool is_text = column.form.ends_with('A');
    const std::size_t elements = is_text ? 1 : leading_number(column.form);
    Field field{column, row_bytes_, elements, bytes / std::max<std::size_t>(elements, 1), {}};
    row_bytes_ += bytes;
    if (is_text) field.values = std::vector<std::string>(1, std::string(bytes, ' '));
    if (column.form.ends_with('I')) field.values = std::vector<std::int16_t>();
    if (column.form.ends_with('J')) field.values = std::vector<std::int32_t>();
    if (column.form.ends_with('K')) field.values = std::vector<std::int64_t>();
    if (column.form.ends_with('E')) field.values = std::vector<float>();
    if (column.form.ends_with('D') || column.null) field.values = std::vector<double>();
    add_field(std::move(field), vectors);
  }
  rows_.count = 1;
}

void NativeRows::add_field(Field field, Vectors vectors) {
  const bool is_picture = !field.column.dim.empty();
  field.first = rows_.fields.size();
  field.is_apart = vectors == Vectors::apart && field.elements > 1;
  field.is_written = !(field.is_apart && is_picture);
  const Field& kept = of_column_.emplace_back(std::move(field));
  if (!kept.is_written) return;
  const Column head{kept.column.name.c_str(), kept.column.unit.c_str(), kept.column.ucd.c_str(),
                    kept.column.description.c_str(), 0};
  const std::size_t width = is_picture ? leading_number(kept.column.dim) : 0;
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        const std::size_t together = kept.is_apart ? 1 : kept.elements;
        for (std::size_t i = 0; i < kept.elements / together; ++i) {
          Column column = head;
          if (i > 0) column.name = names_.emplace_back(kept.column.name + "_" + std::to_string(i)).c_str();
          const T* const widest = std::is_same_v<T, std::string> ? values.data() : nullptr;
          rows_.fields.push_back(
              {column, FieldValues<T>{std::vector<const T*>(together, widest), kept.elements, width}});
        }
      },
      kept.values);
}

template <class T>
void NativeRows::load(Field& field, std::vector<T>& values, std::span<const std::byte> stored) {
  const std::size_t count = stored.size() / row_bytes_;
  values.resize(count * field.elements);
  auto out = values.begin();
  for (const std::byte* row = stored.data() + field.begin; out != values.end(); row += row_bytes_) {
    const std::byte* from = row;
    for (std::size_t i = 0; i < field.elements; ++i, ++out, from += field.element_bytes) {
      if constexpr (std::is_same_v<T, std::string>) {
        *out = text_at(from, field.element_bytes);
      } else if (field.column.null) {
        const auto whole = load_big_endian<std::int64_t>(from);
        *out = whole == *field.column.null ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(whole);
      } else {
        *out = load_big_endian<T>(from);
      }
    }
  }
  if (!field.is_written) return;
  const std::size_t together = field.is_apart ? 1 : field.elements;
  for (std::size_t i = 0; i < field.elements; ++i) {
    auto& of_field = std::get<FieldValues<T>>(rows_.fields[field.first + i / together].values);
    of_field.elements[i % together] = values.data() + i;
  }
}

const CatalogRows& NativeRows::of(std::span<const std::byte> stored) {
  if (row_bytes_ == 0 || stored.size() % row_bytes_ != 0)
    throw Error(ErrorKind::internal, "a table was given a part of a row; please report this");
  rows_.count = static_cast<std::int64_t>(stored.size() / row_bytes_);
  for (Field& field : of_column_) std::visit([&](auto& values) { load(field, values, stored); }, field.values);
  return rows_;
}

/// Joins the HISTORY lines that contain a configuration to its YAML text. A line that fills its card (72 characters)
/// continues in the next line, unless the next line is indented or ends with a colon, as keys and sections of the YAML
/// text do.
std::string config_in(const std::vector<std::string>& history) {
  constexpr std::size_t full = 72;
  std::string text;
  std::size_t last = 0;
  bool in_config = false;
  for (const std::string& line : history) {
    if (in_config) {
      const bool goes_on = last == full && !line.starts_with("  ") && !line.ends_with(':');
      if (goes_on) text.pop_back();
      text += line + "\n";
      last = line.size();
    }
    in_config |= line == "srcextract config:";
  }
  return text;
}

/// Writes each table to a file of its own, in a format other than FITS (make_survey_tables).
class ConvertedTables final : public FileTables {
 public:
  explicit ConvertedTables(const std::string& path)
      : format_(format_of_ending(path).format), paths_(survey_files(path)) {
    files_.reserve(paths_.size());  // sinks keep pointers to the elements, which must not move
  }

  void begin(const TableHead& head) override {
    end();
    if (files_.size() == paths_.size()) return;  // the table IMAGES, which formats of regions do not have
    metadata_ = {};
    constexpr std::string_view creator = "srcextract ";
    metadata_.version = head.creator.substr(creator.size());
    metadata_.config_yaml = config_in(head.history);
    rows_.emplace(head.columns, vectors_in(format_, head.rows));
    OutputFile& file = files_.emplace_back(paths_.at(files_.size()));
    sink_ = sink_of(format_)(file, rows_->fields(), head.rows, metadata_, where_);
  }

  void write(std::span<const std::byte> rows) override {
    if (sink_ && !rows.empty()) sink_->write(rows_->of(rows));
  }

  std::vector<OutputFile> finish() override {
    end();
    return std::move(files_);
  }

 private:
  void end() {
    if (sink_) sink_->finish();
    sink_.reset();
  }

  CatalogFormat format_;
  std::vector<std::string> paths_;
  std::vector<OutputFile> files_;
  CatalogMetadata metadata_;
  Cpu where_;
  std::optional<NativeRows> rows_;
  std::unique_ptr<RowSink> sink_;
};

}  // namespace

std::vector<std::string> survey_files(const std::string& path) {
  const FormatNames& format = format_of_ending(path);
  if (format.format == CatalogFormat::fits || !format.table) return {path};
  return {path, survey_stem(path) + ".images" + format.ending};
}

std::string survey_stem(const std::string& path) {
  std::string stem = path.substr(0, path.size() - std::string_view(format_of_ending(path).ending).size());
  if (stem.ends_with(".cat")) stem.resize(stem.size() - 4);
  return stem;
}

std::unique_ptr<FileTables> make_survey_tables(const std::string& path) {
  if (format_of_ending(path).format == CatalogFormat::fits) return std::make_unique<TableStream>(path);
  return std::make_unique<ConvertedTables>(path);
}

}  // namespace srcextract
