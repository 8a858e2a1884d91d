#pragma once

#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/settings/background.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// The factor from the roots of variances, known only up to a factor, to the noise of the image: SExtractor's WEIGHT
/// scaling factor (2.25). The factor is the median over meshes of a mesh's noise over the root of its variance. Pixels
/// masked in either map take no part. 1 if no mesh has a ratio.
Value<double, Cpu> noise_scale(const Image<float, Cpu>& image, const Image<float, Cpu>& variance,
                               const SkyMesh<Cpu>& sky, const BackgroundConfig& config, const Cpu& where);
Value<double, Gpu> noise_scale(const Image<float, Gpu>& image, const Image<float, Gpu>& variance,
                               const SkyMesh<Gpu>& sky, const BackgroundConfig& config, const Gpu& where);

/// The factor for one sky of the whole image: its noise over the root of the clipped mean of the variance.
Value<double, Cpu> noise_scale(const Value<Background, Cpu>& sky, const Value<Background, Cpu>& of_variance,
                               const Cpu& where);
Value<double, Gpu> noise_scale(const Value<Background, Gpu>& sky, const Value<Background, Gpu>& of_variance,
                               const Gpu& where);

/// Sets levels.noise_scale.
void set_noise_scale(Value<Levels, Cpu>& levels, const Value<double, Cpu>& scale, const Cpu& where);
void set_noise_scale(Value<Levels, Gpu>& levels, const Value<double, Gpu>& scale, const Gpu& where);

}  // namespace srcextract
