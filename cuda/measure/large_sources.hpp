#pragma once

#include "cuda/measure/measured_runs.hpp"
#include "cuda/measure/source_runs.hpp"

namespace srcextract {

/// Sums the pixels of large sources, which have more than ordered_group runs (consecutive pixels of a row). All blocks
/// work together on every source. Costs almost no time if there are no large sources.
void measure_large_sources(const SourceRuns& all, const MeasuredImage& image, SourceSums* sums, const Gpu& where);

}  // namespace srcextract
