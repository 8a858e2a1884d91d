#pragma once

#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/settings/background.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// Returns the factor by which roots of a map's relative variances must be multiplied to give the noise of the image:
/// SExtractor's WEIGHT scaling factor (2.25). It is the median over meshes of noise / root of the variance. Pixels
/// masked in either image are left out. The factor is 1 if no mesh has such a ratio.
Value<double, Cpu> noise_scale(const Image<float, Cpu>& image, const Image<float, Cpu>& variance,
                               const SkyMesh<Cpu>& sky, const BackgroundConfig& config, const Cpu& where);
Value<double, Gpu> noise_scale(const Image<float, Gpu>& image, const Image<float, Gpu>& variance,
                               const SkyMesh<Gpu>& sky, const BackgroundConfig& config, const Gpu& where);

/// The same factor if the sky has one noise for the whole image: this noise divided by the root of the clipped mean
/// variance.
Value<double, Cpu> noise_scale(const Value<Background, Cpu>& sky, const Value<Background, Cpu>& of_variance,
                               const Cpu& where);
Value<double, Gpu> noise_scale(const Value<Background, Gpu>& sky, const Value<Background, Gpu>& of_variance,
                               const Gpu& where);

/// Sets levels.noise_scale.
void set_noise_scale(Value<Levels, Cpu>& levels, const Value<double, Cpu>& scale, const Cpu& where);
void set_noise_scale(Value<Levels, Gpu>& levels, const Value<double, Gpu>& scale, const Gpu& where);

}  // namespace srcextract
