#include "io/catalog/catalog.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "io/catalog/catalog_writers.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/fits/card.hpp"

namespace srcextract {

std::string extension(CatalogFormat format) {
  const FormatNames& names = names_of_format(format);
  return std::string(names.table ? ".cat" : "") + names.ending;
}

std::string unit_of(const Column& column, const CatalogMetadata& metadata) {
  if (column.unit == std::string_view(pixel_value_unit))
    return column.image == of_measured || metadata.detection_unit.empty() ? metadata.pixel_unit
                                                                          : metadata.detection_unit;
  return column.unit == std::string_view(pixel_sum_unit) ? metadata.sum_unit : column.unit;
}

std::vector<std::string> history_lines(const CatalogMetadata& metadata) {
  std::vector<std::string> lines;
  const auto told = [&](const std::string& option) { lines.push_back(printable_ascii("srcextract " + option)); };
  if (!metadata.detection_image.empty()) told("-d " + metadata.detection_image);
  for (const BandFacts& band : metadata.bands) {
    told("--band " + band.name + "=" + band.file);
    for (const std::string& setting : band.settings) told("--band-set " + band.name + ":" + setting);
  }
  if (!metadata.positions.empty()) told("--positions " + metadata.positions);
  lines.emplace_back("srcextract config:");
  for (std::string_view rest = metadata.config_yaml; !rest.empty();) {
    lines.emplace_back(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(lines.back().size() + 1, rest.size()));
  }
  return lines;
}

OutputFile write_catalog(const std::string& path, CatalogFormat format, const Sources& sources,
                         const CatalogMetadata& metadata, const Cpu& where, const Vignets& vignets,
                         const Table& carried) {
  OutputFile file(path);
  if (!names_of_format(format).table) {
    if (format == CatalogFormat::reg) write_regions(file, sources);
    if (format == CatalogFormat::crtf) write_crtf(file, sources);
    return file;
  }
  CatalogRows rows = rows_of(sources, vectors_in(format, sources.size()), vignets);
  for (CatalogField& field : rows_of(carried).fields) {
    field.keeps_bits = true;
    rows.fields.push_back(std::move(field));
  }
  write_all(format, file, rows, metadata, where);
  return file;
}

}  // namespace srcextract
