#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "io/catalog/catalog_writers.hpp"
#include "io/files/input_file.hpp"
#include "io/fits/card.hpp"
#include "io/fits/memory_fits.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/buffer.hpp"
#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

/// Rows that a thread assembles at a time: they stay in the cache of a core.
constexpr std::int64_t chunk_rows = 2048;

/// Rows that are assembled before they are written, or fewer that fill so many bytes.
constexpr std::int64_t rows_at_a_time = 64 * chunk_rows, bytes_at_a_time = std::int64_t{64} << 20;

/// How a field is stored.
struct Form {
  std::string tform, tdim;  ///< the latter of pictures alone
  std::int64_t element_bytes, bytes;
};

/// Text is as long as the longest of the column.
template <class T>
std::int64_t element_bytes(const FieldValues<T>& values, std::int64_t rows) {
  if constexpr (std::is_same_v<T, std::string>) {
    std::size_t longest = 1;
    for (std::int64_t row = 0; row < rows; ++row)
      longest = std::max(longest, values.at(static_cast<std::size_t>(row), 0).size());
    return static_cast<std::int64_t>(longest);
  }
  return sizeof(T);
}

template <class T>
char type_letter() {
  if constexpr (std::is_same_v<T, std::string>) return 'A';
  if constexpr (std::is_same_v<T, std::int16_t>) return 'I';
  if constexpr (std::is_same_v<T, std::int32_t>) return 'J';
  if constexpr (std::is_same_v<T, std::int64_t>) return 'K';
  if constexpr (std::is_same_v<T, float>) return 'E';
  static_assert(std::is_integral_v<T> || std::is_floating_point_v<T> || std::is_same_v<T, std::string>);
  return 'D';
}

std::vector<Form> forms_of(const CatalogRows& rows) {
  std::vector<Form> forms;
  for_each_field(rows, [&]<class T>(const Column&, const FieldValues<T>& values) {
    const std::int64_t each = element_bytes(values, rows.count);
    const std::size_t repeat = std::is_same_v<T, std::string> ? static_cast<std::size_t>(each) : values.size();
    const bool plain = repeat == 1 && !std::is_same_v<T, std::string>;
    const std::size_t width = values.width;
    forms.push_back({(plain ? "" : std::to_string(repeat)) + type_letter<T>(),
                     width == 0 ? "" : "(" + std::to_string(width) + "," + std::to_string(repeat / width) + ")", each,
                     each * static_cast<std::int64_t>(values.size())});
  });
  return forms;
}

std::int64_t row_bytes(const std::vector<Form>& forms) {
  return std::accumulate(forms.begin(), forms.end(), std::int64_t{0},
                         [](std::int64_t sum, const Form& form) { return sum + form.bytes; });
}

/// FITS has text in ASCII alone.
std::byte byte_of(char c) {
  return static_cast<std::byte>(is_printable(c) ? c : '?');
}

/// The text that fits into one card.
constexpr std::size_t one_card = 68;

/// What each band was told by: --band NAME=FILE, --band-set NAME:KEY=VALUE.
std::vector<std::string> band_options(const CatalogMetadata& metadata) {
  std::vector<std::string> options;
  for (const BandFacts& band : metadata.bands) {
    options.push_back("--band " + band.name + "=" + band.file);
    for (const std::string& setting : band.settings) options.push_back("--band-set " + band.name + ":" + setting);
  }
  return options;
}

template <class T>
void store(T value, std::int64_t, std::byte* out) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;
  const Bits bits = std::bit_cast<Bits>(value);
  for (std::size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<std::byte>(bits >> (8 * (sizeof(T) - 1 - i)));
}

/// NUL ends what is shorter than the field.
void store(const std::string& text, std::int64_t width, std::byte* out) {
  std::fill_n(out, width, std::byte{0});
  std::ranges::transform(text, out, byte_of);
}

void create_table(MemoryFits& fits, const CatalogRows& rows, const std::vector<Form>& forms,
                  const CatalogMetadata& metadata) {
  std::vector<std::string> name, form, unit;
  for (const Form& field : forms) form.push_back(field.tform);
  for_each_field(rows, [&](const Column& column, const auto&) {
    name.push_back(printable_ascii(column.name));
    unit.push_back(printable_ascii(unit_of(column, metadata)));
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

void write_header(MemoryFits& fits, const CatalogRows& rows, const std::vector<Form>& forms,
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
  if (!metadata.detection_image.empty())
    fits_write_history(fits.get(), printable_ascii("srcextract -d " + metadata.detection_image).c_str(), &status);
  for (const std::string& option : band_options(metadata))
    fits_write_history(fits.get(), printable_ascii("srcextract " + option).c_str(), &status);
  if (!metadata.positions.empty())
    fits_write_history(fits.get(), printable_ascii("srcextract --positions " + metadata.positions).c_str(), &status);
  fits_write_history(fits.get(), "srcextract config:", &status);
  std::istringstream config(metadata.config_yaml);
  for (std::string line; std::getline(config, line);) fits_write_history(fits.get(), line.c_str(), &status);
  fits.check(status, "write the header of the catalogue");
}

/// All that comes before the rows. CFITSIO is told of none, which it would make room for, and counted them wrong.
std::string make_header(const CatalogRows& rows, const std::vector<Form>& forms, const CatalogMetadata& metadata) {
  MemoryFits fits;
  create_table(fits, rows, forms, metadata);
  write_header(fits, rows, forms, metadata);
  const std::span<const std::byte> bytes = fits.finish();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Everything that make_header makes a header of, each ended by a NUL, which is in none.
std::string header_contents(const CatalogRows& rows, const std::vector<Form>& forms, const CatalogMetadata& metadata) {
  std::string contents;
  const auto put = [&](const std::string& text) { contents.append(text).push_back('\0'); };
  put(metadata.version);
  put(metadata.config_yaml);
  put(metadata.detection_image);
  put(metadata.positions);
  for (const std::string& option : band_options(metadata)) put(option);
  auto form = forms.begin();
  for_each_field(rows, [&](const Column& column, const auto&) {
    for (const char* text : {column.name, column.ucd, column.description}) put(text);
    put(unit_of(column, metadata));
    put(form->tform);
    put((form++)->tdim);
  });
  return contents;
}

/// The header, without the number of rows and what is said of the image. CFITSIO takes longer to make one than it takes
/// to extract a tiny image, and images mostly have the same: a thread keeps those of the last few kinds.
const std::string& known_header(const CatalogRows& rows, const std::vector<Form>& forms,
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

/// Rows [begin, end) as the file stores them: big-endian, fields side by side, and the elements of each.
void store_rows(const CatalogRows& rows, const std::vector<Form>& forms, std::int64_t begin, std::int64_t end,
                std::byte* out) {
  const std::int64_t stride = row_bytes(forms);
  auto form = forms.begin();
  for_each_field(rows, [&](const Column&, const auto& values) {
    const std::int64_t width = (form++)->element_bytes;
    for (std::size_t element = 0; element < values.size(); ++element, out += width) {
      std::byte* field = out;
      for (std::int64_t row = begin; row < end; ++row, field += stride)
        store(values.at(static_cast<std::size_t>(row), element), width, field);
    }
  });
}

/// Writes the rows, and zeros after the last up to a whole record.
void write_rows(OutputFile& file, const CatalogRows& rows, const std::vector<Form>& forms, const Cpu& where) {
  const std::int64_t stride = row_bytes(forms);
  const std::int64_t count = rows.count;
  const std::int64_t most =
      std::clamp<std::int64_t>(bytes_at_a_time / std::max<std::int64_t>(stride, 1), 1, rows_at_a_time);
  Buffer<std::byte, Cpu> piece(std::min(count, most) * stride, where);
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t size = std::min(most, count - first);
    parallel_for(size, chunk_rows, where, [&](std::int64_t begin, std::int64_t end) {
      store_rows(rows, forms, first + begin, first + end, piece.data() + begin * stride);
    });
    file.write({piece.data(), static_cast<std::size_t>(size * stride)});
  }
  const std::int64_t bytes = count * stride;
  file.write(std::vector<std::byte>(static_cast<std::size_t>(in_records(bytes) - bytes)));
}

}  // namespace

void write_fits_catalog(OutputFile& file, const CatalogRows& rows, const CatalogMetadata& metadata, const Cpu& where) {
  constexpr std::size_t most = 999;
  if (rows.fields.size() > most) {
    throw Error(ErrorKind::output, "a FITS table can have " + std::to_string(most) + " columns, but this one has " +
                                       std::to_string(rows.fields.size()) + "; write it as .ecsv, .csv or .parquet");
  }
  const std::vector<Form> forms = forms_of(rows);
  file.write(with_image_cards(with_rows(known_header(rows, forms, metadata), rows.count), metadata.image));
  write_rows(file, rows, forms, where);
}

}  // namespace srcextract
