#include "stages/detect/detection_levels.hpp"

#include "cuda/device/launch.hpp"

namespace srcextract {

namespace {

__global__ void resolve_levels_kernel(const Background* background, const Background* detected,
                                      DetectionConfig detection, Baseline measured_from, bool noise_is_given,
                                      Levels* levels) {
  *levels = levels_of(*background, *detected, detection, measured_from, noise_is_given);
}

}  // namespace

Value<Levels, Gpu> resolve_levels(const Value<Background, Gpu>& background, const Value<Background, Gpu>& detected,
                                  double threshold, const Settings& config, const Gpu& where) {
  Value<Levels, Gpu> levels(where);
  resolve_levels_kernel<<<1, 1, 0, where.stream>>>(background.data(), detected.data(),
                                                   in_pixel_values(threshold, config), config.measurement.reference,
                                                   is_noise_given(config), levels.data());
  check_launch();
  return levels;
}

}  // namespace srcextract
