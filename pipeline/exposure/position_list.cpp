#include "pipeline/exposure/position_list.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "io/tables/table_file.hpp"
#include "stages/catalogue/declared_columns.hpp"
#include "stages/catalogue/vignet_column.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"
#include "stages/core/line_words.hpp"
#include "stages/photometry/forced.hpp"

namespace srcextract {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
using Units = std::span<const std::string_view>;
constexpr std::array<std::string_view, 3> pixel_units = {"", "pixel", "pix"};
constexpr std::array<std::string_view, 4> degree_units = {"", "deg", "degree", "degrees"};
constexpr std::array<std::string_view, 4> no_units = {"", "pixel", "pix", "1"};

/// Names of pairs of sky position columns: those of srcextract, common names, and those of VizieR. The first pair in
/// this order that the table has in degrees is used.
struct SkyNames {
  std::string_view alpha, delta;
};
constexpr std::array<SkyNames, 5> sky_names = {{{"ALPHA_J2000", "DELTA_J2000"},
                                                {"RA", "DEC"},
                                                {"RA_ICRS", "DE_ICRS"},
                                                {"_RAJ2000", "_DEJ2000"},
                                                {"RAJ2000", "DEJ2000"}}};
constexpr const char* all_sky_names =
    "ALPHA_J2000 and DELTA_J2000 (or RA, DEC; VizieR's RA_ICRS, DE_ICRS; _RAJ2000, _DEJ2000; RAJ2000, DEJ2000";

/// Two pairs of position columns, such as RA, DEC and ALPHA_J2000, DELTA_J2000, may differ by this many degrees in a
/// row, since both are rounded.
constexpr double same_position = 0.01 / 3600;
constexpr double to_radians = std::numbers::pi / 180;

/// Bytes per row in addition to the table: positions in pixels and on the sky, and ForcedPositions in a vector that
/// grows (old and new memory, which is twice as large).
constexpr std::int64_t bytes_beside_row = 4 * sizeof(double) + 3 * sizeof(ForcedPosition);

/// Reads a table of positions: finds the columns by their names and converts their values.
class PositionReader {
 public:
  PositionReader(const std::string& path, std::int64_t room)
      : file_(open_table(path, {room, bytes_beside_row})), path_(path) {
    std::vector<std::size_t> all(file_.columns.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    table_ = read_table(file_, all);
    taken_.resize(all.size());
    if (table_.rows == 0) fail("the table has no row: there is no position to measure at");
  }

  std::int64_t rows() const { return table_.rows; }

  [[noreturn]] void fail(const std::string& what) const { throw Error(ErrorKind::input, path_ + ": " + what); }
  [[noreturn]] void fail_at(std::int64_t row, const std::string& what) const {
    fail(place_of_row(file_, row) + ": " + what);
  }

  /// The index of the first column with one of these names, which is marked as used; nullopt if there is none.
  std::optional<std::size_t> take(std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names)
      if (const std::optional<std::size_t> index = find(name)) return taken_[*index] = true, index;
    return std::nullopt;
  }

  /// The index of the column with this name, given in capitals; nullopt if there is none. Does not mark the column as
  /// used.
  std::optional<std::size_t> find(std::string_view name) const {
    for (std::size_t i = 0; i < table_.columns.size(); ++i)
      if (in_capitals(table_.columns[i].name) == name) return i;
    return std::nullopt;
  }

  void take(std::size_t index) { taken_[index] = true; }

  /// The values of a column as numbers, NaN where a value is missing; empty if `index` is nullopt. Throws Error{input}
  /// if the unit of the column is not in `units`.
  std::vector<double> numbers(std::optional<std::size_t> index, Units units) const {
    if (!index) return {};
    const TableColumn& column = table_.columns[*index];
    if (is_sexagesimal(column))
      fail("column " + column.name + " is in hours or degrees, minutes and seconds (" + column.unit +
           "); positions are in degrees with decimals: convert it");
    if (std::ranges::find(units, column.unit) == units.end())
      fail("column " + column.name + " is in '" + column.unit + "', and is to be in " + std::string(units[1]) +
           "; convert it");
    std::vector<double> values;
    std::visit([&](const auto& stored) { add_numbers(column.name, stored, values); }, column.values);
    return values;
  }

  /// Like numbers(), but throws Error{input} if a value is missing or infinite.
  std::vector<double> finite_numbers(std::optional<std::size_t> index, Units units) const {
    std::vector<double> values = numbers(index, units);
    for (std::size_t row = 0; row < values.size(); ++row)
      if (!std::isfinite(values[row]))
        fail_at(static_cast<std::int64_t>(row), "there is no finite number in column " + table_.columns[*index].name +
                                                    "; every row needs a position: give it one, or leave it out");
    return values;
  }

  std::vector<std::int32_t> whole_numbers(std::optional<std::size_t> index) const {
    if (!index) return {};
    const TableColumn& column = table_.columns[*index];
    if (const auto* whole = std::get_if<std::vector<std::int32_t>>(&column.values)) return *whole;
    fail("column " + column.name +
         " has other values than whole numbers of 32 bits; give it another name, under which "
         "it is carried along as it is");
  }

  /// Whether a column has numbers in degrees (not sexagesimal text).
  bool is_in_degrees(std::size_t index) const {
    const TableColumn& column = table_.columns[index];
    return !std::holds_alternative<std::vector<std::string>>(column.values) &&
           std::ranges::find(degree_units, column.unit) != degree_units.end();
  }

  const std::string& name(std::size_t index) const { return table_.columns[index].name; }

  /// The names of the table's columns for messages.
  std::string names() const {
    return first_few(table_.columns.size(), [&](std::size_t i) { return table_.columns[i].name; });
  }

  /// The table without these columns: positions and other columns that were used, columns with the name of any column
  /// that srcextract can write, and columns that name the HDU of a row.
  Table rest() && {
    std::vector<std::string> measured = column_names();
    measured.erase(measured.begin(), measured.begin() + std::ssize(column_groups()));
    for (const std::string& name : forced_columns(true, true)) measured.push_back(name);
    measured.insert(measured.end(), {vignet_column.name, "EXT_NUMBER", "EXTNAME"});
    Table left{{}, table_.rows};
    for (std::size_t i = 0; i < table_.columns.size(); ++i) {
      const std::string name = in_capitals(table_.columns[i].name);
      const std::string_view common = is_numbered(common_name(name)) ? common_name(name) : name;
      if (!taken_[i] && std::ranges::find(measured, common) == measured.end())
        left.columns.push_back(std::move(table_.columns[i]));
    }
    return left;
  }

 private:
  /// Whether srcextract writes several columns NAME, NAME_1, ... of this name. Others with a number at their end are
  /// the user's, as NUMBER_2 of a cross-match.
  static bool is_numbered(std::string_view name) {
    const auto repeats = [&](const DeclaredColumn& one) { return one.repeated && one.column.name == name; };
    return name.ends_with("_APER") || name.ends_with("IMAFLAGS_ISO") ||
           std::ranges::any_of(declared_columns(), repeats);
  }

  /// Whether the unit is one of VizieR's sexagesimal units, "h:m:s" or "d:m:s", which may be in quotes.
  static bool is_sexagesimal(const TableColumn& column) { return column.unit.find(":m") != std::string::npos; }

  template <class T>
  void add_numbers(const std::string& name, const std::vector<T>& stored, std::vector<double>& values) const {
    if constexpr (std::is_same_v<T, std::string>) {
      for (const std::string& text : stored) {
        const std::optional<double> number = text.empty() ? missing : finite_number(text);
        if (!number)
          fail_at(std::ssize(values), name + " is '" + text +
                                          "', which is no number; positions are in pixels, or in "
                                          "degrees with decimals");
        values.push_back(*number);
      }
    } else {
      values.assign(stored.begin(), stored.end());
    }
  }

  TableFile file_;
  const std::string& path_;
  Table table_;
  std::vector<bool> taken_;
};

void require_both(const PositionReader& table, std::optional<std::size_t> first, std::optional<std::size_t> second,
                  const std::string& names) {
  if (first.has_value() != second.has_value())
    table.fail("of " + names + " there is one without the other: both are needed");
}

/// Indices of two columns that together give a sky position.
struct SkyColumns {
  std::size_t alpha, delta;
};

/// The pairs of sky position columns: all pairs in degrees. If there are none, the first pair in another unit.
std::vector<SkyColumns> find_sky_columns(const PositionReader& table) {
  std::vector<SkyColumns> in_degrees, others;
  bool half = false;
  for (const SkyNames& names : sky_names) {
    const auto alpha = table.find(names.alpha), delta = table.find(names.delta);
    half = half || alpha.has_value() != delta.has_value();
    if (!alpha || !delta) continue;
    const bool usable = table.is_in_degrees(*alpha) && table.is_in_degrees(*delta);
    (usable ? in_degrees : others).push_back({*alpha, *delta});
  }
  if (in_degrees.empty() && others.empty() && half)
    table.fail("of " + std::string(all_sky_names) + ") there is one without the other: both are needed");
  if (in_degrees.empty() && !others.empty()) return {others.front()};
  return in_degrees;
}

/// Throws Error{input} if the positions in the pair `other` differ from those in the pair `mine`, which is used. Pairs
/// may differ because their epochs differ.
void require_same_places(const PositionReader& table, const PositionList& list, const SkyColumns& mine,
                         const SkyColumns& other) {
  const std::vector<double> alpha = table.numbers(other.alpha, degree_units);
  const std::vector<double> delta = table.numbers(other.delta, degree_units);
  for (std::size_t row = 0; row < alpha.size(); ++row) {
    const double east = std::remainder(alpha[row] - list.alpha[row], 360) * std::cos(list.delta[row] * to_radians);
    const double apart = std::hypot(east, delta[row] - list.delta[row]);
    if (!(apart > same_position)) continue;  // false also for NaN, where the other pair has no position
    table.fail_at(static_cast<std::int64_t>(row),
                  table.name(mine.alpha) + ", " + table.name(mine.delta) + " and " + table.name(other.alpha) + ", " +
                      table.name(other.delta) +
                      " are not the same position (are they of two epochs?); leave out those that are not meant, or "
                      "give them other names");
  }
}

void read_sky_places(PositionReader& table, PositionList& list) {
  const std::vector<SkyColumns> pairs = find_sky_columns(table);
  if (pairs.empty()) return;
  const SkyColumns& mine = pairs.front();
  list.alpha = table.finite_numbers(mine.alpha, degree_units);
  list.delta = table.finite_numbers(mine.delta, degree_units);
  table.take(mine.alpha);
  table.take(mine.delta);
  for (std::size_t row = 0; row < list.delta.size(); ++row)
    if (std::abs(list.delta[row]) > 90)
      table.fail_at(static_cast<std::int64_t>(row), "a declination is from -90 to 90 degrees");
  for (std::size_t i = 1; i < pairs.size(); ++i) require_same_places(table, list, mine, pairs[i]);
}

void read_places(PositionReader& table, PositionList& list) {
  const auto x = table.take({"X_IMAGE", "X"}), y = table.take({"Y_IMAGE", "Y"});
  require_both(table, x, y, "X_IMAGE and Y_IMAGE (or X, Y)");
  read_sky_places(table, list);
  if (!x && list.alpha.empty())
    table.fail(
        "there are no positions: columns X_IMAGE and Y_IMAGE (or X, Y: in pixels, the centre of the first is 1), or " +
        std::string(all_sky_names) + ": in degrees) are needed, and there are " + table.names());
  list.x = table.finite_numbers(x, pixel_units);
  list.y = table.finite_numbers(y, pixel_units);
}

void read_ellipses(PositionReader& table, PositionList& list) {
  const auto a = table.take({"A_IMAGE"}), b = table.take({"B_IMAGE"}), theta = table.take({"THETA_IMAGE"});
  const auto kron = table.take({"KRON_RADIUS"});
  const std::string names = "A_IMAGE, B_IMAGE and THETA_IMAGE";
  if (a.has_value() != b.has_value() || b.has_value() != theta.has_value())
    table.fail("of " + names + ", which are one ellipse, some are there without the others: all are needed, or none");
  if (kron && !a)
    table.fail("KRON_RADIUS is in units of an ellipse, and there is none: add " + names + ", or leave it out");
  list.a = table.numbers(a, pixel_units);
  list.b = table.numbers(b, pixel_units);
  list.theta = table.numbers(theta, degree_units);
  list.kron_radius = table.numbers(kron, no_units);
}

}  // namespace

PositionList read_positions(const std::string& path, std::int64_t room) {
  PositionReader table(path, room);
  PositionList list;
  list.path = path;
  list.rows = table.rows();
  read_places(table, list);
  read_ellipses(table, list);
  list.number = table.whole_numbers(table.take({"NUMBER"}));
  list.carried = std::move(table).rest();
  return list;
}

}  // namespace srcextract
