#pragma once

#include <optional>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/observer.hpp"

namespace srcextract {

/// Whether the configuration asks for the noise of fluxes, measured in empty apertures. The input of add_aperture_noise
/// must then be on the host.
bool measures_aperture_noise(const Config& config);

/// Measures the noise of sums over apertures and stores it in `found`, if the configuration asks for it. The stage runs
/// on the host for both back ends. `variance` is the variance of each pixel of `image`, the measured image. `found` has
/// the mesh, the levels, and the runs and labels of sources. If sources were not searched, the apertures avoid pixels 5
/// sigma above the sky in groups of at least 5. `known` carries the result from the first side (brighter or fainter
/// sources) to the second, which has the same noise.
void add_aperture_noise(const Image<float, Cpu>& image, const Image<float, Cpu>& variance, const Config& config,
                        Detection<Cpu>& found, std::optional<ApertureNoise>& known, const Cpu& where,
                        StageClock& clock);

}  // namespace srcextract
