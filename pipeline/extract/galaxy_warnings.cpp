#include "pipeline/extract/galaxy_warnings.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stages/math/psf_model.hpp"
#include "stages/settings/psf.hpp"

namespace srcextract {
namespace {

/// The share of a star's light in the outermost pixel of radius of the PSF model, in the middle of its field.
double outer_light(const PsfModel& psf) {
  const double middle_x = (static_cast<double>(psf.columns) - 1) / 2,
               middle_y = (static_cast<double>(psf.rows) - 1) / 2;
  const double radius = std::min(psf.columns, psf.rows) * psf.step / 2;
  double all = 0, outer = 0;
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
    }
  return all > 0 ? outer / all : 0;
}

}  // namespace

void warn_of_galaxies(const Config& config, const Extraction& extraction, std::vector<std::string>& warnings) {
  if (!extraction.galaxies || extraction.galaxies->rows.empty()) return;
  // A PSF of a diffraction-limited telescope that is cut at 3 % of its light makes all galaxies 5 % too large.
  constexpr double most_outside = 0.005;
  const PsfModel psf(config.resources.numbers_of(psf_key)->data());
  if (const double outer = outer_light(psf); outer > most_outside)
    warnings.push_back(
        fmt::format("{}: the outermost ring of the PSF still has {:.2g} % of its light, so stars have more light "
                    "beyond, and galaxies "
                    "are fitted too large and too bright; make the PSF larger (PSF_SIZE of psfex)",
                    config.place_of(psf_key), 100 * outer));
  const auto& rows = extraction.galaxies->rows;
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
