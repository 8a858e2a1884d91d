#include "pipeline/extract/galaxy_warnings.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stages/math/psf_model.hpp"
#include "stages/settings/psf.hpp"

namespace srcextract {
namespace {

/// What a PSF model says of itself, in the middle of its field.
struct PsfLimits {
  double outer = 0;   ///< share of a star's light in the outermost pixel of radius
  double finest = 0;  ///< transform at the finest wave of its samples, along x or y, over that at 0
};

PsfLimits limits_of(const PsfModel& psf) {
  const double middle_x = (static_cast<double>(psf.columns) - 1) / 2,
               middle_y = (static_cast<double>(psf.rows) - 1) / 2;
  const double radius = std::min(psf.columns, psf.rows) * psf.step / 2;
  double all = 0, outer = 0, wave_x = 0, wave_y = 0;
  for (int x = 0; x < psf.columns; ++x)
    for (int y = 0; y < psf.rows; ++y) {
      const double dx = (x - middle_x) * psf.step, dy = (y - middle_y) * psf.step, r = std::sqrt(dx * dx + dy * dy);
      double light = 0;
      for (int term = 0; term < psf.terms; ++term) {
        double factor = 1;
        for (int d = 0; d < psf.dimensions; ++d)
          if (psf.exponents()[term * PsfModel::most_dimensions + d] > 0) factor = 0;
        light += factor * psf.light()[std::int64_t{term} * psf.plane() + std::int64_t{x} * psf.rows + y];
      }
      all += light;
      if (r > radius - 1 && r <= radius) outer += light;
      wave_x += x % 2 == 0 ? light : -light;
      wave_y += y % 2 == 0 ? light : -light;
    }
  if (!(all > 0)) return {};
  return {outer / all, std::fmax(std::fabs(wave_x), std::fabs(wave_y)) / all};
}

/// Warns if most bright sources are not as the model says. Where the PSF fits, a model with a free index, or of two
/// parts, leaves over the noise of most of them.
void warn_of_misfits(const Config& config, const std::vector<GalaxyRow>& rows, std::vector<std::string>& warnings) {
  constexpr double bright = 100, most_chi2 = 1.5, most_of_them = 0.8;
  constexpr std::int64_t least = 20;
  const ModelConfig& model = config.model;
  if (!model.has_free_index() && !(model.has_spheroid() && model.has_disk())) return;
  std::int64_t all = 0, misfits = 0;
  for (const GalaxyRow& row : rows) {
    constexpr unsigned unfit = galaxy_cut | galaxy_few_pixels | galaxy_not_converged;
    const WithError total = row.total();
    if ((row.fit.flags & unfit) != 0 || !(total.value > bright * total.error)) continue;
    ++all;
    if (row.chi2() > most_chi2) ++misfits;
  }
  if (all < least || static_cast<double>(misfits) < most_of_them * static_cast<double>(all)) return;
  warnings.push_back(fmt::format(
      "{}: the models do not fit {} of {} sources with a S/N above {:.0f} (CHI2_MODEL above {}): they have structure, "
      "as arms and dust, or the PSF is not theirs, as on photographs, or the noise is larger than known{}; see what "
      "they "
      "leave over with output.check_images: [residual]",
      config.place_of("model.fit"), misfits, all, bright, most_chi2,
      config.measurement.gain > 0 || has_map(config.weights)
          ? ""
          : ": set measurement.gain, without which light has no photon noise"));
}

}  // namespace

void warn_of_galaxies(const Config& config, const Extraction& extraction, std::vector<std::string>& warnings) {
  if (!extraction.galaxies || extraction.galaxies->rows.empty()) return;
  // A PSF of a diffraction-limited telescope that is cut at 3 % of its light makes all galaxies 5 % too large.
  constexpr double most_outside = 0.005;
  const PsfModel psf(config.resources.numbers_of(psf_key)->data());
  // In steps of 1.0 and 1.1 pixels, a PSF 1.7 pixels wide has 0.08 and 0.13 left at the finest wave. Fluxes of stars
  // are then 0.7 and 1.0 % too high; in steps of 0.8 pixels, 0.02 and no change.
  constexpr double most_of_finest = 0.05, samples_in_width = 2.5;
  const PsfLimits limits = limits_of(psf);
  if (limits.finest > most_of_finest)
    warnings.push_back(
        fmt::format("{}: the PSF is given in steps of {:.3g} pixels, too coarse for it: {:.2g} % of its contrast is "
                    "left at the finest wave, where nothing should be. Fluxes of stars are then wrong by 1 % or more; "
                    "make the PSF in steps of {:.2g} pixels (PSF_SAMPLING of psfex)",
                    config.place_of(psf_key), psf.step, 100 * limits.finest,
                    std::fmin(psf.fwhm > 0 ? psf.fwhm / samples_in_width : psf.step / 2, psf.step / 1.5)));
  if (const double outer = limits.outer; outer > most_outside)
    warnings.push_back(
        fmt::format("{}: the outermost ring of the PSF still has {:.2g} % of its light, so stars have more light "
                    "beyond, and galaxies "
                    "are fitted too large and too bright; make the PSF larger (PSF_SIZE of psfex)",
                    config.place_of(psf_key), 100 * outer));
  const auto& rows = extraction.galaxies->rows;
  warn_of_misfits(config, rows, warnings);
  const auto cut = std::ranges::count_if(rows, [](const GalaxyRow& row) { return (row.fit.flags & galaxy_cut) != 0; });
  int side = galaxy_sides[0];
  for (const int one : galaxy_sides)
    if (one <= config.model.max_box) side = one;
  if (cut > 0)
    warnings.push_back(fmt::format(
        "{}: {} of {} sources are larger than the largest box, {} pixels, and were fitted by their middle (1 in "
        "FLAGS_MODEL): their sizes and fluxes are uncertain{}",
        config.place_of("model.max_box"), cut, rows.size(), side,
        config.model.max_box < 256 ? "; set model.max_box to 256" : ""));
}

}  // namespace srcextract
