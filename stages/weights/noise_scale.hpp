#pragma once

#include "config/settings/background.hpp"
#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// What the roots of variances that are known but for a factor are to be multiplied by, so that they are the noise of
/// the image: SExtractor's WEIGHT scaling factor (2.25). The median, over the meshes of which there is one, of a mesh's
/// noise over the root of its variance, of the pixels that are masked in neither. 1 where nothing tells.
Value<double, Cpu> noise_scale(const Image<float, Cpu>& image, const Image<float, Cpu>& variance,
                               const SkyMesh<Cpu>& sky, const BackgroundConfig& config, const Cpu& where);
Value<double, Gpu> noise_scale(const Image<float, Gpu>& image, const Image<float, Gpu>& variance,
                               const SkyMesh<Gpu>& sky, const BackgroundConfig& config, const Gpu& where);

/// The same where there is one sky for the whole image: its noise over the root of the clipped mean of the variance.
Value<double, Cpu> noise_scale(const Value<Background, Cpu>& sky, const Value<Background, Cpu>& of_variance,
                               const Cpu& where);
Value<double, Gpu> noise_scale(const Value<Background, Gpu>& sky, const Value<Background, Gpu>& of_variance,
                               const Gpu& where);

/// Sets levels.noise_scale.
void set_noise_scale(Value<Levels, Cpu>& levels, const Value<double, Cpu>& scale, const Cpu& where);
void set_noise_scale(Value<Levels, Gpu>& levels, const Value<double, Gpu>& scale, const Gpu& where);

}  // namespace srcextract
