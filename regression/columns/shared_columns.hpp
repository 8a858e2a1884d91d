#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/rules.hpp"
#include "regression/columns/catalog.hpp"

namespace srcextract {

/// The factor from one unit to another; empty if a unit is unknown or the units are of different kinds.
using UnitFactor = std::function<std::optional<double>(const std::string& from, const std::string& to)>;

/// A reason to reject the new catalogue. `words` say what is wrong with `subject`.
struct Finding {
  std::string subject;  ///< name of a column, or "sources", "positions", "columns"
  std::string words;
};

/// The columns that can be compared, and remarks about the other columns.
struct SharedColumns {
  std::vector<SharedColumn> columns;
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< remarks that are no reason to reject the catalogue
};

/// Lists the columns of both catalogues in the reference's order, with links to the columns of their errors and other
/// coordinates. Columns of only one catalogue become findings or notes. A differing unit becomes a finding if the
/// column has the same name in both files. If the catalogues are of different programs, FLAGS are left out, since their
/// bits mean different things. A column is also left out, with a note, if a built-in rule is in sigma and the
/// catalogues do not share the errors. Throws Error{config} if such a rule is the user's.
SharedColumns share_columns(const Catalog& reference, const Catalog& other, const CompareRules& rules,
                            const UnitFactor& unit_factor);

}  // namespace srcextract
