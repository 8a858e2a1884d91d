#pragma once

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "stages/core/stage_record.hpp"

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

}  // namespace srcextract::testing
