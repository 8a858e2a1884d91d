#include "io/tables/table_file.hpp"

#include <algorithm>
#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>
#include <unordered_set>

#include "io/files/byte_stream.hpp"
#include "io/tables/table_formats.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// A file name and the extension that a user named with it. `m31.fits[2]` is a file name if a file of that name exists,
/// else extension 2 of m31.fits.
struct Location {
  std::string path, extension;
  bool has_extension = false;
};

Location locate(const std::string& name) {
  std::error_code error;
  const std::size_t bracket = name.rfind('[');
  if (!name.ends_with(']') || bracket == name.npos || std::filesystem::exists(name, error)) return {name, "", false};
  return {name.substr(0, bracket), name.substr(bracket + 1, name.size() - bracket - 2), true};
}

/// Returns the first 4096 bytes of the (inflated) file, or fewer if the file is shorter.
std::string first_bytes(const std::string& path) {
  std::string bytes(4096, '\0');
  ByteStream stream(path);
  std::size_t size = 0;
  while (std::size_t got = stream.read({bytes.data() + size, bytes.size() - size})) size += got;
  bytes.resize(size);
  return bytes;
}

std::string_view behind_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

/// Returns true for a text like "#   1 NUMBER", the first line of SExtractor's ASCII_HEAD.
bool begins_as_ascii_head(std::string_view text) {
  if (!text.starts_with('#')) return false;
  text = behind_blanks(text.substr(1));
  return text.starts_with("1 ") || text.starts_with("1\t");
}

TableFormat format_of(std::string_view bytes, const std::string& path) {
  if (bytes.starts_with("SIMPLE  =")) return TableFormat::fits;
  if (bytes.starts_with("PAR1")) return TableFormat::parquet;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
  const std::string_view text = behind_blanks(bytes);
  if (text.empty()) throw Error(ErrorKind::input, path + ": the file is empty; fetch or make it again");
  if (text.find('\0') != text.npos) {
    throw Error(ErrorKind::input,
                path +
                    ": this is none of the formats of tables that can be read: FITS, ECSV, CSV, "
                    "VOTable, SExtractor's ASCII_HEAD, gzipped or not, and Parquet; convert it to one of them");
  }
  if (text.starts_with('<')) return TableFormat::votable;
  if (text.starts_with("# %ECSV")) return TableFormat::ecsv;
  return begins_as_ascii_head(text) ? TableFormat::ascii_head : TableFormat::csv;
}

void read_columns(TableFile& file, const std::string& extension) {
  switch (file.format) {
    case TableFormat::fits:
      return open_fits_table(file, extension);
    case TableFormat::ecsv:
      file.columns = ecsv_columns(file.path);
      return;
    case TableFormat::csv:
      file.columns = csv_columns(file.path);
      return;
    case TableFormat::votable:
      file.columns = votable_columns(file.path);
      return;
    case TableFormat::ascii_head:
      file.columns = ascii_head_columns(file.path);
      return;
    case TableFormat::parquet:
      file.columns = parquet_columns(file.path);
      return;
  }
}

Table read_rows(const TableFile& file, const std::vector<std::size_t>& columns) {
  switch (file.format) {
    case TableFormat::fits:
      return read_fits_table(file, columns);
    case TableFormat::ecsv:
      return read_ecsv(file, columns);
    case TableFormat::csv:
      return read_csv(file, columns);
    case TableFormat::votable:
      return read_votable(file, columns);
    case TableFormat::ascii_head:
      return read_ascii_head(file, columns);
    case TableFormat::parquet:
      return read_parquet(file, columns);
  }
  throw Error(ErrorKind::internal, "a format of tables has no reader; please report this");
}

}  // namespace

void require_distinct(const std::vector<ColumnHead>& heads, const std::string& where) {
  std::unordered_set<std::string_view> names;
  for (const ColumnHead& head : heads) {
    if (names.insert(head.name).second) continue;
    throw Error(ErrorKind::input, where + ": two columns are named '" + head.name +
                                      "'; it is unclear which one is meant; rename one (an element of a vector FLUX is "
                                      "called FLUX_1)");
  }
}

TableFile open_table(const std::string& path, TableRoom room) {
  const Location location = locate(path);
  TableFile file;
  file.room = room;
  file.path = location.path;
  file.format = format_of(first_bytes(file.path), file.path);
  if (location.has_extension && file.format != TableFormat::fits) {
    throw Error(ErrorKind::input, path + ": " + file.path +
                                      " is no FITS file, so it has no extensions; name it without [" +
                                      location.extension + "]");
  }
  read_columns(file, location.extension);
  return file;
}

Table read_table(const TableFile& file, const std::vector<std::size_t>& columns) try {
  return read_rows(file, columns);
} catch (const std::bad_alloc&) {
  throw Error(ErrorKind::memory, file.path + ": not enough memory for " + std::to_string(columns.size()) +
                                     " columns of this table; run with more memory, or raise the limit on it "
                                     "(`ulimit -v`)");
}

}  // namespace srcextract
