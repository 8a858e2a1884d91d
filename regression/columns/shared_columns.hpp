#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/rules.hpp"
#include "regression/columns/catalog.hpp"

namespace srcextract {

/// Factor from one unit to another, if both are understood and of one kind.
using UnitFactor = std::function<std::optional<double>(const std::string& from, const std::string& to)>;

/// A reason against the new catalogue; the words stand by themselves.
struct Finding {
  std::string subject;  ///< a column, or "sources", "positions", "columns"
  std::string words;
};

/// The columns that can be compared, and what is to be said of the others.
struct SharedColumns {
  std::vector<SharedColumn> columns;
  std::vector<Finding> findings;
  std::vector<std::string> notes;  ///< no reasons against
};

/// The columns of both sides, in the reference's order, each with its error and its partner among them. What only one
/// side has, and units that are not the same, are findings and notes. FLAGS of two programs are left out: their bits
/// mean something else in each.
SharedColumns share_columns(const Catalog& reference, const Catalog& other, const CompareRules& rules,
                            const UnitFactor& unit_factor);

}  // namespace srcextract
