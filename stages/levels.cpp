#include <array>
#include <charconv>
#include <string>

#include "stages/core/error.hpp"
#include "stages/threshold.hpp"

namespace srcextract {

namespace {

std::string shortest(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace

Levels resolve_levels(const Background& background, const Config& config) {
  const auto level_of = [&](Reference reference) {
    return reference == Reference::background ? background.clipped.median : 0.0;
  };
  Levels levels;
  levels.background = level_of(config.measurement.reference);
  levels.sigma = background.clipped.sigma;
  if (config.detection.threshold_unit == ThresholdUnit::absolute) {
    levels.detection = config.detection.threshold;
    return levels;
  }
  if (levels.sigma == 0) {
    throw Error(ErrorKind::input,
                "the pixels that survive the clip are all equal (" + shortest(background.clipped.median) +
                    "), so sigma is 0 and a threshold in units of sigma means nothing; is this an empty or constant "
                    "image? If not, raise background.kappa, which may clip too much, or set "
                    "detection.threshold_unit to absolute");
  }
  levels.detection = level_of(config.detection.reference) + config.detection.threshold * levels.sigma;
  return levels;
}

}  // namespace srcextract
