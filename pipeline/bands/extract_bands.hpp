#pragma once

#include <functional>
#include <memory>

#include "pipeline/image/open_image.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/machine/memory_budget.hpp"

namespace srcextract {

/// Who is told that work goes on, until what is returned is destroyed; of waiting for memory he is not.
using Watch = std::function<std::shared_ptr<void>()>;

/// Finds sources in the image of a file that has bands, measures them in each of these, where `execution` says, and
/// writes one catalogue (join_bands) and what else the configuration of the file asks for. The values are those that
/// each band by itself would give. All files are opened before a pixel is read, and nothing is written where one of
/// them fails. Throws what opening, extracting and writing images throw, which names the band that it is of.
ImageOutcome extract_bands(const Job& job, const ImageFile& file, const Execution& execution, MemoryBudget& budget,
                           Progress& progress, const Watch& watch);

}  // namespace srcextract
