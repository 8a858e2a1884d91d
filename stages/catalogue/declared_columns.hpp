#pragma once

#include <algorithm>
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

/// Names of families, which are groups of columns that are measured together (stages/photometry/families.hpp). A family
/// is measured if a requested column is computed from it. The names exist as long as the program.
using FamilyNames = std::span<const std::string_view>;

/// A file of numbers (Field::numbers), such as a PSF, that a measurement needs.
struct NeededFile {
  /// path of the configuration key that names the file; empty: no file is needed
  std::string_view key = {};
  const std::string& (*name)(const Settings&) = nullptr;  ///< returns the value of this key, the name of the file
};

/// Type of the values of a column: a signed integer of 16, 32 or 64 bits, or a double.
enum class ColumnType { int16, int32, int64, float64 };

template <class T>
constexpr ColumnType column_type() {
  static_assert(std::is_same_v<T, double> || std::is_integral_v<T>);
  if (std::is_same_v<T, double>) return ColumnType::float64;
  return sizeof(T) == 2 ? ColumnType::int16 : sizeof(T) == 4 ? ColumnType::int32 : ColumnType::int64;
}

/// Names of the columns from which a column is computed. A column in sky units is computed from columns in pixels:
/// first x and y of a position, then the quantity to convert at this position. The quantity is a set of second moments
/// (x2, y2, xy), a length, or an area.
using ColumnNeeds = std::array<std::string_view, 5>;

/// The group of the columns that every catalogue contains.
inline constexpr const char* usual_group = "default";

/// The groups of columns of fitted galaxies (stages/galaxy): of the whole model, and of its components.
inline constexpr std::array<std::string_view, 3> model_groups = {"model", "spheroid", "disk"};

/// The declaration of a column. A column outside usual_group is filled only if the key `output.columns` requests the
/// column itself or another column that is computed from it.
struct DeclaredColumn {
  Column column;
  /// families that the column is computed from, and families that those use; empty for usual columns
  FamilyNames families = {};
  const char* group;  ///< group of the column, a word that output.columns accepts
  /// true: the measurement makes several columns NAME, NAME_1, NAME_2 ..., one per radius or fraction
  bool repeated = false;
  ColumnType type = ColumnType::float64;
  /// columns that a column in sky units is computed from (pipeline/extract/add_sky_columns.hpp)
  ColumnNeeds needs = {};
  NeededFile file = {};  ///< file without which the column cannot be measured

  bool is_usual() const { return std::string_view(group) == usual_group; }
  /// Whether a fit of galaxies (model.fit) makes the column.
  bool is_of_model() const {
    return std::ranges::count(model_groups, std::string_view(group)) > 0 || needs[0] == "XMODEL_IMAGE";
  }
  bool is_on_sky() const { return !needs[0].empty(); }
};

/// A column with the formula for its values. formula(of...) returns a value in the type that is written. If other code
/// reads the column, its name must be a ColumnKey with the same type.
template <class... Of>
struct ColumnOf {
  template <class T>
  using Formula = T (*)(const Of&...);
  template <class Value>
  using Result = std::invoke_result_t<Value, const Of&...>;

  DeclaredColumn declared;
  std::variant<Formula<double>, Formula<std::int16_t>, Formula<std::int32_t>, Formula<std::int64_t>> formula;

  /// `image` is the value of Column::image. `families` names the families from which the column is measured, and `file`
  /// the file that they need.
  template <class Name, class Value>
  constexpr ColumnOf(Name name, const char* unit, const char* ucd, const char* description, const char* group,
                     Value value, bool image = of_measured, FamilyNames families = {}, const NeededFile& file = {})
      : declared{.column = {name, unit, ucd, description, 0, image},
                 .families = families,
                 .group = group,
                 .type = column_type<Result<Value>>(),
                 .file = file},
        formula(static_cast<Formula<Result<Value>>>(value)) {
    if constexpr (requires { typename Name::Type; }) static_assert(std::is_same_v<typename Name::Type, Result<Value>>);
  }

  CatalogValues zeros(std::size_t rows) const {
    return std::visit([&]<class T>(Formula<T>) -> CatalogValues { return std::vector<T>(rows); }, formula);
  }
};

/// The full name of column `which`, counted from 0, among columns with the same common name: NAME, NAME_1, NAME_2 ...
inline std::string numbered(const char* name, std::size_t which) {
  return which == 0 ? name : std::string(name) + "_" + std::to_string(which);
}

/// Returns value(row) for every row from 0, in the type that value() returns.
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

/// Adds a column with the value value(formula, row) in each row. `which` counts columns with the same common name from
/// 0.
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

/// All columns that can be requested, in catalogue order. Each is declared with its formula: usual columns in
/// stages/measure/usual_columns.hpp, source_flags.hpp and stages/catalogue/position_columns.hpp, others in
/// stages/photometry. photometry_columns.cpp joins the lists.
std::span<const DeclaredColumn> declared_columns();

/// The words in output.columns that stand for several columns: the groups of declared_columns(), `default` first, and
/// `all`.
std::vector<std::string> column_groups();

/// Every word that output.columns accepts, except VIGNET(w,h): column_groups(), then the names of columns.
std::vector<std::string> column_names();

/// The columns requested by `asked`, a list of words of output.columns.
class ColumnChoice {
 public:
  explicit ColumnChoice(const std::vector<std::string>& asked);

  /// Whether `name`, a common name, is among the requested columns. NAME is the common name of NAME, NAME_1, NAME_2 ...
  bool has(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }
  /// Whether a column must be filled: it is requested, or a requested column is computed from it.
  bool fills(std::string_view name) const;
  /// Whether some column that must be filled is computed from this family, directly or through another family.
  bool needs(std::string_view family) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace srcextract
