#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/catalog/row_sink.hpp"
#include "io/catalog/text_values.hpp"
#include "io/catalog/votable_head.hpp"
#include "io/files/base64.hpp"
#include "io/files/big_endian.hpp"
#include "io/files/xml_text.hpp"

namespace srcextract {
namespace {

template <class T>
void append_value(std::string& out, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(value)) {
      out += std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
      return;
    }
  }
  append_number(out, value);
}

class TabledataRows final : public RowSink {
 public:
  TabledataRows(OutputFile& file, const CatalogRows& rows, std::int64_t count, const CatalogMetadata& metadata)
      : file_(file) {
    file_.write(votable_head(rows, count, metadata) + "<DATA>\n<TABLEDATA>\n");
  }

  void write(const CatalogRows& rows) override {
    write_text_rows(file_, rows.count, [&](std::string& text, std::size_t row) {
      text += "<TR>";
      for_each_field(rows, [&]<class T>(const Column&, const FieldValues<T>& values) {
        text += "<TD>";
        if constexpr (std::is_same_v<T, std::string>) {
          append_xml(text, values.at(row, 0));
        } else {
          for (std::size_t element = 0; element < values.size(); ++element) {
            if (element > 0) text += ' ';
            append_value(text, values.at(row, element));
          }
        }
        text += "</TD>";
      });
      text += "</TR>\n";
    });
  }

  void finish() override { file_.write(std::string("</TABLEDATA>\n</DATA>\n") + votable_end); }

 private:
  OutputFile& file_;
};

template <class T>
void append_big_endian(std::vector<std::byte>& out, T value) {
  out.resize(out.size() + sizeof(T));
  store_big_endian(value, out.data() + out.size() - sizeof(T));
}

/// Appends a cell of type unicodeChar with variable length: the number of UTF-16 code units, then these units.
void append_text(std::vector<std::byte>& out, std::string_view text) {
  const std::size_t begin = out.size();
  append_big_endian(out, std::int32_t{0});
  std::int32_t length = 0;
  const auto append = [&](char32_t unit) {
    append_big_endian(out, static_cast<std::int16_t>(unit));
    ++length;
  };
  while (!text.empty()) {
    const char32_t c = take_xml_character(text);
    if (c < 0x10000) {
      append(c);
    } else {
      append(0xd800 + ((c - 0x10000) >> 10));
      append(0xdc00 + ((c - 0x10000) & 0x3ff));
    }
  }
  store_big_endian(length, out.data() + begin);
}

/// Writes rows as BINARY2. Each row begins with one bit per field that marks a null value. No bit is set, since missing
/// numbers are NaN.
class BinaryRows final : public RowSink {
 public:
  BinaryRows(OutputFile& file, const CatalogRows& rows, std::int64_t count, const CatalogMetadata& metadata)
      : file_(file) {
    file_.write(votable_head(rows, count, metadata) + "<DATA>\n<BINARY2>\n<STREAM encoding=\"base64\">\n");
  }

  void write(const CatalogRows& rows) override {
    std::vector<std::byte> bytes;
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows.count); ++row) {
      bytes.resize(bytes.size() + (rows.fields.size() + 7) / 8);
      for_each_field(rows, [&]<class T>(const Column&, const FieldValues<T>& values) {
        if constexpr (std::is_same_v<T, std::string>) {
          append_text(bytes, values.at(row, 0));
        } else {
          for (std::size_t element = 0; element < values.size(); ++element)
            append_big_endian(bytes, values.at(row, element));
        }
      });
      if (bytes.size() >= text_piece) put(bytes);
    }
    put(bytes);
  }

  void finish() override {
    std::string text;
    base64_.finish(text);
    file_.write(text + "</STREAM>\n</BINARY2>\n</DATA>\n" + votable_end);
  }

 private:
  void put(std::vector<std::byte>& bytes) {
    std::string text;
    base64_.encode(bytes, text);
    file_.write(text);
    bytes.clear();
  }

  OutputFile& file_;
  Base64Encoder base64_;
};

}  // namespace

std::unique_ptr<RowSink> votable_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                      const CatalogMetadata& metadata, const Cpu& /*where*/) {
  return std::make_unique<BinaryRows>(file, rows, count, metadata);
}

std::unique_ptr<RowSink> votable_text_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                           const CatalogMetadata& metadata, const Cpu& /*where*/) {
  return std::make_unique<TabledataRows>(file, rows, count, metadata);
}

}  // namespace srcextract
