#include <algorithm>
#include <array>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/catalog/catalog_writers.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/catalog/table_yaml.hpp"
#include "io/catalog/votable_head.hpp"
#include "io/files/utf8.hpp"
#include "io/parquet/arrow_schema.hpp"
#include "io/parquet/parquet_column.hpp"
#include "io/parquet/parquet_footer.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

/// Limits on the rows and bytes of a row group. A row group ends with the row that reaches either limit, wherever
/// write() splits the rows.
constexpr std::int64_t group_rows = std::int64_t{1} << 17;
constexpr std::size_t group_bytes = std::size_t{1} << 26;

class ParquetRows final : public RowSink {
 public:
  ParquetRows(OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata, const Cpu& where)
      : file_(file), where_(where), compression_(metadata.parquet_compression) {
    for (Group& group : groups_)
      for (const CatalogField& field : rows.fields) group.columns.emplace_back(field);
    for (const ParquetColumn& column : group().columns) {
      footer_.fields.push_back(column.field());
      number_bytes_ += column.field().value_bytes * column.field().elements;
    }
    footer_.creator = "srcextract version " + metadata.version;
    // Astropy reads the ECSV header of the table from this key.
    footer_.metadata.emplace_back("table_meta_yaml", as_utf8(table_yaml(rows, metadata)));
    arrow_fields_ = arrow_fields(rows, metadata);
    votable_ = votable_of(rows, metadata);
    file_.write(parquet_magic);
  }

  void write(const CatalogRows& rows) override {
    for (std::size_t begin = 0, end = 0; end < static_cast<std::size_t>(rows.count); begin = end) {
      Group& now = group();
      for (; end < static_cast<std::size_t>(rows.count) && !now.full(); ++end, ++now.rows)
        now.bytes += row_bytes(rows, end);
      for (std::size_t i = 0; i < now.columns.size(); ++i) now.columns[i].append(rows.fields[i], begin, end);
      if (now.full()) end_group();
    }
  }

  void finish() override {
    wait();
    if (group().rows > 0) write_group(group());
    for (std::size_t i = 0; i < group().columns.size(); ++i) {
      const ParquetField& field = group().columns[i].field();
      if (field.type != ParquetType::byte_array) continue;
      // Astropy stores text with a fixed width, and reads the width from this key.
      const std::size_t longest = std::max(groups_[0].columns[i].longest(), groups_[1].columns[i].longest());
      footer_.metadata.emplace_back("table::len::" + field.name, std::to_string(std::max<std::size_t>(1, longest)));
    }
    footer_.metadata.emplace_back("ARROW:schema", arrow_schema(arrow_fields_, footer_.metadata));
    footer_.metadata.emplace_back("IVOA.VOTable-Parquet.version", "1.0");
    footer_.metadata.emplace_back("IVOA.VOTable-Parquet.content", votable_);
    const std::string footer = encoded_footer(footer_);
    file_.write(footer);
    std::array<char, sizeof(std::uint32_t)> length;
    const auto size = static_cast<std::uint32_t>(footer.size());
    std::memcpy(length.data(), &size, sizeof(size));
    file_.write(std::string_view(length.data(), length.size()));
    file_.write(parquet_magic);
  }

 private:
  /// Returns the columns as a VOTable without rows, as VOParquet 1.0 (IVOA Note) requires. Images are declared as
  /// lists.
  static std::string votable_of(CatalogRows rows, const CatalogMetadata& metadata) {
    for (CatalogField& field : rows.fields) std::visit([](auto& values) { values.width = 0; }, field.values);
    return as_utf8(votable_head(rows, std::nullopt, metadata) + votable_end);
  }

  /// Returns the metadata of each column: unit, description, UCD and shape, as in ECSV.
  std::vector<ArrowField> arrow_fields(const CatalogRows& rows, const CatalogMetadata& metadata) const {
    std::vector<ArrowField> fields;
    for (std::size_t i = 0; i < rows.fields.size(); ++i) {
      const Column& column = rows.fields[i].column;
      ArrowField field{groups_[0].columns[i].field(), {}};
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

  /// Returns the shape of an image column, rows first, as in "[35, 35]"; empty for other columns.
  static std::string shape_of(const CatalogField& field) {
    return std::visit(
        [](const auto& values) {
          if (values.width == 0) return std::string();
          return "[" + std::to_string(values.size() / values.width) + ", " + std::to_string(values.width) + "]";
        },
        field.values);
  }

  /// The rows collected for one row group.
  struct Group {
    std::vector<ParquetColumn> columns;
    std::int64_t rows = 0;
    std::size_t bytes = 0;

    bool full() const { return rows == group_rows || bytes >= group_bytes; }
  };

  /// The row group to which write() adds rows.
  Group& group() { return groups_[gathered_]; }

  std::size_t row_bytes(const CatalogRows& rows, std::size_t row) const {
    std::size_t bytes = number_bytes_;
    for (const CatalogField& field : rows.fields) {
      if (const auto* text = std::get_if<FieldValues<std::string>>(&field.values))
        bytes += stored_bytes(text->at(row, 0));
    }
    return bytes;
  }

  /// Starts to write the current row group in a separate thread, and makes the other group current.
  void end_group() {
    wait();
    written_ = std::async(std::launch::async, [this, &done = group()] { write_group(done); });
    gathered_ = 1 - gathered_;
  }

  void wait() {
    if (written_.valid()) written_.get();
  }

  void write_group(Group& group) {
    std::vector<ParquetColumn>& columns = group.columns;
    std::vector<ParquetChunk> chunks(columns.size());
    parallel_for(std::ssize(columns), 1, where_, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        chunks[i] = columns[i].chunk(compression_);
    });
    std::vector<PlacedChunk> placed;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
      placed.push_back({columns[i].field(), chunks[i], file_.size()});
      for (const ParquetChunk::Page& page : chunks[i].pages) {
        file_.write(page.head);
        file_.write(page.values);
      }
    }
    footer_.encoded_groups += encoded_row_group(placed, group.rows, compression_);
    footer_.rows += group.rows;
    ++footer_.groups;
    for (ParquetColumn& column : columns) column.clear();
    group.rows = 0;
    group.bytes = 0;
  }

  OutputFile& file_;
  Cpu where_;
  ParquetCompression compression_;
  std::array<Group, 2> groups_;  ///< one group receives rows while the other is written
  std::size_t gathered_ = 0;
  std::size_t number_bytes_ = 0;  ///< bytes of all numbers in a row
  std::vector<ArrowField> arrow_fields_;
  std::string votable_;
  ParquetFooter footer_;
  std::future<void> written_;  ///< last member, so that its destructor waits before other members are destroyed
};

}  // namespace

std::unique_ptr<RowSink> parquet_sink(OutputFile& file, const CatalogRows& rows, std::int64_t /*count*/,
                                      const CatalogMetadata& metadata, const Cpu& where) {
  return std::make_unique<ParquetRows>(file, rows, metadata, where);
}

}  // namespace srcextract
