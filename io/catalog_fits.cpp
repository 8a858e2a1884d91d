#include <algorithm>
#include <bit>
#include <cstdint>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "io/catalog_writers.hpp"
#include "io/memory_fits.hpp"

namespace srcextract {
namespace {

/// Rows assembled at a time: one chunk stays in the cache of a core.
constexpr std::int64_t chunk_rows = 2048;

template <class T>
const char* tform() {
  if constexpr (std::is_same_v<T, std::int16_t>) return "I";
  if constexpr (std::is_same_v<T, std::int32_t>) return "J";
  if constexpr (std::is_same_v<T, std::int64_t>) return "K";
  static_assert(std::is_integral_v<T> || std::is_same_v<T, double>);
  return "D";
}

template <class T>
void store_big_endian(T value, unsigned char* out) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  const Bits bits = std::bit_cast<Bits>(value);
  for (std::size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<unsigned char>(bits >> (8 * (sizeof(T) - 1 - i)));
}

void create_table(MemoryFits& fits, const Sources& sources, const CatalogMetadata& metadata) {
  std::vector<std::string> name, form, unit;
  for_each_column(sources, [&]<class T>(const Column& column, const std::vector<T>&) {
    name.push_back(column.name);
    form.push_back(tform<T>());
    unit.push_back(unit_of(column, metadata));
  });
  auto pointers = [](std::vector<std::string>& strings) {
    std::vector<char*> out;
    for (std::string& s : strings) out.push_back(s.data());
    return out;
  };
  int status = 0;
  fits_create_tbl(fits.get(), BINARY_TBL, sources.size(), static_cast<int>(name.size()), pointers(name).data(),
                  pointers(form).data(), pointers(unit).data(), "CATALOG", &status);
  fits.check(status, "create the catalogue table");
}

void write_header(MemoryFits& fits, const Sources& sources, const CatalogMetadata& metadata) {
  int status = 0;
  int number = 0;
  for_each_column(sources, [&](const Column& column, const auto&) {
    const std::string n = std::to_string(++number);
    fits_write_key_longstr(fits.get(), ("TCOMM" + n).c_str(), column.description, nullptr, &status);
    fits_write_key_longstr(fits.get(), ("TUCD" + n).c_str(), column.ucd, nullptr, &status);
  });
  fits_write_key_str(fits.get(), "CREATOR", ("srcextract " + metadata.version).c_str(), "program that wrote this file",
                     &status);
  fits_write_history(fits.get(), "srcextract config:", &status);
  std::istringstream config(metadata.config_yaml);
  for (std::string line; std::getline(config, line);) fits_write_history(fits.get(), line.c_str(), &status);
  fits.check(status, "write the header of the catalogue");
}

/// Rows as the file stores them: big-endian, columns side by side.
void write_rows(MemoryFits& fits, const Sources& sources) {
  std::size_t row_bytes = 0;
  for_each_column(sources, [&]<class T>(const Column&, const std::vector<T>&) { row_bytes += sizeof(T); });

  std::vector<unsigned char> rows(row_bytes * static_cast<std::size_t>(chunk_rows));
  int status = 0;
  for (std::int64_t first = 0; first < sources.size(); first += chunk_rows) {
    const auto count = static_cast<std::size_t>(std::min(chunk_rows, sources.size() - first));
    unsigned char* field = rows.data();
    for_each_column(sources, [&]<class T>(const Column&, const std::vector<T>& values) {
      const T* value = values.data() + first;
      for (std::size_t i = 0; i < count; ++i) store_big_endian(value[i], field + i * row_bytes);
      field += sizeof(T);
    });
    fits_write_tblbytes(fits.get(), first + 1, 1, static_cast<LONGLONG>(count * row_bytes), rows.data(), &status);
  }
  fits.check(status, "write the rows of the catalogue");
}

}  // namespace

void write_fits_catalog(OutputFile& file, const Sources& sources, const CatalogMetadata& metadata) {
  MemoryFits fits;
  create_table(fits, sources, metadata);
  write_header(fits, sources, metadata);
  write_rows(fits, sources);
  file.write(fits.finish());
}

}  // namespace srcextract
