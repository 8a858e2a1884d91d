#include "io/parquet/parquet_footer.hpp"

#include <algorithm>

#include "io/parquet/compact_writer.hpp"

namespace srcextract {
namespace {

using Kind = CompactWriter::Kind;

void write_meaning(CompactWriter& out, const ParquetField& field) {
  if (!field.meaning) return;
  out.number(6, *field.meaning);
  out.begin(10);
  if (*field.meaning == ConvertedType::utf8) {
    out.empty(logical_string);
  } else {
    out.begin(logical_integer);
    out.int8(1, 16);
    out.boolean(2, true);
    out.end();
  }
  out.end();
}

void write_leaf(CompactWriter& out, const ParquetField& field, const std::string& name) {
  out.begin_element();
  out.number(1, field.type);
  out.number(3, ParquetRepetition::required);
  out.text(4, name);
  write_meaning(out, field);
  out.end();
}

/// Writes the schema of a field. A vector is a list, for which the format requires three nested nodes.
void write_field(CompactWriter& out, const ParquetField& field) {
  if (!field.vector) return write_leaf(out, field, field.name);
  out.begin_element();
  out.number(3, ParquetRepetition::required);
  out.text(4, field.name);
  out.int32(5, 1);
  out.number(6, ConvertedType::list);
  out.begin(10);
  out.empty(logical_list);
  out.end();
  out.end();
  out.begin_element();
  out.number(3, ParquetRepetition::repeated);
  out.text(4, "list");
  out.int32(5, 1);
  out.end();
  write_leaf(out, field, "element");
}

void write_schema(CompactWriter& out, const std::vector<ParquetField>& fields) {
  const auto vectors = std::ranges::count(fields, true, &ParquetField::vector);
  out.list(2, Kind::structure, 1 + fields.size() + 2 * static_cast<std::size_t>(vectors));
  out.begin_element();
  out.text(4, "schema");
  out.int32(5, static_cast<std::int32_t>(fields.size()));
  out.end();
  for (const ParquetField& field : fields) write_field(out, field);
}

void write_chunk(CompactWriter& out, const PlacedChunk& placed, ParquetCompression compression) {
  const auto& [field, chunk, begin] = placed;
  out.begin_element();
  out.int64(2, 0);  // offset of a copy of this struct; 0 for none
  out.begin(3);
  out.number(1, field.type);
  out.list(2, Kind::int32, field.vector ? 2 : 1);
  out.int32_element(static_cast<std::int32_t>(ParquetEncoding::plain));
  if (field.vector) out.int32_element(static_cast<std::int32_t>(ParquetEncoding::rle));
  out.list(3, Kind::binary, field.vector ? 3 : 1);
  out.text_element(field.name);
  if (field.vector) {
    out.text_element("list");
    out.text_element("element");
  }
  out.number(4, compression == ParquetCompression::none ? ParquetCodec::none : ParquetCodec::zstd);
  out.int64(5, chunk.values);
  out.int64(6, chunk.bytes_unpacked);
  out.int64(7, chunk.bytes);
  out.int64(9, begin);
  out.begin(12);
  out.int64(3, 0);  // number of missing values
  if (chunk.range) {
    out.text(5, chunk.range->largest);
    out.text(6, chunk.range->least);
  }
  out.end();
  out.end();
  out.end();
}

}  // namespace

std::string encoded_row_group(const std::vector<PlacedChunk>& chunks, std::int64_t rows,
                              ParquetCompression compression) {
  CompactWriter out;
  std::int64_t bytes = 0, bytes_unpacked = 0;
  out.list(1, Kind::structure, chunks.size());
  for (const PlacedChunk& placed : chunks) {
    write_chunk(out, placed, compression);
    bytes += placed.chunk.bytes;
    bytes_unpacked += placed.chunk.bytes_unpacked;
  }
  out.int64(2, bytes_unpacked);
  out.int64(3, rows);
  if (!chunks.empty()) out.int64(5, chunks.front().begin);
  out.int64(6, bytes);
  out.end();
  return out.bytes();
}

std::string encoded_footer(const ParquetFooter& footer) {
  CompactWriter out;
  out.int32(1, 2);
  write_schema(out, footer.fields);
  out.int64(3, footer.rows);
  out.list(4, Kind::structure, static_cast<std::size_t>(footer.groups));
  out.encoded(footer.encoded_groups);
  out.list(5, Kind::structure, footer.metadata.size());
  for (const auto& [key, value] : footer.metadata) {
    out.begin_element();
    out.text(1, key);
    out.text(2, value);
    out.end();
  }
  out.text(6, footer.creator);
  out.list(7, Kind::structure, footer.fields.size());
  for (std::size_t i = 0; i < footer.fields.size(); ++i) {  // each column is ordered as its type defines
    out.begin_element();
    out.empty(1);
    out.end();
  }
  out.end();
  return out.bytes();
}

}  // namespace srcextract
