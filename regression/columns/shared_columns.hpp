#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/rules.hpp"
#include "regression/columns/catalog.hpp"

namespace srcextract {

/// Factor from one unit to another, if both are known and of one kind.
using UnitFactor = std::function<std::optional<double>(const std::string& from, const std::string& to)>;

/// A reason to reject the new catalogue, about `subject`; the words are a complete text.
struct Finding {
  std::string subject;  ///< a column, or "sources", "positions", "columns"
  std::string words;
};

/// The columns that can be compared, and remarks on the other columns.
struct SharedColumns {
  std::vector<SharedColumn> columns;
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< remarks that are no findings
};

/// Lists the columns of both sides in the reference's order, linked to their errors and other coordinates. Columns that
/// only one side has and differing units become findings or notes. FLAGS of two different programs are left out, since
/// their bits differ in meaning.
SharedColumns share_columns(const Catalog& reference, const Catalog& other, const CompareRules& rules,
                            const UnitFactor& unit_factor);

}  // namespace srcextract
