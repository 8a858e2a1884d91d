#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/log/progress.hpp"
#include "stages/core/stage_record.hpp"

namespace srcextract {

/// Comparison of both back ends' results of one stage.
struct StageComparison {
  std::string stage;
  std::int64_t elements = 0;    ///< number of compared values; if sizes differ, the larger size
  std::int64_t mismatches = 0;  ///< values not bitwise equal (NaN equals NaN), or beyond the column's tolerance
  std::string worst;            ///< where the difference is largest, and both values; empty if none. Pixels, rows and
                                ///< runs are counted from 0, sources from 1
};

/// Wall time of one step.
struct StepTime {
  std::string step;
  double seconds = 0;
};

/// How long one back end takes for an image in memory.
struct BackendTimes {
  double seconds = 0;  ///< from stored pixels, on the host, to catalogue columns on the host
  std::vector<StepTime> steps;
};

/// Both back ends on one image: their results, and how long they take for it without recording them.
struct BackendComparison {
  std::vector<StageComparison> stages;  ///< empty if back ends were not compared
  BackendTimes cpu, cuda;
};

/// Whether two floating-point values of a column agree: bitwise, both NaN, or, if `tolerance` is above 0, within it.
bool values_agree(double cpu, double cuda, double tolerance);

/// Compares two records of the same image stage by stage, in the order of the pipeline. A stage that ran twice, as for
/// both sides of a difference, is compared twice. A result that only one record has is a mismatch.
std::vector<StageComparison> compare_records(const StageRecord& cpu, const StageRecord& cuda);

bool all_equal(const std::vector<StageComparison>& comparison);

/// The table for users, and a line with the verdict, which begins with `image`.
std::string format_comparison(const std::string& image, const std::vector<StageComparison>& comparison);

/// A table of times on CPU and CUDA and of the speed-up of CUDA. It has every step that both took, all steps but
/// `ingest`, and the whole with transfers.
std::string format_times(const BackendTimes& cpu, const BackendTimes& cuda);

/// The time of all steps but `ingest`.
double seconds_resident(const BackendTimes& times);

/// Prints the image's tables, if back ends were compared. Throws Error{mismatch} if they differ.
void require_agreement(const std::string& name, const BackendComparison& comparison, const Progress& progress);

}  // namespace srcextract
