#include "io/catalog/catalog.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include "io/catalog/catalog_writers.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/fits/card.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

const char* extension(CatalogFormat format) {
  switch (format) {
    case CatalogFormat::fits:
      return ".cat.fits";
    case CatalogFormat::ldac:
      return ".cat.ldac";
    case CatalogFormat::ecsv:
      return ".cat.ecsv";
    case CatalogFormat::csv:
      return ".cat.csv";
    case CatalogFormat::ascii_head:
      return ".cat.txt";
    case CatalogFormat::votable:
      return ".cat.vot";
    case CatalogFormat::votable_text:
      return ".cat.xml";
    case CatalogFormat::reg:
      return ".reg";
    case CatalogFormat::crtf:
      return ".crtf";
  }
  throw Error(ErrorKind::internal, "a catalogue format has no extension; please report this");
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
  std::istringstream config(metadata.config_yaml);
  for (std::string line; std::getline(config, line);) lines.push_back(line);
  return lines;
}

OutputFile write_catalog(const std::string& path, CatalogFormat format, const Sources& sources,
                         const CatalogMetadata& metadata, const Cpu& where, const Vignets& vignets,
                         const Table& carried) {
  OutputFile file(path);
  const auto rows = [&](Vectors vectors) {
    CatalogRows all = rows_of(sources, vectors, vignets);
    std::ranges::move(rows_of(carried).fields, std::back_inserter(all.fields));
    return all;
  };
  switch (format) {
    case CatalogFormat::fits:
      write_fits_catalog(file, rows(Vectors::joined), metadata, where);
      break;
    case CatalogFormat::ldac:
      write_all(ldac_sink_on(where), file, rows(Vectors::joined), metadata);
      break;
    case CatalogFormat::ecsv:
      // Astropy reads no column of vectors that has no rows (5.2); the first row tells how long the last one is.
      write_all(ecsv_sink, file, rows(sources.size() > 0 ? Vectors::joined : Vectors::apart), metadata);
      break;
    case CatalogFormat::csv:
      write_all(csv_sink, file, rows(Vectors::apart), metadata);
      break;
    case CatalogFormat::ascii_head:
      write_all(ascii_head_sink, file, rows(sources.size() > 0 ? Vectors::joined : Vectors::apart), metadata);
      break;
    case CatalogFormat::votable:
      write_all(votable_sink, file, rows(Vectors::joined), metadata);
      break;
    case CatalogFormat::votable_text:
      write_all(votable_text_sink, file, rows(Vectors::joined), metadata);
      break;
    case CatalogFormat::reg:
      write_regions(file, sources);
      break;
    case CatalogFormat::crtf:
      write_crtf(file, sources);
      break;
  }
  return file;
}

}  // namespace srcextract
