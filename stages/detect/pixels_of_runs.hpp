#pragma once

#include <optional>
#include <utility>

#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// Copies the pixels of runs (stretches of foreground pixels) from two images whose rows are computed on demand
/// (stages/core/rows_on_demand.hpp), in one pass. Returns two images on demand that have only these pixels, so that
/// later stages need not compute the rows again.
///
/// If `near` is true, all other pixels are 0, except masked pixels of the image that are 8-neighbours of the copied
/// pixels, which are masked. If `near` is false, the values of other pixels are undefined.
///
/// Returns nothing if `first` is in memory as a whole, or if the pixels would take more than half of the memory
/// reserved for rows.
std::optional<std::pair<Image<float, Cpu>, Image<float, Cpu>>> pixels_of_runs(const Image<float, Cpu>& first,
                                                                              const Image<float, Cpu>& second,
                                                                              const Runs<Cpu>& runs, bool near,
                                                                              const Cpu& where);

/// Returns for each run the number of pixels in all runs before it; one more element is the end. The place of a pixel
/// in this order does not change when runs are cut.
Buffer<std::int64_t, Cpu> first_pixels(const Runs<Cpu>& runs, const Cpu& where);

}  // namespace srcextract
