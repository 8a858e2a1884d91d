#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "stages/catalogue/sources.hpp"

namespace srcextract {

struct Settings;

/// Names of families of measurements (stages/photometry/families.hpp). A family is measured if a column that is made of
/// it is requested.
using FamilyNames = std::array<std::string_view, 3>;

/// A file of numbers that a measurement needs (Field::numbers).
struct NeededFile {
  std::string_view key = {};                              ///< the path of the key that names it; empty: none
  const std::string& (*name)(const Settings&) = nullptr;  ///< the value of this key
};

/// How the values of a column are stored: signed integers of 16, 32 or 64 bits, or doubles.
enum class ColumnType { int16, int32, int64, float64 };

/// The type that stores values of C++ type T.
template <class T>
constexpr ColumnType column_type() {
  static_assert(std::is_same_v<T, double> || std::is_integral_v<T>);
  if (std::is_same_v<T, double>) return ColumnType::float64;
  return sizeof(T) == 2 ? ColumnType::int16 : sizeof(T) == 4 ? ColumnType::int32 : ColumnType::int64;
}

/// The columns from which a column is computed. A column on the sky needs pixel columns: x and y of a position, then
/// the quantity to be transformed there: second moments (of x, of y, and both), or one length or area.
using ColumnNeeds = std::array<std::string_view, 5>;

/// A column that is in the catalogue only if `output.columns` requests it.
struct MeasuredColumn {
  Column column;
  FamilyNames families;   ///< what it is made of, and what those families use; none: the usual columns
  const char* group;      ///< its group in output.columns
  bool repeated = false;  ///< one column for each radius: NAME, NAME_1, NAME_2 ...
  ColumnType type = ColumnType::float64;
  ColumnNeeds needs = {};  ///< for a column on the sky, by the image's WCS (pipeline/extract/sky_columns.hpp)
  NeededFile file = {};    ///< without it there is no such column

  bool is_on_sky() const { return !needs[0].empty(); }
};

/// All such columns, in catalogue order. They are declared with their formulas in stages/photometry: a family's in its
/// header, others in source_columns.hpp and sky_columns.hpp; photometry_columns.cpp joins the lists.
std::span<const MeasuredColumn> measured_columns();

/// The words that stand for several columns: `default` for the columns written without a request, the groups of
/// measured_columns, and `all`.
std::vector<std::string> column_groups();

/// Every word that output.columns accepts, groups first.
std::vector<std::string> column_names();

/// The columns that `asked`, a list of words of column_names(), requests.
class ColumnChoice {
 public:
  explicit ColumnChoice(const std::vector<std::string>& asked);

  /// True if the column is to be written. Columns of several values go by their common name.
  bool has(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }
  /// True if a column of measured_columns() must be filled: it is to be written, or a column made of it is.
  bool fills(std::string_view name) const;
  /// True if a column that must be filled needs the family, directly or through another family.
  bool needs(std::string_view family) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace srcextract
