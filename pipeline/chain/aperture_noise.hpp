#pragma once

#include <optional>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/observer.hpp"

namespace srcextract {

/// Whether the noise of fluxes follows from empty apertures: then what add_aperture_noise takes has to be on the host.
bool measures_aperture_noise(const Config& config);

/// Tells `found` the noise of sums over apertures, if the configuration asks for it: the stage on the host, for both
/// back ends. `image` is the one that is measured, `variance` that of its pixels, and `found` has its mesh and levels
/// and the runs and labels of sources; where none were looked for, it keeps clear of what is 5 sigma above the sky in 5
/// pixels that touch. `known` has it from the first of two sides of an image, whose noise is the same, and else
/// receives it.
void add_aperture_noise(const Image<float, Cpu>& image, const Image<float, Cpu>& variance, const Config& config,
                        Detection<Cpu>& found, std::optional<ApertureNoise>& known, const Cpu& where,
                        StageClock& clock);

}  // namespace srcextract
