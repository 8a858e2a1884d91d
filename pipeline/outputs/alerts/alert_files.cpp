#include "pipeline/outputs/alerts/alert_files.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "io/avro/avro_file.hpp"
#include "io/catalog/catalog_rows.hpp"
#include "io/catalog/float_image.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/files/big_endian.hpp"
#include "io/files/gzip_stream.hpp"
#include "pipeline/outputs/alerts/candidates.hpp"
#include "pipeline/outputs/alerts/stamps.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

using Json = nlohmann::ordered_json;

/// Number of alerts whose cut-outs are in memory at the same time.
constexpr std::int64_t alerts_together = 256;

constexpr const char* schema_version = "srcextract 1, after ZTF 4.02";

struct StampKind {
  const char *field, *file, *description;
};
constexpr std::array stamp_kinds = {
    StampKind{"cutoutScience", "science", "63 x 63 pixels of the new frame; NaN where masked"},
    StampKind{"cutoutTemplate", "template", "The same of the reference, on the pixels of the new frame"},
    StampKind{"cutoutDifference", "difference", "The same of the difference, new - reference, above its sky"},
};
using Stamps = std::array<std::vector<float>, stamp_kinds.size()>;

Stamps stamps_of(const Extraction& extraction, std::size_t row) {
  const Image<float, Cpu>& difference = extraction.check.above;
  const PixelPlace centre = central_pixel(extraction.sources, row, difference.shape);
  const auto cut = [&](const Image<float, Cpu>& image) { return cut_stamp(image, centre, cutout_side); };
  return {cut(extraction.frames->fresh), cut(extraction.frames->reference), cut(difference)};
}

/// Makes alerts in batches of up to alerts_together rows. Calls make(row, i) in parallel for each row of a batch; `i`
/// is the row's index in the batch. Then calls after(begin, end) for the batch of rows [begin, end).
template <class Made, class After>
void for_each_batch(std::int64_t rows, const Cpu& where, const Made& make, const After& after) {
  for (std::int64_t begin = 0; begin < rows; begin += alerts_together) {
    const std::int64_t end = std::min(begin + alerts_together, rows);
    parallel_for(end - begin, 1, where, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i)
        make(static_cast<std::size_t>(begin + i), static_cast<std::size_t>(i));
    });
    after(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
  }
}

AvroValue::Bytes gzipped_fits(std::span<const float> stamp) {
  constexpr std::size_t record = 2880;
  const std::string header = image_header(-32, "float32", {cutout_side, cutout_side}, "");
  std::vector<std::byte> bytes(header.size() + (stamp.size_bytes() + record - 1) / record * record);
  std::ranges::copy(std::as_bytes(std::span(header)), bytes.begin());
  std::byte* out = bytes.data() + header.size();
  for (const float pixel : stamp) {
    store_big_endian(pixel, out);
    out += sizeof(pixel);
  }
  return gzip_of(bytes);
}

/// Describes a column as a field of an Avro schema. Real numbers and texts may be null.
Json field_json(const TableColumn& column) {
  const std::string type = std::visit(
      []<class T>(const std::vector<T>&) -> std::string {
        if constexpr (std::is_same_v<T, std::string>) return "string";
        if constexpr (std::is_same_v<T, std::int32_t>) return "int";
        if constexpr (std::is_same_v<T, std::int64_t>) return "long";
        return "double";
      },
      column.values);
  const std::string doc = column.description + (column.unit.empty() ? "" : " [" + column.unit + "]");
  if (type == "int" || type == "long") return {{"name", column.name}, {"type", type}, {"doc", doc}};
  return {{"name", column.name}, {"type", {"null", type}}, {"default", nullptr}, {"doc", doc}};
}

std::string alert_schema(const Table& candidates) {
  Json candidate = Json::array();
  for (const TableColumn& column : candidates.columns) candidate.push_back(field_json(column));
  Json fields = {
      {{"name", "schemavsn"}, {"type", "string"}},
      {{"name", "publisher"}, {"type", "string"}},
      {{"name", "objectId"},
       {"type", {"null", "string"}},
       {"default", nullptr},
       {"doc", "null: alerts are not joined to objects"}},
      {{"name", "candid"}, {"type", "long"}},
      {{"name", "candidate"},
       {"type", {{"type", "record"}, {"name", "candidate"}, {"namespace", "srcextract.alert"}, {"fields", candidate}}}},
      {{"name", "prv_candidates"}, {"type", "null"}, {"default", nullptr}, {"doc", "null: earlier images are unknown"}},
  };
  Json cutout = {{"type", "record"},
                 {"name", "cutout"},
                 {"namespace", "srcextract.alert"},
                 {"fields",
                  {{{"name", "fileName"}, {"type", "string"}},
                   {{"name", "stampData"}, {"type", "bytes"}, {"doc", "gzipped FITS image of float32"}}}}};
  for (const StampKind& kind : stamp_kinds) {
    fields.push_back({{"name", kind.field}, {"type", cutout}, {"doc", kind.description}});
    cutout = "srcextract.alert.cutout";
  }
  return Json{{"type", "record"},
              {"name", "alert"},
              {"namespace", "srcextract"},
              {"doc", "A change that srcextract difference found; names as in the alerts of ZTF"},
              {"fields", fields}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The value of a column in one row; null for NaN and for an empty text.
AvroValue value_of(const TableColumn& column, std::size_t row) {
  return std::visit(
      [&]<class T>(const std::vector<T>& values) -> AvroValue {
        const T& value = values[row];
        if constexpr (std::is_same_v<T, std::string>)
          return value.empty() ? AvroValue{} : AvroValue{value};
        else if constexpr (std::is_floating_point_v<T>)
          return std::isnan(value) ? AvroValue{} : AvroValue{static_cast<double>(value)};
        else
          return {value};
      },
      column.values);
}

std::vector<AvroValue> record_of(const Table& candidates, std::size_t row, const Stamps& stamps,
                                 const std::string& publisher) {
  std::vector<AvroValue> candidate;
  for (const TableColumn& column : candidates.columns) candidate.push_back(value_of(column, row));
  const AvroValue candid = candidate.front();
  const std::string name = std::to_string(std::get<std::int64_t>(candid.held));
  std::vector<AvroValue> record = {{std::string(schema_version)}, {publisher}, {}, candid, {std::move(candidate)}, {}};
  for (std::size_t i = 0; i < stamps.size(); ++i)
    record.push_back(
        {std::vector<AvroValue>{{name + "_" + stamp_kinds[i].file + ".fits.gz"}, {gzipped_fits(stamps[i])}}});
  return record;
}

void write_avro(OutputFile& file, const Table& candidates, const Extraction& extraction,
                const CatalogMetadata& metadata, const Cpu& where) {
  const std::string publisher = "srcextract " + metadata.version;
  AvroFile avro(file, alert_schema(candidates),
                {{"srcextract.version", metadata.version}, {"srcextract.config", metadata.config_yaml}});
  std::vector<std::vector<AvroValue>> records(alerts_together);
  for_each_batch(
      candidates.rows, where,
      [&](std::size_t row, std::size_t i) {
        records[i] = record_of(candidates, row, stamps_of(extraction, row), publisher);
      },
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = 0; i < end - begin; ++i) avro.write(records[i]);
      });
  avro.finish();
}

/// The alerts as a flat table, without cut-outs.
Table flat_table(const Table& candidates, const std::string& publisher) {
  const auto rows = static_cast<std::size_t>(candidates.rows);
  Table flat{.columns = {}, .rows = candidates.rows};
  flat.columns.push_back({"schemavsn", "", "", "", std::vector(rows, std::string(schema_version))});
  flat.columns.push_back({"publisher", "", "", "", std::vector(rows, publisher)});
  for (const TableColumn& column : candidates.columns) {
    flat.columns.push_back(column);
    if (column.name != "candid") flat.columns.back().name = "candidate_" + column.name;
  }
  return flat;
}

/// A catalogue field with one cut-out per row. `pixels` has the cut-outs one after the other.
CatalogField field_of_stamps(const StampKind& kind, const std::vector<float>& pixels) {
  constexpr std::size_t each = std::size_t{cutout_side} * cutout_side;
  FieldValues<float> values{{}, each, cutout_side};
  for (std::size_t i = 0; i < each; ++i) values.elements.push_back(pixels.data() + i);
  return {{kind.field, pixel_value_unit, "", kind.description, 0}, std::move(values)};
}

void write_parquet(OutputFile& file, const Table& candidates, const Extraction& extraction,
                   const CatalogMetadata& metadata, const Cpu& where) {
  constexpr std::size_t each = std::size_t{cutout_side} * cutout_side;
  const Table flat = flat_table(candidates, "srcextract " + metadata.version);
  Stamps pixels;
  pixels.fill(std::vector<float>(each * alerts_together));
  const CatalogRows all = rows_of(flat);
  CatalogRows some = all;
  for (std::size_t k = 0; k < pixels.size(); ++k) some.fields.push_back(field_of_stamps(stamp_kinds[k], pixels[k]));
  const std::unique_ptr<RowSink> sink = parquet_sink(file, some, candidates.rows, metadata, where);
  for_each_batch(
      candidates.rows, where,
      [&](std::size_t row, std::size_t i) {
        const Stamps stamps = stamps_of(extraction, row);
        for (std::size_t k = 0; k < stamps.size(); ++k)
          std::ranges::copy(stamps[k], pixels[k].begin() + static_cast<std::ptrdiff_t>(i * each));
      },
      [&](std::size_t begin, std::size_t end) {
        some.count = static_cast<std::int64_t>(end - begin);
        for (std::size_t i = 0; i < all.fields.size(); ++i) {
          some.fields[i] = all.fields[i];
          std::visit([&](auto& values) { values.elements.front() += begin; }, some.fields[i].values);
        }
        sink->write(some);
      });
  sink->finish();
}

}  // namespace

OutputFile write_alerts(const std::string& path, AlertFormat format, const ImageInput& input,
                        const Extraction& extraction, const CatalogMetadata& metadata, const Cpu& where) {
  const Table candidates = alert_candidates(input, extraction);
  OutputFile file(path);
  const auto write = format == AlertFormat::avro ? write_avro : write_parquet;
  write(file, candidates, extraction, metadata, where);
  return file;
}

}  // namespace srcextract
