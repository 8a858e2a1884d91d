#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/log/progress.hpp"
#include "stages/core/stage_record.hpp"

namespace srcextract {

/// How the two back ends' results of one stage compare.
struct StageComparison {
  std::string stage;
  std::int64_t elements = 0;    ///< values compared; where the sizes differ, the larger
  std::int64_t mismatches = 0;  ///< not equal to the last bit (NaN equals NaN), or beyond the column's tolerance
  std::string worst;            ///< the mismatch with the largest difference, both values in it; empty if none.
                                ///< Pixels, rows and runs are counted from 0, sources from 1
};

/// Whether two floating values of a column count as equal: to the last bit, both NaN, or within `tolerance` unless it
/// is 0.
bool values_agree(double cpu, double cuda, double tolerance);

/// Compares two records of the same image stage by stage, in the order of the pipeline. What an image went through
/// twice, as both sides of a difference do, is compared twice; what only one side has is a mismatch.
std::vector<StageComparison> compare_records(const StageRecord& cpu, const StageRecord& cuda);

bool all_equal(const std::vector<StageComparison>& comparison);

/// The table that a user sees, with a line of verdict that begins with `image`.
std::string format_comparison(const std::string& image, const std::vector<StageComparison>& comparison);

/// Prints the table of an image by that name, if back ends were compared. Throws Error{mismatch} if they differ.
void require_agreement(const std::string& name, const std::vector<StageComparison>& comparison,
                       const Progress& progress);

}  // namespace srcextract
