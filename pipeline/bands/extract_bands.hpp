#pragma once

#include <functional>
#include <memory>

#include "pipeline/image/open_image.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/machine/memory_budget.hpp"

namespace srcextract {

/// Starts the watch over a piece of work; destroying the result ends the watch. Waiting for memory is not watched.
using Watch = std::function<std::shared_ptr<void>()>;

/// Finds sources in the detection image of a file with bands and measures them in each band's image, where `execution`
/// says. Writes one catalogue (join_bands) and the other outputs that the file's configuration asks for. The values
/// equal those of extracting each band by itself. All files are opened before a pixel is read, and nothing is written
/// if one fails. Throws the errors of opening, extracting and writing images; an error of a band's image names the
/// band.
ImageOutcome extract_bands(const Job& job, const ImageFile& file, Execution execution, MemoryBudget& budget,
                           Progress& progress, const Watch& watch);

}  // namespace srcextract
