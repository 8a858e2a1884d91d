#pragma once

#include <functional>
#include <memory>

#include "pipeline/image/open_image.hpp"
#include "pipeline/log/progress.hpp"
#include "pipeline/machine/backend.hpp"
#include "pipeline/machine/memory_budget.hpp"

namespace srcextract {

/// Starts the time limit of a piece of work. Destroying the result ends the timed work. Waiting for memory is not
/// timed.
using Watch = std::function<std::shared_ptr<void>()>;

/// Finds sources in the detection image of a file with bands and measures them in the image of each band. Writes one
/// catalogue for all bands (join_bands) and the other outputs that the file's configuration asks for.
///
/// The values equal those of extracting each band by itself with the same detection image. All files are opened before
/// a pixel is read. If one band fails, no output is written.
///
/// `execution`: the GPU or the CPU threads that do the work. Throws the errors of opening, extracting and writing
/// images. The error of a band's image names the band.
ImageOutcome extract_bands(const Job& job, const ImageFile& file, Execution execution, MemoryBudget& budget,
                           Progress& progress, const Watch& watch);

}  // namespace srcextract
