#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "io/catalog/catalog_writers.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/catalog/table_yaml.hpp"
#include "io/files/utf8.hpp"
#include "io/parquet/arrow_schema.hpp"
#include "io/parquet/parquet_column.hpp"
#include "io/parquet/parquet_footer.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

/// A row group ends with the row in which it reaches one of these, however the rows come.
constexpr std::int64_t group_rows = std::int64_t{1} << 17;
constexpr std::size_t group_bytes = std::size_t{1} << 26;

class ParquetRows final : public RowSink {
 public:
  ParquetRows(OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata, const Cpu& where)
      : file_(file), where_(where), compression_(metadata.parquet_compression) {
    for (const CatalogField& field : rows.fields) columns_.emplace_back(field);
    for (const ParquetColumn& column : columns_) {
      footer_.fields.push_back(column.field());
      number_bytes_ += column.field().value_bytes * column.field().elements;
    }
    footer_.creator = "srcextract version " + metadata.version;
    // The key under which Astropy looks for what ECSV has in its header.
    footer_.metadata.emplace_back("table_meta_yaml", as_utf8(table_yaml(rows, metadata)));
    arrow_fields_ = arrow_fields(rows, metadata);
    file_.write(parquet_magic);
  }

  void write(const CatalogRows& rows) override {
    for (std::size_t begin = 0, end = 0; end < static_cast<std::size_t>(rows.count); begin = end) {
      for (; end < static_cast<std::size_t>(rows.count) && !full(); ++end, ++rows_) bytes_ += row_bytes(rows, end);
      for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].append(rows.fields[i], begin, end);
      if (full()) end_group();
    }
  }

  void finish() override {
    if (rows_ > 0) end_group();
    for (const ParquetColumn& column : columns_) {
      // Astropy, which has text of one length alone, looks there.
      if (column.field().type == ParquetType::byte_array)
        footer_.metadata.emplace_back("table::len::" + column.field().name,
                                      std::to_string(std::max<std::size_t>(1, column.longest())));
    }
    footer_.metadata.emplace_back("ARROW:schema", arrow_schema(arrow_fields_, footer_.metadata));
    const std::string footer = encoded_footer(footer_);
    file_.write(footer);
    std::array<char, sizeof(std::uint32_t)> length;
    const auto size = static_cast<std::uint32_t>(footer.size());
    std::memcpy(length.data(), &size, sizeof(size));
    file_.write(std::string_view(length.data(), length.size()));
    file_.write(parquet_magic);
  }

 private:
  /// What ECSV says of columns one by one.
  std::vector<ArrowField> arrow_fields(const CatalogRows& rows, const CatalogMetadata& metadata) const {
    std::vector<ArrowField> fields;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Column& column = rows.fields[i].column;
      ArrowField field{columns_[i].field(), {}};
      const auto add = [&](const char* key, const std::string& value) {
        if (!value.empty()) field.metadata.emplace_back(key, as_utf8(value));
      };
      add("unit", unit_of(column, metadata));
      add("description", column.description);
      add("ucd", column.ucd);
      add("shape", shape_of(rows.fields[i]));
      fields.push_back(std::move(field));
    }
    return fields;
  }

  /// Of a picture, rows first: "[35, 35]".
  static std::string shape_of(const CatalogField& field) {
    return std::visit(
        [](const auto& values) {
          if (values.width == 0) return std::string();
          return "[" + std::to_string(values.size() / values.width) + ", " + std::to_string(values.width) + "]";
        },
        field.values);
  }

  bool full() const { return rows_ == group_rows || bytes_ >= group_bytes; }

  std::size_t row_bytes(const CatalogRows& rows, std::size_t row) const {
    std::size_t bytes = number_bytes_;
    for (const CatalogField& field : rows.fields) {
      if (const auto* text = std::get_if<FieldValues<std::string>>(&field.values))
        bytes += stored_bytes(text->at(row, 0));
    }
    return bytes;
  }

  void end_group() {
    std::vector<ParquetChunk> chunks(columns_.size());
    parallel_for(std::ssize(columns_), 1, where_, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        chunks[i] = columns_[i].chunk(compression_);
    });
    std::vector<PlacedChunk> placed;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      placed.push_back({columns_[i].field(), chunks[i], file_.size()});
      for (const ParquetChunk::Page& page : chunks[i].pages) {
        file_.write(page.head);
        file_.write(page.values);
      }
    }
    footer_.encoded_groups += encoded_row_group(placed, rows_, compression_);
    footer_.rows += rows_;
    ++footer_.groups;
    for (ParquetColumn& column : columns_) column.clear();
    rows_ = 0;
    bytes_ = 0;
  }

  OutputFile& file_;
  Cpu where_;
  ParquetCompression compression_;
  std::vector<ParquetColumn> columns_;
  std::size_t number_bytes_ = 0;  ///< of a row, without its text
  std::int64_t rows_ = 0;         ///< of the row group, as the next
  std::size_t bytes_ = 0;
  std::vector<ArrowField> arrow_fields_;
  ParquetFooter footer_;
};

}  // namespace

std::unique_ptr<RowSink> parquet_sink(OutputFile& file, const CatalogRows& rows, std::int64_t /*count*/,
                                      const CatalogMetadata& metadata, const Cpu& where) {
  return std::make_unique<ParquetRows>(file, rows, metadata, where);
}

}  // namespace srcextract
