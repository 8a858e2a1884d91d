#include "pipeline/extract/crowd_warnings.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

#include "stages/math/psf_model.hpp"

namespace srcextract {

void warn_of_crowd(const Config& config, const Extraction& extraction, std::vector<std::string>& warnings) {
  if (!extraction.crowd) return;
  // Smallest radius of the PSF model in FWHM that gives no warning. In tests with a radius of 2 FWHM, a tenth of the
  // completeness at a given purity was lost; with 2.5 FWHM, nothing was lost.
  constexpr double least_widths = 2.4;
  const double saturation = config.resources.saturation;
  if (saturation > 0 && saturation <= extraction.sky_level())
    warnings.push_back(
        fmt::format("{}: the saturation of {:.6g} is not above the sky of {:.6g}, so every pixel of the sky is "
                    "taken for saturated and no star can be found; set it to the level of the detector, or "
                    "measurement.saturation_keyword to none",
                    config.place_of("measurement.saturation"), saturation, extraction.sky_level()));
  const PsfModel model(config.resources.numbers_of(psf_key)->data());
  const double reach = std::min(model.columns, model.rows) * model.step / 2;
  if (reach < least_widths * extraction.crowd->fwhm)
    warnings.push_back(
        fmt::format("{}: the PSF ends {:.3g} pixels from its middle, {:.2g} times its width: light of stars beyond is "
                    "taken for sky "
                    "and for faint stars; make one that is larger (PSF_SIZE of psfex), of {} times its width or more",
                    config.place_of(psf_key), reach, reach / extraction.crowd->fwhm, least_widths));
  if (config.measurement.gain == 0 && !has_map(config.weights))
    warnings.push_back(
        config.place_of("measurement.gain") +
        ": the gain is not known, so the photons of stars do not count in the noise: errors of bright stars "
        "are too small, and they pull at their neighbours; set it");
}

}  // namespace srcextract
