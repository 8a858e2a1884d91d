#pragma once

#include <optional>
#include <utility>

#include "stages/core/image.hpp"
#include "stages/core/runs.hpp"

namespace srcextract {

/// Takes the pixels of runs out of two images whose rows are made on demand, in one pass. Stages that read no other
/// pixels then need not have rows made again. Returns images on demand that have only these pixels. With `near`, other
/// pixels are 0, or masked if they are 8-neighbours of these pixels and masked in the image. Without it their values
/// have no meaning. Returns nothing for images in memory as a whole, and for pixels that would take more than half the
/// memory for rows.
std::optional<std::pair<Image<float, Cpu>, Image<float, Cpu>>> pixels_of_runs(const Image<float, Cpu>& first,
                                                                              const Image<float, Cpu>& second,
                                                                              const Runs<Cpu>& runs, bool near,
                                                                              const Cpu& where);

}  // namespace srcextract
