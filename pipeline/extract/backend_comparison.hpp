#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/log/progress.hpp"
#include "stages/core/stage_record.hpp"

namespace srcextract {

/// Comparison of one stage's results from the CPU and from the GPU.
struct StageComparison {
  std::string stage;
  std::int64_t elements = 0;    ///< number of compared values; if the numbers differ, the larger of both
  std::int64_t mismatches = 0;  ///< number of values that are not bitwise equal (NaN equals NaN) or, if the column has
                                ///< a tolerance, differ by more
  std::string worst;  ///< the largest difference: position and both values; empty if all agree. Pixels, rows and runs
                      ///< are counted from 0, sources from 1
};

struct StepTime {
  std::string step;
  double seconds = 0;
};

/// Time that one back end takes for an image in memory.
struct BackendTimes {
  double seconds = 0;  ///< wall time from stored pixels in host memory to catalogue columns in host memory
  std::vector<StepTime> steps;
};

/// The comparison of both back ends on one image, and the times that they take without recording the results of stages.
struct BackendComparison {
  std::vector<StageComparison> stages;  ///< empty if the back ends were not compared
  BackendTimes cpu, cuda;
};

/// Whether two values of a floating-point column agree: both NaN, bitwise equal, or, if `tolerance` is positive,
/// different by at most `tolerance`.
bool values_agree(double cpu, double cuda, double tolerance);

/// Compares two records of the same image stage by stage, in the order of the pipeline. A stage that ran twice is
/// compared twice; in a difference image, both extractions have all stages. A result that only one record has is a
/// mismatch.
std::vector<StageComparison> compare_records(const StageRecord& cpu, const StageRecord& cuda);

bool all_equal(const std::vector<StageComparison>& comparison);

/// A table for users, and a line with the verdict that begins with `image`.
std::string format_comparison(const std::string& image, const std::vector<StageComparison>& comparison);

/// A table of the times on CPU and GPU, and of the speed-up of the GPU. Its rows are the steps that both back ends ran,
/// the sum of all steps but `ingest`, and the total time with transfers.
std::string format_times(const BackendTimes& cpu, const BackendTimes& cuda);

/// The time in seconds of all steps but `ingest`.
double seconds_resident(const BackendTimes& times);

/// Prints the tables of the image if the back ends were compared. Throws Error{mismatch} if their results differ.
void require_agreement(const std::string& name, const BackendComparison& comparison, const Progress& progress);

}  // namespace srcextract
