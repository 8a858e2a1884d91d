#pragma once

#include <span>

#include "pipeline/bands/band_plan.hpp"
#include "pipeline/image/open_image.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/machine/memory_budget.hpp"

namespace srcextract {

/// Finds sources in the detection image of the job, measures them in each of the bands, of which there is at least one,
/// and writes one catalogue (join_bands) and what else `config` asks for. The values are those that each band by itself
/// would give. All files are opened before a pixel is read, and nothing is written where one of them fails. Throws what
/// opening, extracting and writing images throw, which names the band that it is of.
void extract_bands(const Job& job, std::span<const Band> bands, const Config& config, const Machine& machine,
                   const MemoryBudget& budget, Progress progress);

}  // namespace srcextract
