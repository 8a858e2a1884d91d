#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/catalog_writers.hpp"
#include "io/input_file.hpp"
#include "io/memory_fits.hpp"
#include "stages/core/buffer.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

/// Rows that a thread assembles at a time: they stay in the cache of a core.
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
void store_big_endian(T value, std::byte* out) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  const Bits bits = std::bit_cast<Bits>(value);
  for (std::size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<std::byte>(bits >> (8 * (sizeof(T) - 1 - i)));
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
  fits_create_tbl(fits.get(), BINARY_TBL, 0, static_cast<int>(name.size()), pointers(name).data(),
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

/// All that comes before the rows. CFITSIO is told of none, which it would make room for, and counted them wrong.
std::string make_header(const Sources& sources, const CatalogMetadata& metadata) {
  MemoryFits fits;
  create_table(fits, sources, metadata);
  write_header(fits, sources, metadata);
  const std::span<const std::byte> bytes = fits.finish();
  std::string header(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  constexpr std::string_view no_rows = "NAXIS2  =                    0 ";
  std::string rows = std::to_string(sources.size());
  rows.insert(0, 20 - rows.size(), ' ');
  header.replace(header.find(no_rows) + 10, rows.size(), rows);
  return header;
}

/// Rows as the file stores them: big-endian, columns side by side, zeros after the last up to a whole record.
Buffer<std::byte, Cpu> make_rows(const Sources& sources, const Cpu& where) {
  std::int64_t row_bytes = 0;
  for_each_column(sources, [&]<class T>(const Column&, const std::vector<T>&) { row_bytes += sizeof(T); });
  const std::int64_t bytes = sources.size() * row_bytes;
  Buffer<std::byte, Cpu> table(in_records(bytes), where);
  parallel_for(sources.size(), chunk_rows, where, [&](std::int64_t begin, std::int64_t end) {
    std::byte* field = table.data() + begin * row_bytes;
    for_each_column(sources, [&]<class T>(const Column&, const std::vector<T>& values) {
      std::byte* out = field;
      for (std::int64_t row = begin; row < end; ++row, out += row_bytes)
        store_big_endian(values[static_cast<std::size_t>(row)], out);
      field += sizeof(T);
    });
  });
  std::fill(table.begin() + bytes, table.end(), std::byte{0});
  return table;
}

}  // namespace

void write_fits_catalog(OutputFile& file, const Sources& sources, const CatalogMetadata& metadata, const Cpu& where) {
  file.write(make_header(sources, metadata));
  const Buffer<std::byte, Cpu> rows = make_rows(sources, where);
  file.write({rows.data(), static_cast<std::size_t>(rows.size())});
}

}  // namespace srcextract
