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

/// A reason to reject the new catalogue; the words are complete in themselves.
struct Finding {
  std::string subject;  ///< a column, or "sources", "positions", "columns"
  std::string words;
};

/// The comparable columns, and remarks on the others.
struct SharedColumns {
  std::vector<SharedColumn> columns;
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< remarks that are no findings
};

/// The columns of both sides in the reference's order, linked to their errors and other coordinates. Columns of only
/// one side and differing units become findings and notes. FLAGS of two different programs are left out, since their
/// bits differ in meaning.
SharedColumns share_columns(const Catalog& reference, const Catalog& other, const CompareRules& rules,
                            const UnitFactor& unit_factor);

}  // namespace srcextract
