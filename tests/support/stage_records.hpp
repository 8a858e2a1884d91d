#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "stages/core/stage_record.hpp"
#include "tests/support/same_bytes.hpp"

namespace srcextract::testing {

/// The values of a field in the n-th result of a stage.
inline std::vector<double> values_of(const StageRecord& record, const std::string& stage, const std::string& field,
                                     int n = 0) {
  for (const StageResult& result : record) {
    if (result.stage != stage || n-- > 0) continue;
    for (const StageField& one : result.fields)
      if (one.name == field)
        return std::visit([](const auto& all) { return std::vector<double>(all.begin(), all.end()); }, one.values);
  }
  ADD_FAILURE() << "no " << field << " of " << stage;
  return {};
}

/// Whether two records have the same results of every stage, to the last bit, in whatever order stages came; says where
/// they first differ.
inline ::testing::AssertionResult same_stages(StageRecord a, StageRecord b) {
  if (a.size() != b.size()) return ::testing::AssertionFailure() << a.size() << " results against " << b.size();
  const auto by_name = [](const auto& one, const auto& other) { return one.stage < other.stage; };
  std::stable_sort(a.begin(), a.end(), by_name);
  std::stable_sort(b.begin(), b.end(), by_name);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].stage != b[i].stage) return ::testing::AssertionFailure() << a[i].stage << " against " << b[i].stage;
    if (a[i].fields.size() != b[i].fields.size()) return ::testing::AssertionFailure() << a[i].stage << ": its fields";
    for (std::size_t k = 0; k < a[i].fields.size(); ++k) {
      const StageField &one = a[i].fields[k], &other = b[i].fields[k];
      const bool same = one.name == other.name && std::visit(
                                                      [&](const auto& values) {
                                                        using Values = std::remove_cvref_t<decltype(values)>;
                                                        const auto* theirs = std::get_if<Values>(&other.values);
                                                        return theirs != nullptr && same_bytes(values, *theirs);
                                                      },
                                                      one.values);
      if (!same) return ::testing::AssertionFailure() << a[i].stage << ": " << one.name;
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace srcextract::testing
