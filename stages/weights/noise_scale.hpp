#pragma once

#include "stages/core/image.hpp"
#include "stages/core/value.hpp"
#include "stages/detect/threshold.hpp"
#include "stages/settings/background.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/mesh.hpp"

namespace srcextract {

/// Returns the factor that converts square roots of a map's relative variances to the noise of the image: SExtractor's
/// WEIGHT scaling factor (version 2.25). The factor is the median over meshes of the noise divided by the square root
/// of the variance. Pixels that are masked in either image are left out. The factor is 1 if no mesh has a positive
/// ratio.
Value<double, Cpu> noise_scale(const Image<float, Cpu>& image, const Image<float, Cpu>& variance,
                               const SkyMesh<Cpu>& sky, const BackgroundConfig& config, const Cpu& where);
Value<double, Gpu> noise_scale(const Image<float, Gpu>& image, const Image<float, Gpu>& variance,
                               const SkyMesh<Gpu>& sky, const BackgroundConfig& config, const Gpu& where);

/// Returns that scaling factor for a sky with one noise for the whole image: this noise divided by the square root of
/// the clipped mean variance.
Value<double, Cpu> noise_scale(const Value<Background, Cpu>& sky, const Value<Background, Cpu>& of_variance,
                               const Cpu& where);
Value<double, Gpu> noise_scale(const Value<Background, Gpu>& sky, const Value<Background, Gpu>& of_variance,
                               const Gpu& where);

void set_noise_scale(Value<Levels, Cpu>& levels, const Value<double, Cpu>& scale, const Cpu& where);
void set_noise_scale(Value<Levels, Gpu>& levels, const Value<double, Gpu>& scale, const Gpu& where);

}  // namespace srcextract
