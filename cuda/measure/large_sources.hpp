#pragma once

#include "cuda/measure/measured_runs.hpp"
#include "cuda/measure/source_runs.hpp"

namespace srcextract {

/// Sums the pixels of large sources (those with more than ordered_group runs), with all blocks working on one source
/// together. Costs almost nothing if there are none.
void measure_large_sources(const SourceRuns& all, const MeasuredImage& image, SourceSums* sums, const Gpu& where);

}  // namespace srcextract
