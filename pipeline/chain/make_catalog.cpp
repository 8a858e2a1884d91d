#include "pipeline/chain/make_catalog.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stages/catalogue/vignets.hpp"
#include "stages/convolve/detection_filter.hpp"
#include "stages/core/masked_pixel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/crowd/crowd_columns.hpp"
#include "stages/detect/no_sky.hpp"
#include "stages/math/median.hpp"
#include "stages/measure/columns.hpp"
#include "stages/measure/saturation.hpp"
#include "stages/measure/shared_noise.hpp"
#include "stages/photometry/noise_of_sums.hpp"
#include "stages/photometry/photometry_columns.hpp"

namespace srcextract {

namespace {

void subtract_constant(const Background& sky, Image<float, Cpu>& image, const Cpu& where) {
  const auto level = static_cast<float>(sky.clipped.median);
  change_own_rows(image, where, [level, width = image.shape.width](float* rows, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin * width; i < end * width; ++i) rows[i] = pixel_of(rows[i] - level);
  });
}

/// Copies the runs that the check images `threshold` and `morphology` show.
void copy_foreground(const Detection<Cpu>& found, const Config& config, const Cpu& where, CheckData& check) {
  for (const CheckImage image : config.output.check_images) {
    if (image == CheckImage::threshold) check.thresholded.push_back(copy_of(thresholded_runs(found), where));
    if (image == CheckImage::morphology) check.reshaped.push_back(copy_of(labelled_runs(found), where));
  }
}

/// Moves the data that check images show out of `found`. If the sky is one level, subtracts it from the images first.
CheckData check_data(Detection<Cpu>& found, const Config& config, const Cpu& where) {
  const Detection<Cpu>& in = found.found_in != nullptr ? found.found_in->found : found;
  if (found.mesh.level.empty()) subtract_constant(*found.background, found.above, where);
  if (in.mesh.level.empty() && !found.image.pixels.empty()) subtract_constant(*in.background, found.image, where);
  CheckData check;
  copy_foreground(found, config, where, check);
  check.mesh = std::move(found.mesh);
  check.above = std::move(found.above);
  check.filtered = std::move(found.image);
  return check;
}

template <class Row>
std::span<const Row> all_of(const Buffer<Row, Cpu>& rows) {
  return {rows.begin(), rows.end()};
}

const SkyMesh<Cpu>* mesh_of(const Detection<Cpu>& found) {
  return found.mesh.level.empty() ? nullptr : &found.mesh;
}

/// The noise of the image in which sources were found; null if thresholds are not multiples of it.
const SkyMesh<Cpu>* filtered_of(const Detection<Cpu>& found) {
  return found.filtered.rms.empty() ? nullptr : &found.filtered;
}

/// The noise that pixels share in the image in which sources were found; none if no filter was used, or if the noise
/// of the result is not that of lower_noise().
std::optional<SharedNoise> shared_noise_of(const Detection<Cpu>& found, const Config& config) {
  const Levels& levels = *found.levels;
  if (found.filtered.rms.empty() || !config.convolve.filters() || Plan(config).is_scored()) return {};
  if (!(levels.filtered > 0 && levels.sigma > 0)) return {};
  const DetectionFilter filter = filter_of(config.convolve);
  SharedNoise noise{.factor = levels.filtered / levels.sigma / filter.white_noise()};
  noise.width = shared_noise_width(filter.noise_kernel(), noise.factor);
  return noise;
}

/// The law by which errors of sums grow; none if pixels count as independent. Describes in `out` what it follows.
std::optional<NoiseLaw> noise_law_of(Detection<Cpu>& found, const Config& config, Extraction& out) {
  const bool elsewhere = found.found_in != nullptr;
  out.shared_noise =
      elsewhere ? shared_noise_of(found.found_in->found, *found.found_in->config) : shared_noise_of(found, config);
  if (found.noise) {
    out.aperture_noise = std::move(found.noise);
    return out.aperture_noise->law;
  }
  if (config.measurement.noise != NoiseOfSums::correlated || elsewhere || !out.shared_noise) return {};
  out.shared_noise->in_errors = true;
  if (out.shared_noise->width == 0) return {};
  return NoiseLaw{.width = out.shared_noise->width};
}

/// Throws Error{input} if every pixel is masked, and a weight map, a mask or a map of the sky level masks some of them.
/// An image whose own pixels are all invalid is reported by check_background().
void check_not_all_masked(const MaskCounts& masked, const Shape& shape) {
  if (masked.total() < shape.count() || masked.weight + masked.mask + masked.level == 0) return;
  throw NoSky("every pixel is masked: " + std::to_string(masked.weight) + " by the map of weights, " +
              std::to_string(masked.mask) + " by the mask, " + std::to_string(masked.level) +
              " by background.level, and " + std::to_string(masked.nan + masked.infinite + masked.blank) +
              " that are NaN, infinite or BLANK: there is no sky to measure; is it the right map "
              "(weights.hdu, weights.type, weights.threshold, mask.hdu, mask.bits, "
              "background.level, background.level_hdu)?");
}

bool may_be_saturated(const MeasurementConfig& config) {
  return config.saturation > 0 || config.saturation_keyword != "none";
}

PixelNoise known_noise(const Config& config) {
  return has_map(config.weights) ? PixelNoise::of_map : PixelNoise::of_sky;
}

const Background& sky_of_image(const Detection<Cpu>& found) {
  return found.mesh.level.empty() ? *found.background : *found.whole;
}

/// The local sky of each source; empty if no local sky was measured.
std::vector<double> local_skies(const Photometry<Cpu>& photometry) {
  std::vector<double> skies;
  for (const FrameSky& one : photometry.of<FrameSkyFamily>().rows) skies.push_back(one.sky);
  return skies;
}

/// The photon noise of the pixels of each source; empty if photon noise is computed from the flux instead.
std::vector<double> photons_of(const Photometry<Cpu>& photometry, std::span<const SourceSums> sums) {
  std::vector<double> photons;
  for (const IsophotePhotons& one : photometry.of<IsophotePhotonFamily>().rows)
    photons.push_back(one.of(sums[photons.size()].v));
  return photons;
}

/// Dual-image mode: takes the column THRESHOLD from the detection image. Converts the noise of positions, which was
/// measured in the detection image, to the unit of the measured image.
///
/// `measured` has the sums of the sources, and `calibration` belongs to the measured image.
void add_found_in(const FoundSky& in, MeasuredSums measured, const Shape& shape, const Config& config, const Cpu& where,
                  std::span<const FluxCalibration> calibration, Photometry<Cpu>& photometry, Extraction& out) {
  measured.fluxes = {};
  measured.local_sky = {};
  measured.photons = {};
  measured.variances = all_of(in.found.variances);
  measured.least_variance = all_of(in.found.least_variance);
  measured.mesh = mesh_of(in.found);
  measured.filtered = filtered_of(in.found);
  measured.noise_varies = Plan(*in.config).noise_varies();
  measured.variances_of = known_noise(*in.config);
  std::vector<FluxCalibration> of_found(calibration.size());
  out.sources[columns::threshold] = std::move(
      derive_columns(measured, shape, *in.found.levels, config.measurement, where, of_found)[columns::threshold]);
  express_found_noise(of_found, calibration, photometry);
  out.found_in = {sky_of_image(in.found), *in.found.levels, in.masked};
}

}  // namespace

void check_detection_image(const FoundSky& in, const Shape& shape) {
  try {
    check_not_all_masked(in.masked, shape);
    check_background(sky_of_image(in.found), *in.config);
    check_levels(*in.found.levels, sky_of_image(in.found), *in.config);
  } catch (const NoSky& error) {
    throw NoSky(std::string("the detection image: ") + error.what(), error.sky());
  }
}

Extraction make_catalog(Detection<Cpu>&& found, std::span<const SourceSums> sums, const MaskCounts& masked,
                        const Shape& shape, const Config& config, const Cpu& where, StageClock& clock) {
  const Plan plan(config);
  check_not_all_masked(masked, shape);
  const auto drop_image = [](auto part, auto& one) {
    if constexpr (part.kind == PartKind::image) one = {};
  };
  if (!plan.keeps_images()) for_each_part(drop_image, found);  // frees memory for the rows of the catalogue
  Extraction out;
  out.background = sky_of_image(found);
  check_background(out.background, config);
  out.levels = *found.levels;
  if (!found.found_in) check_levels(out.levels, out.background, config);
  out.masked = masked;
  out.detected = found.components.counts->found;
  MeasuredSums measured{sums,
                        all_of(found.fluxes),
                        all_of(found.variances),
                        mesh_of(found),
                        filtered_of(found),
                        plan.noise_varies(),
                        known_noise(config),
                        config.deblend.method != DeblendMethod::none,
                        all_of(found.parentage),
                        cleans_sources(config),
                        all_of(found.cleaned.own_sums)};
  measured.least_variance = all_of(found.least_variance);
  if (config.detection.analysis_threshold != 0) measured.areas = all_of(found.areas);
  const std::vector<double> skies = local_skies(found.photometry);
  measured.local_sky = skies;
  const std::vector<double> photons = photons_of(found.photometry, measured.fluxes.empty() ? sums : measured.fluxes);
  measured.photons = photons;
  const bool usual = config.output.columns == OutputConfig{}.columns;
  if (const std::optional<NoiseLaw> law = noise_law_of(found, config, out)) {
    measured.noise_law = *law;
    scale_noise(*law, config, found.photometry);
  }
  std::vector<FluxCalibration> calibration(usual ? 0 : sums.size());
  out.sources = derive_columns(measured, shape, out.levels, config.measurement, where, calibration);
  if (found.found_in != nullptr)
    add_found_in(*found.found_in, measured, shape, config, where, calibration, found.photometry, out);
  if (!usual) add_measured_columns(found.photometry, calibration, config, out.sources, where);
  if (found.crowd) {
    add_crowd_columns(found.crowd->rows, config.measurement.zero_point, config.crowd.inject > 0, out.sources, where);
    out.crowd = std::move(found.crowd);
  } else if (may_be_saturated(config.measurement)) {
    out.brightest = brightest_pixels(found.fluxes.empty() ? sums : all_of(found.fluxes), mesh_of(found), where);
  }
  clock.done("columns", out.sources);
  if (plan.keeps_images())
    out.check = check_data(found, config, where);
  else
    out.check.mesh = std::move(found.mesh);
  if (plan.keeps_segmentation()) {
    out.runs = std::move(found.runs);
    out.label = std::move(found.components.label);
  }
  return out;
}

}  // namespace srcextract
