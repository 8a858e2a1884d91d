#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/rules.hpp"
#include "regression/catalog.hpp"
#include "regression/comparison.hpp"

namespace srcextract {

/// Factor from one unit to another, if both are understood and of one kind.
using UnitFactor = std::function<std::optional<double>(const std::string& from, const std::string& to)>;

/// The columns of both sides, in the reference's order, each with its error and its partner among them. What only one
/// side has, and units that are not the same, are findings and notes. FLAGS of two programs are left out: their bits
/// mean something else in each.
std::vector<SharedColumn> share_columns(const Catalog& reference, const Catalog& other, const CompareRules& rules,
                                        const UnitFactor& unit_factor, Comparison& result);

}  // namespace srcextract
