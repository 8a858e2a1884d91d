#include "pipeline/chain/fit_models.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "pipeline/chain/fit_sources.hpp"
#include "pipeline/chain/plan.hpp"
#include "stages/core/parallel.hpp"
#include "stages/galaxy/fit_galaxies.hpp"
#include "stages/galaxy/galaxy_columns.hpp"
#include "stages/photometry/photometry_image.hpp"
#include "stages/settings/psf_numbers.hpp"
#include "stages/sky/mesh_rows.hpp"
#include "stages/weights/variance_pixel.hpp"

namespace srcextract {
namespace {

/// The variance of every pixel's sky: by the map of weights, else by the mesh, else that of the whole image. Bad pixels
/// of a map have the variance 0.
Image<float, Cpu> sky_variance(const Extraction& extraction, float least_bad, const Cpu& where) {
  const Shape& shape = extraction.check.above.shape;
  const SkyMesh<Cpu>& mesh = extraction.check.mesh;
  const Image<float, Cpu>& map = extraction.check.variance;
  const double scale = extraction.levels.noise_scale, sigma = extraction.levels.sigma;
  Image<float, Cpu> out(shape, where);
  parallel_for(shape.height, MeshRow::rows_at_once, where, [&](std::int64_t begin, std::int64_t end) {
    std::optional<MeshRow> rms;
    if (map.pixels.empty() && !mesh.rms.empty()) rms.emplace(MeshRow::of_rms(mesh));
    for (std::int64_t y = begin; y < end; ++y) {
      if (rms) rms->go_to(y);
      for (std::int64_t x = 0; x < shape.width; ++x) {
        const std::int64_t i = y * shape.width + x;
        double variance = sigma * sigma;
        if (!map.pixels.empty()) {
          const float own = map.pixels[i];
          variance = own > 0 && own < least_bad ? scale * scale * static_cast<double>(own) : 0;
        } else if (rms) {
          variance = static_cast<double>(rms->at(x)) * static_cast<double>(rms->at(x));
        }
        out.pixels[i] = static_cast<float>(variance);
      }
    }
  });
  return out;
}

}  // namespace

void fit_models(const Config& config, const Cpu& where, Extraction& extraction) {
  PhotometryImage noise{};
  set_noise(config, noise);
  noise.background = extraction.levels.background;
  complete_noise(extraction.levels, noise);
  const bool has_mesh = !extraction.check.mesh.level.empty();
  if (has_mesh) noise.saturation -= highest_level(extraction.background);
  const Image<float, Cpu> variance = sky_variance(
      extraction, least_bad_variance(least_bad_variance(config.weights), extraction.levels.noise_scale), where);
  // fluxes of models are total, so all light of the PSF counts, whatever psf.normalise says of FLUX_PSF
  std::vector<double> numbers = *config.resources.numbers_of(psf_key);
  normalise_psf(numbers);
  NoiseLaw law;
  if (extraction.aperture_noise) law = extraction.aperture_noise->law;
  if (extraction.shared_noise && extraction.shared_noise->in_errors) law.width = extraction.shared_noise->width;
  const GalaxyField field{.above = extraction.check.above,
                          .variance = variance,
                          .runs = extraction.runs,
                          .label = extraction.label,
                          .sources = extraction.sources,
                          .psf = PsfModel(numbers.data()),
                          .per_photon = noise.gain > 0 ? 1 / noise.gain : 0,
                          .law = law,
                          .saturation = noise.saturation};
  const bool shows = config.output.report || std::ranges::any_of(config.output.check_images, shows_model);
  extraction.galaxies = fit_galaxies(field, config.model, shows, where);
  add_galaxy_columns(extraction.galaxies->rows, extraction.galaxies->model, config.measurement,
                     ColumnChoice(config.output.columns), extraction.sources, where);
}

}  // namespace srcextract
