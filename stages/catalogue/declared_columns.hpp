#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "stages/catalogue/sources.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {

struct Settings;

/// Names of families of measurements (stages/photometry/families.hpp). A family is measured if some requested column is
/// computed from it.
using FamilyNames = std::array<std::string_view, 3>;

/// A file of numbers (Field::numbers) that a measurement needs.
struct NeededFile {
  /// path of the key that names the file; empty: no file is needed
  std::string_view key = {};
  const std::string& (*name)(const Settings&) = nullptr;  ///< returns the value of this key: the name of the file
};

/// How the values of a column are stored: signed integers of 16, 32 or 64 bits, or doubles.
enum class ColumnType { int16, int32, int64, float64 };

/// The ColumnType for values of the C++ type T.
template <class T>
constexpr ColumnType column_type() {
  static_assert(std::is_same_v<T, double> || std::is_integral_v<T>);
  if (std::is_same_v<T, double>) return ColumnType::float64;
  return sizeof(T) == 2 ? ColumnType::int16 : sizeof(T) == 4 ? ColumnType::int32 : ColumnType::int64;
}

/// The columns from which a column is computed. A column in sky units needs columns in pixels: x and y of a position,
/// then what is to be converted at that position: second moments (x2, y2, xy), one length, or one area.
using ColumnNeeds = std::array<std::string_view, 5>;

/// The group of the usual columns, which are written without a request.
inline constexpr const char* usual_group = "default";

/// The declaration of a column. A column of another group than usual_group is filled only if `output.columns` requests
/// it, or a column that is computed from it.
struct DeclaredColumn {
  Column column;
  FamilyNames families;   ///< families from which it is computed, and those that they use; none: usual columns
  const char* group;      ///< its group in output.columns
  bool repeated = false;  ///< true: one column per radius or fraction, NAME, NAME_1, NAME_2 ...
  ColumnType type = ColumnType::float64;
  ColumnNeeds needs = {};  ///< for a column in sky units (pipeline/extract/add_sky_columns.hpp)
  NeededFile file = {};    ///< file without which there is no such column

  bool is_usual() const { return std::string_view(group) == usual_group; }
  bool is_on_sky() const { return !needs[0].empty(); }
};

/// A column, declared together with the formula for its value, formula(of...), in the type that is written. If code
/// reads the column, its name must be a ColumnKey of that type.
template <class... Of>
struct ColumnOf {
  template <class T>
  using Formula = T (*)(const Of&...);
  template <class Value>
  using Result = std::invoke_result_t<Value, const Of&...>;

  DeclaredColumn declared;
  std::variant<Formula<double>, Formula<std::int16_t>, Formula<std::int32_t>, Formula<std::int64_t>> formula;

  /// `image` is Column::image. A column of a family of measurements names the family in `families`, and the family's
  /// file in `file`.
  template <class Name, class Value>
  constexpr ColumnOf(Name name, const char* unit, const char* ucd, const char* description, const char* group,
                     Value value, bool image = of_measured, const FamilyNames& families = {},
                     const NeededFile& file = {})
      : declared{{name, unit, ucd, description, 0, image},
                 families,
                 group,
                 false,
                 column_type<Result<Value>>(),
                 {},
                 file},
        formula(static_cast<Formula<Result<Value>>>(value)) {
    if constexpr (requires { typename Name::Type; }) static_assert(std::is_same_v<typename Name::Type, Result<Value>>);
  }

  /// Returns `rows` values, all 0, in the type of the column.
  CatalogValues zeros(std::size_t rows) const {
    return std::visit([&]<class T>(Formula<T>) -> CatalogValues { return std::vector<T>(rows); }, formula);
  }
};

/// The name of the column number `which`, from 0, among columns of one kind: NAME, NAME_1, NAME_2 ...
inline std::string numbered(const char* name, std::size_t which) {
  return which == 0 ? name : std::string(name) + "_" + std::to_string(which);
}

/// Returns value(row) for all rows, as values of the type that value() returns.
template <class Value>
CatalogValues values_of(std::size_t rows, const Cpu& where, const Value& value) {
  constexpr std::int64_t rows_at_a_time = 2048;
  std::vector<std::invoke_result_t<Value, std::size_t>> values(rows);
  parallel_for(std::ssize(values), rows_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row)
      values[row] = value(row);
  });
  return values;
}

/// Adds a column with value(formula, row) in each row. `which` is its number among columns with the same name, from 0.
template <class... Of, class Value>
void add_column(const ColumnOf<Of...>& column, CatalogPart part, Sources& sources, const Cpu& where, const Value& value,
                std::size_t which = 0) {
  const auto rows = static_cast<std::size_t>(sources.size());
  const auto fill = [&](auto formula) {
    return values_of(rows, where, [&](std::size_t row) { return value(formula, row); });
  };
  sources.add(
      {column.declared.column, numbered(column.declared.column.name, which), std::visit(fill, column.formula), part});
}

/// All columns that can be requested, in catalogue order. They are declared with their formulas: the usual ones in
/// stages/measure/usual_columns.hpp, source_flags.hpp and stages/catalogue/position_columns.hpp, others in
/// stages/photometry, where photometry_columns.cpp joins the lists.
std::span<const DeclaredColumn> declared_columns();

/// The words for several columns in output.columns: the groups of declared_columns, `default` first, and `all`.
std::vector<std::string> column_groups();

/// Every word that output.columns accepts, groups first.
std::vector<std::string> column_names();

/// The columns requested by `asked`, a list of words from column_names().
class ColumnChoice {
 public:
  explicit ColumnChoice(const std::vector<std::string>& asked);

  /// Whether the column is to be written. Columns NAME, NAME_1 ... have the common name NAME.
  bool has(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }
  /// Whether a column must be filled: it is to be written, or a column computed from it is.
  bool fills(std::string_view name) const;
  /// Whether some column that must be filled needs this family, directly or through another family.
  bool needs(std::string_view family) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace srcextract
