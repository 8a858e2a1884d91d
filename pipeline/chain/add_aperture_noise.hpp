#pragma once

#include <optional>

#include "config/config.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/observer.hpp"

namespace srcextract {

/// Measures the noise of sums over empty apertures and stores the result in `found.noise`, if the configuration asks
/// for it (Plan::measures_aperture_noise). Runs on the CPU for both back ends.
///
/// `image` is the measured image. `variance` is measured_noise(): the variances of its pixels up to a factor, or an
/// image without pixels. `found` must have the sky mesh, the levels, and the runs and labels of sources. If sources
/// were not searched for, the apertures avoid pixels 5 sigma above the sky in groups of at least 5 pixels.
///
/// Sources brighter and fainter than the sky are measured in two passes with the same noise. `known` hands the result
/// of the first pass to the second.
void add_aperture_noise(const Image<float, Cpu>& image, const Image<float, Cpu>& variance, const Config& config,
                        Detection<Cpu>& found, std::optional<ApertureNoise>& known, const Cpu& where,
                        StageClock& clock);

}  // namespace srcextract
