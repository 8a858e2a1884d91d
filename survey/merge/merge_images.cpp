#include "survey/merge/merge_images.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include "io/files/big_endian.hpp"
#include "io/fits/card.hpp"
#include "stages/core/ascii.hpp"
#include "survey/formats/piece.hpp"

namespace srcextract {
namespace {

/// Null value (TNULL) of integer columns, which have no negative values.
constexpr std::int64_t none = -1;

using UnitOf = std::function<std::string(std::size_t)>;

/// The sources of an image's row in IMAGES: its record, the unit of its pixels, and its header keywords.
struct ImageRow {
  const ImageRecord& record;
  const std::string& unit;
  const ImageHeader& header;
};

struct ImageColumn {
  StoredColumn head;
  std::function<void(const ImageRow&, std::byte*)> store;
};

StoredColumn head_of(const std::string& name, const std::string& form, std::int64_t bytes, const std::string& ucd,
                     const std::string& description) {
  return {.name = name, .form = form, .unit = "", .ucd = ucd, .description = description, .bytes = bytes};
}

template <class Text>
ImageColumn text_column(const std::string& name, std::size_t width, const std::string& ucd,
                        const std::string& description, Text&& text) {
  return {head_of(name, std::to_string(width) + "A", static_cast<std::int64_t>(width), ucd, description),
          [=](const ImageRow& row, std::byte* out) { store_text(text(row), width, out); }};
}

/// Makes a column of non-negative integers; value(record) returns -1 for a missing value.
template <class Value>
ImageColumn integer_column(const std::string& name, const std::string& ucd, const std::string& description,
                           Value&& value) {
  ImageColumn column{head_of(name, "K", 8, ucd, description), [=](const ImageRow& row, std::byte* out) {
                       store_big_endian(static_cast<std::int64_t>(value(row.record)), out);
                     }};
  column.head.null = none;
  return column;
}

ImageColumn real_column(const std::string& name, const std::string& ucd, const std::string& description,
                        double ImageRecord::*value) {
  return {head_of(name, "D", 8, ucd, description), [=](const ImageRow& row, std::byte* out) {
            const double missing = std::numeric_limits<double>::quiet_NaN();
            store_big_endian(row.record.done ? row.record.*value : missing, out);
          }};
}

template <class Range, class Text>
std::size_t width_of(const Range& range, Text&& text) {
  std::size_t longest = 1;
  for (const auto& element : range) longest = std::max(longest, text(element).size());
  return longest;
}

std::vector<ImageColumn> image_columns(const SurveyImages& images, const UnitOf& unit_of) {
  const auto of_record = [](auto&& text) { return [=](const ImageRow& row) { return text(row.record); }; };
  const auto if_done = [](auto member) { return [=](const ImageRecord& r) { return r.done ? r.*member : none; }; };
  const auto width = [&](auto&& text) {
    return width_of(images, [&](const SurveyImage& image) { return text(image.record); });
  };
  const auto config = [](const ImageRecord& r) { return printable_ascii(r.config); };
  const auto reason = [](const ImageRecord& r) { return printable_ascii(r.reason); };
  const auto status = [](const ImageRecord& r) { return std::string(r.done ? "done" : "failed"); };
  const auto unit = [](const ImageRow& row) { return row.unit; };
  const StoredColumn image = image_column(images);
  std::vector<ImageColumn> columns;
  columns.push_back(text_column(image.name, static_cast<std::size_t>(image.bytes), image.ucd, image.description,
                                of_record(image_text)));
  columns.push_back(integer_column("HDU", "", "HDU of the file, where several of its images are extracted",
                                   [](const ImageRecord& r) { return r.hdu.value_or(static_cast<int>(none)); }));
  columns.push_back(text_column("STATUS", 6, "meta.code.status", "done, or failed", of_record(status)));
  columns.push_back(integer_column("SOURCES", "meta.number", "Rows of the image in SOURCES",
                                   [](const ImageRecord& r) { return r.done ? r.sources : 0; }));
  columns.push_back(integer_column("WIDTH", "", "Pixels along x", if_done(&ImageRecord::width)));
  columns.push_back(integer_column("HEIGHT", "", "Pixels along y", if_done(&ImageRecord::height)));
  columns.push_back(
      real_column("BACKGROUND", "instr.background", "Level of the sky, in UNIT", &ImageRecord::background));
  columns.push_back(
      real_column("SIGMA", "stat.stdev;instr.background", "Noise of the sky, in UNIT", &ImageRecord::sigma));
  std::size_t unit_width = 1;
  for (std::size_t i = 0; i < images.size(); ++i) unit_width = std::max(unit_width, unit_of(i).size());
  columns.push_back(
      text_column("UNIT", unit_width, "meta.unit", "Unit of the pixels' values, of fluxes and levels", unit));
  columns.push_back(integer_column("DATASUM", "", "FITS checksum of the stored pixels",
                                   [](const ImageRecord& r) { return r.done ? std::int64_t{r.datasum} : none; }));
  columns.push_back(integer_column("BYTES", "", "Size of the file", [](const ImageRecord& r) { return r.bytes; }));
  columns.push_back(
      text_column("CONFIG", width(config), "", "Which configuration: equal ones have equal text", of_record(config)));
  columns.push_back(text_column("REASON", width(reason), "meta.note", "Why it failed", of_record(reason)));
  return columns;
}

void add_header_columns(const PackedHeaders& headers, const std::function<void(const std::string&)>& warn,
                        std::vector<ImageColumn>& columns) {
  std::set<std::string> taken;
  for (const ImageColumn& column : columns) taken.insert(column.head.name);
  for (HeaderColumn& column : header_columns(headers, taken, warn)) {
    const auto store = [store = std::move(column.store)](const ImageRow& row, std::byte* out) {
      store(row.header, out);
    };
    columns.push_back({std::move(column.head), store});
  }
}

}  // namespace

std::string image_text(const ImageRecord& record) {
  constexpr const char* digits = "0123456789ABCDEF";
  std::string text;
  for (const char c : image_label(record)) {
    if (is_printable(c) && c != '%') {
      text += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      text += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return text;
}

StoredColumn image_column(const SurveyImages& images) {
  const std::size_t width = width_of(images, [](const SurveyImage& image) { return image_text(image.record); });
  return head_of("IMAGE", std::to_string(width) + "A", static_cast<std::int64_t>(width), "meta.id;meta.file",
                 "Image that the row is from; non-ASCII as in URLs");
}

void write_images(StoredTables& out, TableHead head, const SurveyImages& images, const UnitOf& unit_of,
                  const PackedHeaders& headers, const std::function<void(const std::string&)>& warn) {
  std::vector<ImageColumn> columns = image_columns(images, unit_of);
  add_header_columns(headers, warn, columns);
  std::size_t row_bytes = 0;
  for (const ImageColumn& column : columns) {
    head.columns.push_back(column.head);
    row_bytes += static_cast<std::size_t>(column.head.bytes);
  }
  head.rows = std::ssize(images);
  out.begin(head);
  const std::size_t rows_at_a_time = std::min(rows_in_piece(row_bytes), images.size());
  std::vector<std::byte> piece(rows_at_a_time * row_bytes);
  for (std::size_t first = 0; first < images.size(); first += rows_at_a_time) {
    const std::size_t end = std::min(images.size(), first + rows_at_a_time);
    std::byte* field = piece.data();
    for (std::size_t i = first; i < end; ++i) {
      const SurveyImage image = images[i];
      const std::string unit = unit_of(i);
      const ImageHeader header = headers[i];
      for (const ImageColumn& column : columns) {
        column.store({image.record, unit, header}, field);
        field += column.head.bytes;
      }
    }
    out.write({piece.data(), (end - first) * row_bytes});
  }
}

}  // namespace srcextract
