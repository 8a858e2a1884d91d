#include "io/catalog/float_image.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "io/files/big_endian.hpp"
#include "io/files/input_file.hpp"
#include "io/fits/header_values.hpp"

namespace srcextract {
namespace {

/// Pixels that are written at a time, as whole rows.
constexpr std::int64_t piece_pixels = std::int64_t{1} << 18;

std::string header_of(const Shape& shape, const std::string& name, const std::string& unit, const std::string& cards,
                      const CatalogMetadata& metadata) {
  std::string header = format_card({"SIMPLE", true}) + format_card({"BITPIX", std::int64_t{-32}}, "float32") +
                       format_card({"NAXIS", std::int64_t{2}}) + format_card({"NAXIS1", shape.width}) +
                       format_card({"NAXIS2", shape.height}) + format_card({"EXTNAME", name}) +
                       format_card({"CREATOR", "srcextract " + metadata.version}, "program that wrote this file");
  if (!unit.empty()) header += format_card({"BUNIT", unit});
  header += cards + "END";
  header.resize((header.size() + fits_record - 1) / fits_record * fits_record, ' ');
  return header;
}

}  // namespace

OutputFile write_float_image(const std::string& path, const Shape& shape, const std::string& name,
                             const std::string& unit, const std::string& cards, const CatalogMetadata& metadata,
                             const MakeRow& make_row) {
  OutputFile file(path);
  file.write(header_of(shape, name, unit, cards, metadata));
  const std::int64_t rows = std::max<std::int64_t>(1, piece_pixels / std::max<std::int64_t>(1, shape.width));
  std::vector<float> row(static_cast<std::size_t>(shape.width));
  std::vector<std::byte> bytes;
  for (std::int64_t y = 0; y < shape.height; y += rows) {
    const std::int64_t end = std::min(y + rows, shape.height);
    bytes.resize(static_cast<std::size_t>((end - y) * shape.width) * sizeof(float));
    std::byte* out = bytes.data();
    for (std::int64_t i = y; i < end; ++i) {
      make_row(i, row.data());
      for (const float pixel : row) {
        store_big_endian(pixel, out);
        out += sizeof(float);
      }
    }
    file.write(bytes);
  }
  const auto beyond = static_cast<std::size_t>(file.size()) % fits_record;
  if (beyond > 0) file.write(std::string(fits_record - beyond, '\0'));
  return file;
}

}  // namespace srcextract
