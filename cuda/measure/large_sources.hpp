#pragma once

#include "cuda/measure/measured_runs.hpp"
#include "cuda/measure/source_runs.hpp"

namespace srcextract {

/// Sums over the large sources; all blocks measure one together. Costs next to nothing where there is none.
void measure_large_sources(const SourceRuns& all, const MeasuredImage& image, SourceSums* sums, const Gpu& where);

}  // namespace srcextract
