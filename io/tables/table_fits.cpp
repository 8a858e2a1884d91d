#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/files/input_file.hpp"
#include "io/files/refuse.hpp"
#include "io/fits/fits_size.hpp"
#include "io/fits/hdu_selection.hpp"
#include "io/tables/fits_columns.hpp"
#include "io/tables/fits_values.hpp"
#include "io/tables/table_formats.hpp"
#include "io/tables/table_memory.hpp"
#include "io/tables/table_room.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t bytes_at_a_time = std::int64_t{1} << 22;

/// Reads the rows of a FITS table, about 4 MB at a time. To save memory, CFITSIO sees only these rows, as a table in
/// memory. The file must outlive this object.
class FitsRows {
 public:
  /// Throws Error{input} if the file ends before the table does.
  FitsRows(const InputFile& file, const Hdu& table) : file_(file), table_(table) {
    rows_ = table.header->integer("NAXIS2").value_or(0);
    row_bytes_ = table.header->integer("NAXIS1").value_or(0);
    // rows_ * row_bytes_ cannot overflow: data_bytes, which read_structure() checked, is at least as large.
    if (table.data_bytes <= file.size() - table.data_begin) return;
    refuse(describe(table, file.path()) + " is truncated: its " + std::to_string(rows_) + " rows of " +
           std::to_string(row_bytes_) + " bytes, and what follows them, end at byte " +
           std::to_string(table.data_begin + table.data_bytes) + ", the file at " + std::to_string(file.size()) +
           "; fetch or make it again");
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t rows_at_a_time() const {
    return std::max<std::int64_t>(bytes_at_a_time / std::max<std::int64_t>(row_bytes_, 1), 1);
  }

  /// Reads rows [begin, begin + count) of the file (from 0) as rows [0, count) of a table in memory. The table is valid
  /// until the next call.
  TableMemory& read(std::int64_t begin, std::int64_t count) {
    memory_.emplace(table_, file_.path(), count);
    file_.read(table_.data_begin + begin * row_bytes_, count * row_bytes_, memory_->rows().data());
    memory_->open();
    return *memory_;
  }

 private:
  const InputFile& file_;
  Hdu table_;
  std::int64_t rows_ = 0, row_bytes_ = 0;
  std::optional<TableMemory> memory_;
};

bool is_table(const Hdu& hdu) {
  return hdu.kind == HduKind::ascii_table || hdu.kind == HduKind::binary_table;
}

/// Returns true if the HDU is the LDAC_IMHEAD of a FITS_LDAC file, a table of one row that holds the image header.
bool is_ldac_header(const Hdu& hdu) {
  return is_called(hdu, "LDAC_IMHEAD");
}

[[noreturn]] void fail_on_none(const std::vector<Hdu>& hdus, const InputFile& file, const std::string& extension) {
  const Hdu& last = hdus.back();
  if (last.data_bytes > file.size() - last.data_begin)
    refuse(describe(last, file.path()) + " is truncated, and no table comes before; fetch or make the file again");
  if (extension.empty()) refuse(file.path() + ": there is no table in the file; it holds " + list_kinds(hdus));
  refuse(file.path() + ": the file has no extension [" + extension + "]; counted from 0, it has " + list_names(hdus));
}

/// Moves `reader` to the table that `extension` names (by EXTNAME or number) and returns its HDU. An empty name stands
/// for the first table other than an LDAC_IMHEAD. Throws Error{input} if there is no such table.
Hdu find_table(FitsReader& reader, const InputFile& file, const std::string& extension) {
  std::vector<Hdu> seen;
  while (std::optional<Hdu> hdu = reader.next()) {
    seen.push_back(*hdu);
    if (extension.empty() ? !is_table(*hdu) || is_ldac_header(*hdu) : !is_called(*hdu, extension)) continue;
    if (is_table(*hdu)) return *hdu;
    refuse(reader.where() + " is not a table but of the kind '" + kind_of(*hdu) + "'; the file has " +
           list_names(seen));
  }
  fail_on_none(seen, file, extension);
}

struct WantedColumn {
  FitsColumn column;
  std::vector<FitsTarget> targets;
};

void read_rows(FitsRows& table, const std::vector<WantedColumn>& wanted) {
  for (std::int64_t begin = 0; begin < table.rows(); begin += table.rows_at_a_time()) {
    const std::int64_t count = std::min(table.rows_at_a_time(), table.rows() - begin);
    TableMemory& memory = table.read(begin, count);
    // Reads as many rows at a time as fit into CFITSIO's buffers, so that CFITSIO reads the data of all columns from
    // memory only once.
    long most = 1;
    int status = 0;
    fits_get_rowsize(memory.get(), &most, &status);
    for (std::int64_t row = 0; row < count; row += most) {
      const FitsStep step{memory, row, std::min<std::int64_t>(most, count - row), begin + row};
      for (const WantedColumn& column : wanted) read_fits_values(step, column.column, column.targets);
    }
  }
}

/// Finds the columns of the file that hold the elements `columns` (indices as in heads_of()). Allocates the values of
/// each element in `table`.
std::vector<WantedColumn> plan(const std::vector<FitsColumn>& there, const std::vector<std::size_t>& columns,
                               Table& table) {
  std::multimap<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < columns.size(); ++i) places.emplace(static_cast<std::int64_t>(columns[i]), i);
  std::vector<WantedColumn> wanted;
  std::int64_t first = 0;
  for (const FitsColumn& column : there) {
    WantedColumn next{column, {}};
    const auto end = places.lower_bound(first + column.elements);
    for (auto place = places.lower_bound(first); place != end; ++place) {
      ColumnValues& values = table.columns[place->second].values = make_fits_values(column, table.rows);
      next.targets.push_back({place->first - first, &values});
    }
    if (!next.targets.empty()) wanted.push_back(std::move(next));
    first += column.elements;
  }
  return wanted;
}

/// Bytes of memory for one value of the column, including a second copy while finish_fits_values() converts the column.
std::int64_t bytes_of_value(const FitsColumn& column) {
  constexpr std::int64_t in_itself = 15, allocation = 17;
  if (column.type == TSTRING)
    return static_cast<std::int64_t>(sizeof(std::string)) + (column.width > in_itself ? column.width + allocation : 0);
  const std::int64_t again = column.null || column.whole ? 16 : 0;
  if (column.type == TLONGLONG || column.type == TULONGLONG) return 8 + 16;
  return (column.type == TDOUBLE ? 8 : 4) + again;
}

/// Bytes of memory for one row of the elements `columns`.
std::int64_t bytes_of_row(const std::vector<FitsColumn>& there, const std::vector<std::size_t>& columns) {
  std::int64_t bytes = 0, first = 0;
  for (const FitsColumn& column : there) {
    const std::int64_t end = first + column.elements;
    bytes += bytes_of_value(column) * std::ranges::count_if(columns, [&](std::size_t index) {
               return std::cmp_greater_equal(index, first) && std::cmp_less(index, end);
             });
    first = end;
  }
  return bytes;
}

void check_heads(const std::vector<ColumnHead>& heads, const Hdu& table, const std::string& where) {
  require_distinct(heads, where);
  if (!heads.empty()) return;
  refuse(where + (table.header->logical("ZTABLE").value_or(false)
                      ? ": the table is compressed; `funpack` the file first"
                      : ": there is no column of numbers or text in the table"));
}

}  // namespace

void open_fits_table(TableFile& file, const std::string& extension) {
  const InputFile input(file.path, fits_size_needed(file.path, file.room.bytes));
  FitsReader reader(input);
  const Hdu table = find_table(reader, input, extension);
  const FitsRows rows(input, table);
  file.hdu = table.index;
  file.columns = heads_of(fits_columns(table, file.path));
  check_heads(file.columns, table, reader.where());
}

Table read_fits_table(const TableFile& file, const std::vector<std::size_t>& columns) {
  const InputFile input(file.path, fits_size_needed(file.path, file.room.bytes));
  FitsReader reader(input);
  const Hdu hdu = find_table(reader, input, std::to_string(file.hdu));
  FitsRows rows(input, hdu);
  const std::vector<FitsColumn> there = fits_columns(hdu, file.path);
  const std::vector<ColumnHead> heads = heads_of(there);
  if (heads.size() != file.columns.size()) {
    refuse(reader.where() + " changed while it was read; do not write to the file meanwhile");
  }
  require_room(file, rows.rows(), bytes_of_row(there, columns), input.inflated() ? input.size() : 0);
  Table table = table_of(file, columns, rows.rows());
  const std::vector<WantedColumn> wanted = plan(there, columns, table);
  read_rows(rows, wanted);
  for (const WantedColumn& column : wanted) {
    for (const FitsTarget& target : column.targets)
      *target.values = finish_fits_values(std::move(*target.values), column.column);
  }
  return table;
}

}  // namespace srcextract
