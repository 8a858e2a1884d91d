#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/catalog/binary_rows.hpp"
#include "io/catalog/catalog_writers.hpp"
#include "io/fits/card.hpp"
#include "io/fits/memory_fits.hpp"

namespace srcextract {
namespace {

/// The text that fits into one card.
constexpr std::size_t one_card = 68;

void create_table(MemoryFits& fits, const CatalogRows& rows, const std::vector<BinaryForm>& forms,
                  const CatalogMetadata& metadata) {
  std::vector<std::string> name = fits_names(rows), form, unit;
  for (const BinaryForm& field : forms) form.push_back(field.tform());
  for_each_field(
      rows, [&](const Column& column, const auto&) { unit.push_back(printable_ascii(unit_of(column, metadata))); });
  auto pointers = [](std::vector<std::string>& strings) {
    std::vector<char*> out;
    for (std::string& s : strings) out.push_back(s.data());
    return out;
  };
  int status = 0;
  fits_create_tbl(fits.get(), BINARY_TBL, 0, static_cast<int>(name.size()), pointers(name).data(),
                  pointers(form).data(), pointers(unit).data(), "CATALOG", &status);
  fits.check(status, "create the catalogue table");
}

void write_header(MemoryFits& fits, const CatalogRows& rows, const std::vector<BinaryForm>& forms,
                  const CatalogMetadata& metadata) {
  int status = 0;
  int number = 0;
  const auto write = [&](const std::string& keyword, const std::string& text) {
    if (text.empty()) return;
    if (text.size() > one_card) fits_write_key_longwarn(fits.get(), &status);
    fits_write_key_longstr(fits.get(), keyword.c_str(), printable_ascii(text).c_str(), nullptr, &status);
  };
  for_each_field(rows, [&](const Column& column, const auto&) {
    const std::string tdim = forms[static_cast<std::size_t>(number)].tdim, n = std::to_string(++number);
    write("TDIM" + n, tdim);
    write("TCOMM" + n, column.description);
    write("TUCD" + n, column.ucd);
  });
  fits_write_key_str(fits.get(), "CREATOR", ("srcextract " + metadata.version).c_str(), "program that wrote this file",
                     &status);
  for (const std::string& line : history_lines(metadata)) fits_write_history(fits.get(), line.c_str(), &status);
  fits.check(status, "write the header of the catalogue");
}

/// The bytes before the rows. CFITSIO is given 0 rows: it would reserve space for rows, and then count them wrong.
std::string make_header(const CatalogRows& rows, const std::vector<BinaryForm>& forms,
                        const CatalogMetadata& metadata) {
  MemoryFits fits;
  create_table(fits, rows, forms, metadata);
  write_header(fits, rows, forms, metadata);
  const std::span<const std::byte> bytes = fits.finish();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// All inputs of make_header, each ended by a NUL, which none contains.
std::string header_contents(const CatalogRows& rows, const std::vector<BinaryForm>& forms,
                            const CatalogMetadata& metadata) {
  std::string contents;
  const auto put = [&](const std::string& text) { contents.append(text).push_back('\0'); };
  put(metadata.version);
  put(metadata.config_yaml);
  put(metadata.detection_image);
  put(metadata.positions);
  for (const BandFacts& band : metadata.bands) {
    put(band.name);
    put(band.file);
    for (const std::string& setting : band.settings) put(setting);
  }
  auto form = forms.begin();
  for_each_field(rows, [&](const Column& column, const auto&) {
    for (const char* text : {column.name, column.ucd, column.description}) put(text);
    put(unit_of(column, metadata));
    put(form->tform());
    put((form++)->tdim);
  });
  return contents;
}

/// The header, without the number of rows and the facts about the image. CFITSIO takes longer to build a header than a
/// tiny image takes to extract. Most images share a header, so a thread caches the last few kinds.
const std::string& known_header(const CatalogRows& rows, const std::vector<BinaryForm>& forms,
                                const CatalogMetadata& metadata) {
  constexpr std::size_t most = 16;
  thread_local std::map<std::string, std::string> header_of;
  std::string contents = header_contents(rows, forms, metadata);
  if (const auto known = header_of.find(contents); known != header_of.end()) return known->second;
  if (header_of.size() == most) header_of.clear();
  return header_of.emplace(std::move(contents), make_header(rows, forms, metadata)).first->second;
}

std::string with_rows(std::string header, std::int64_t rows) {
  constexpr std::string_view no_rows = "NAXIS2  =                    0 ";
  std::string count = std::to_string(rows);
  count.insert(0, 20 - count.size(), ' ');
  header.replace(header.find(no_rows) + 10, count.size(), count);
  return header;
}

}  // namespace

void write_fits_catalog(OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata, const Cpu& where) {
  require_columns_fit(rows);
  const std::vector<BinaryForm> forms = binary_forms(rows);
  file.write(with_image_cards(with_rows(known_header(rows, forms, metadata), rows.count), metadata.image));
  write_binary_rows(file, rows, forms, where);
  fill_record(file, rows.count * row_bytes(forms));
}

}  // namespace srcextract
