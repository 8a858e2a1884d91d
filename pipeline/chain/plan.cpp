#include "pipeline/chain/plan.hpp"

#include <algorithm>
#include <iterator>

#include "stages/catalogue/vignets.hpp"

namespace srcextract {
namespace {

template <class Is>
bool shows_any(const Config& config, const Is& is) {
  return std::ranges::any_of(config.output.check_images, is);
}

/// Number of planes that the section `combine` of a configuration names, or a guess of 3 if it names none.
std::int64_t planes_named(const CombineConfig& combine) {
  constexpr std::int64_t usual_planes = 3;
  const auto named = std::ssize(combine.planes) + std::ssize(combine.hdus) +
                     (combine.files.empty() ? 0 : std::ssize(combine.files) + 1);
  return named > 0 ? named : usual_planes;
}

}  // namespace

bool Plan::keeps_segmentation() const {
  const bool cuts_out = vignet_size(config.output.columns).any() && config.measurement.mask != MaskNeighbours::none;
  const bool of_objects = shows_any(config, [](CheckImage image) {
    return image == CheckImage::objects || image == CheckImage::minus_objects || image == CheckImage::islands;
  });
  return config.kept.segmentation || fits_gaussians(config) || fits_galaxies(config) || config.output.segmentation ||
         (config.output.report && !fits_crowd(config)) || of_objects || cuts_out || has_flags(config.flags) ||
         (config.output.quicklook && config.quicklook.overlay == Overlay::pixels);
}

bool Plan::keeps_images() const {
  return !config.output.check_images.empty() || shows_pixels();
}

bool Plan::shows_pixels() const {
  return fits_gaussians(config) || fits_galaxies(config) || config.output.report || !config.output.alerts.empty() ||
         vignet_size(config.output.columns).any() || shows_any(config, [](CheckImage image) {
           return image == CheckImage::minus_background || image == CheckImage::filtered ||
                  image == CheckImage::objects || image == CheckImage::minus_objects || image == CheckImage::snr ||
                  image == CheckImage::residual || image == CheckImage::apertures;
         });
}

bool Plan::shows_foreground() const {
  return shows_any(config, [](CheckImage image) { return srcextract::shows_foreground(image); });
}

bool Plan::shows_variance() const {
  return has_map(config.weights) &&
         (fits_gaussians(config) || fits_galaxies(config) || config.kept.sky || config.output.report ||
          shows_any(config, [](CheckImage image) { return image == CheckImage::rms || image == CheckImage::snr; }));
}

Plan plan_of(const Exposure& exposure, const Config& config) {
  Plan plan(config);
  plan.shape = exposure.shape();
  plan.planes = std::ssize(exposure.planes);
  plan.reference_planes = exposure.reference ? std::ssize(exposure.reference->planes) : 0;
  plan.frames_have_maps = plan.of_difference() && frames_have_maps(config);
  return plan;
}

Plan plan_of(const Shape& shape, const Config& config, bool of_difference, const Config* found_in) {
  Plan plan(config);
  plan.shape = shape;
  plan.planes = planes_named(config.combine);
  plan.reference_planes = of_difference ? 1 : 0;
  plan.found_in = found_in;
  if (found_in != nullptr) plan.found_planes = planes_named(found_in->combine);
  return plan;
}

}  // namespace srcextract
