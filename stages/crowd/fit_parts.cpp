#include "stages/crowd/fit_parts.hpp"

#include "stages/crowd/crowd_unit.hpp"
#include "stages/crowd/inject_stars.hpp"

namespace srcextract {

CrowdFit fit_parts(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config,
                   const std::vector<CrowdPlace>* places, CrowdPlanes kept, const FitWhole& fit) {
  const CrowdUnit unit(image);
  std::vector<float> converted;
  const CrowdImage in_unit = unit.convert(image, converted);
  CrowdFit found = fit_tiles(in_unit, psf, config, places, kept, fit);
  if (places == nullptr && config.inject > 0)
    inject_stars(in_unit, psf, config, found, [&](const std::vector<float>& pixels) {
      CrowdImage with_stars = in_unit;
      with_stars.pixels = pixels.data();
      return fit_tiles(with_stars, psf, config, places, CrowdPlanes::none, fit);
    });
  unit.restore(found);
  return found;
}

}  // namespace srcextract
