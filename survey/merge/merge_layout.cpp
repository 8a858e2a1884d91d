#include "survey/merge/merge_layout.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "io/files/big_endian.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

constexpr const char* what_to_try =
    "; extract all images with one version of srcextract and one configuration, or merge them separately";

constexpr const char* what_else_to_try =
    "; catalogues with different bands, at given positions, and with neither have other columns: give each kind a DIR "
    "of "
    "its own, and merge each by itself; otherwise extract all images with one version of srcextract and one "
    "configuration";

[[noreturn]] void fail(const std::string& problem, const char* advice = what_to_try) {
  throw Error(ErrorKind::config, problem + advice);
}

template <class T>
void store_nans(std::int64_t count, std::byte* out) {
  for (std::int64_t i = 0; i < count; ++i, out += sizeof(T)) store_big_endian(std::numeric_limits<T>::quiet_NaN(), out);
}

/// Stores NaN in all elements of a column's field. Returns false, and stores nothing, if the column's type has no NaN.
bool store_nan(const StoredColumn& column, std::byte* out) {
  const char type = column.form.back();
  if (type == 'D') store_nans<double>(column.bytes / std::int64_t{sizeof(double)}, out);
  if (type == 'E') store_nans<float>(column.bytes / std::int64_t{sizeof(float)}, out);
  return type == 'D' || type == 'E';
}

/// Appends a byte range to copy. The range is joined with the last one if both are adjacent in the catalogue's row and
/// in the survey's row.
void add_piece(const RowPlan::Piece& piece, std::vector<RowPlan::Piece>& pieces) {
  const bool goes_on = !pieces.empty() && pieces.back().from + pieces.back().bytes == piece.from &&
                       pieces.back().to + pieces.back().bytes == piece.to;
  if (goes_on) {
    pieces.back().bytes += piece.bytes;
  } else {
    pieces.push_back(piece);
  }
}

/// Byte offset of the column in a row; the row's length if there is no column of that name.
std::size_t offset_of(const std::string& name, const std::vector<StoredColumn>& columns) {
  std::size_t offset = 0;
  for (const StoredColumn& column : columns) {
    if (column.name == name) break;
    offset += static_cast<std::size_t>(column.bytes);
  }
  return offset;
}

/// Whether a column has one text per row, whose width may differ between catalogues.
bool is_text(const StoredColumn& column) {
  return column.form.ends_with('A') && column.dim.empty();
}

/// Number of bytes of a column's field. The column must exist.
std::size_t bytes_of(const std::string& name, const std::vector<StoredColumn>& columns) {
  return static_cast<std::size_t>(std::ranges::find(columns, name, &StoredColumn::name)->bytes);
}

}  // namespace

SurveyLayout::SurveyLayout(std::vector<StoredColumn> first) {
  for (StoredColumn& column : first) columns_.push_back({std::move(column), "", {}});
}

std::size_t SurveyLayout::add(const StoredTable& catalog, const std::string& path) {
  const auto there = std::ranges::find(arrangements_, catalog.columns, &Arrangement::columns);
  const auto number = static_cast<std::size_t>(there - arrangements_.begin());
  if (there != arrangements_.end()) return number;
  for (const StoredColumn& column : catalog.columns) add_column(column, path);
  arrangements_.push_back({catalog.columns, path});
  return number;
}

void SurveyLayout::add_column(const StoredColumn& column, const std::string& path) {
  const auto known = std::ranges::find(columns_, column.name, [](const SurveyColumn& c) { return c.stored.name; });
  if (known == columns_.end()) {
    columns_.push_back({column, path, {column.unit}});
    return;
  }
  if (known->path.empty())
    fail(path + " has a column " + column.name + ", which says in a joined catalogue where a row is from");
  if (is_text(known->stored) && is_text(column)) {
    if (column.bytes > known->stored.bytes) {
      known->stored.form = column.form;
      known->stored.bytes = column.bytes;
    }
    return;
  }
  const auto type = [](const StoredColumn& one) { return one.form + one.dim; };
  if (type(known->stored) != type(column))
    fail("column " + column.name + " is of type " + type(known->stored) + " in " + known->path + " and of type " +
         type(column) + " in " + path);
  known->units.insert(column.unit);
}

std::vector<StoredColumn> SurveyLayout::columns() const {
  std::vector<StoredColumn> columns;
  for (const SurveyColumn& column : columns_) {
    columns.push_back(column.stored);
    if (column.units.size() > 1) columns.back().unit.clear();
  }
  return columns;
}

std::string SurveyLayout::describe_mixed_units(const std::string& whose) const {
  std::string names, units;
  for (const SurveyColumn& column : columns_) {
    if (column.units.size() < 2) continue;
    names += (names.empty() ? "" : ", ") + column.stored.name;
    if (!units.empty()) continue;
    for (const std::string& unit : column.units) units += (units.empty() ? "'" : ", '") + unit + "'";
  }
  if (names.empty()) return "";
  return whose + " have different units (" + units + "): the columns " + names +
         " hold the numbers of the catalogues as they are, without a unit";
}

RowPlan SurveyLayout::plan(const Arrangement& arrangement) const {
  RowPlan plan;
  const std::vector<StoredColumn>& there = arrangement.columns;
  plan.catalog_row_bytes = offset_of("", there);
  plan.blank.resize(offset_of("", columns()));
  std::size_t to = 0;
  for (auto column = columns_.begin(); column != columns_.end(); ++column) {
    const std::size_t bytes = static_cast<std::size_t>(column->stored.bytes);
    if (column->path.empty()) {  // one of the columns given to the constructor, which add_column() does not set
      to += bytes;
      continue;
    }
    const std::size_t from = offset_of(column->stored.name, there);
    if (from < plan.catalog_row_bytes) {
      add_piece({from, to, bytes_of(column->stored.name, there)}, plan.pieces);
    } else if (!store_nan(column->stored, plan.blank.data() + to)) {
      fail(arrangement.path + " has no column " + column->stored.name + ", which " + column->path + " has",
           what_else_to_try);
    }
    to += bytes;
  }
  return plan;
}

std::vector<RowPlan> SurveyLayout::plans() const {
  std::vector<RowPlan> plans;
  for (const Arrangement& arrangement : arrangements_) plans.push_back(plan(arrangement));
  return plans;
}

}  // namespace srcextract
