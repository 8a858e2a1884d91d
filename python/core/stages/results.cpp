#include "python/core/stages/results.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "pipeline/chain/add_aperture_noise.hpp"
#include "pipeline/chain/make_catalog.hpp"
#include "pipeline/chain/measure_positions.hpp"
#include "pipeline/exposure/open_positions.hpp"
#include "pipeline/machine/versions.hpp"
#include "python/core/stages/held.hpp"
#include "stages/catalogue/vignets.hpp"
#include "stages/core/parallel.hpp"
#include "stages/measure/saturation.hpp"

namespace srcextract::python {
namespace {

[[noreturn]] void refuse(const char* key, const char* why) {
  throw Error(ErrorKind::config, std::string(key) + ": " + why);
}

}  // namespace

Place<Cpu> host_place(int threads) {
  return {Cpu{threads > 0 ? threads : available_threads()}};
}

void check_stage_config(const Config& config) {
  if (has_map(config.weights))
    refuse("weights.type",
           "maps of weights are taken by extract() alone; the stages one by one have the noise of the "
           "background");
  if (config.convolve.is_matched()) refuse("convolve.filter", "the matched filter is a part of extract() alone");
  if (config.detection.sign != DetectionSign::positive)
    refuse("detection.sign", "what is fainter than the sky is found by extract(), or in the negated array");
  if (vignet_size(config.output.columns).any())
    refuse("output.columns", "VIGNET is a column of extract() alone; slices of the array are what it shows");
  if (config.detection.threshold_unit == ThresholdUnit::mag_per_arcsec2 && config.measurement.pixel_scale <= 0)
    refuse("measurement.pixel_scale", "a threshold in mag_per_arcsec2 needs it, in arcseconds");
}

void check_divided(std::int64_t sources, bool divided, const Config& config) {
  if (sources > 0 && !divided && (config.deblend.method != DeblendMethod::none || cleans_sources(config)))
    throw Error(ErrorKind::config,
                "deblend.method, deblend.clean, detection.max_area: these labels were not deblended or cleaned; "
                "deblend() does so, and measure() knows it of its labels");
}

std::unique_ptr<Catalogue> catalogue_of(MeasuredOnHost&& measured, const Config& config, const std::string& yaml,
                                        const Cpu& where) {
  Detection<Cpu>& found = measured.found;
  const Observer nobody;
  StageClock clock(nobody);
  std::optional<ApertureNoise> noise;
  add_aperture_noise(measured_image(measured.pixels, found), {}, config, found, noise, where, clock);
  found.above = {};  // Drops views of the caller's pixels, since check images are drawn into these images.
  found.image = {};
  const Shape shape = measured.pixels.image.shape;
  const Buffer<SourceSums, Cpu> sums = std::move(found.sums);
  auto catalogue = std::make_unique<Catalogue>();
  Extraction& extraction = catalogue->result.extraction;
  extraction =
      make_catalog(std::move(found), {sums.begin(), sums.end()}, *measured.pixels.masked, shape, config, where, clock);
  if (!measured.numbers.empty()) extraction.sources[columns::number] = measured.numbers;
  renumber(measured.numbers, extraction.label);
  if (config.measurement.saturation > 0)
    flag_saturated(extraction.brightest, config.measurement.saturation, extraction.sources);
  catalogue->name = "the image";
  catalogue->metadata = {
      .version = program_version(), .config_yaml = yaml, .parquet_compression = config.output.parquet_compression};
  catalogue->config = config;
  catalogue->shape = shape;
  catalogue->cpu = where;
  catalogue->result.backend = "cpu";
  return catalogue;
}

Config config_of_light(const PositionColumns& columns, const Configuration& configuration) {
  return forced_config(configuration.given->config, columns.contains("A_IMAGE"));
}

std::unique_ptr<Catalogue> light_at(const PositionColumns& columns, MeasuredOnHost&& sky,
                                    const Configuration& configuration, const Cpu& where) {
  const auto column = [&](const char* name) {
    const auto found = columns.find(name);
    return found == columns.end() ? std::vector<double>() : found->second;
  };
  PositionList list;
  list.x = column("X_IMAGE");
  list.y = column("Y_IMAGE");
  list.rows = std::ssize(list.x);
  list.a = column("A_IMAGE");
  list.b = column("B_IMAGE");
  list.theta = column("THETA_IMAGE");
  list.kron_radius = column("KRON_RADIUS");
  for (const double number : column("NUMBER")) list.number.push_back(static_cast<std::int32_t>(number));
  const OpenPositions positions = place_positions(list, "", "the image", where);
  const Config config = config_of_light(columns, configuration);
  measure_positions(positions.forced(), measured_image(sky.pixels, sky.found), {}, config, sky.found, where);
  auto catalogue = catalogue_of(std::move(sky), config, configuration.given->yaml, where);
  name_positions(positions, catalogue->shape, config, catalogue->result.extraction.sources);
  return catalogue;
}

void bind_stages(nanobind::module_& module) {
  bind_stage_images(module);
  bind_stage_sources(module);
  if constexpr (SRCEXTRACT_HAVE_CUDA != 0) bind_stage_devices(module);
}

}  // namespace srcextract::python
