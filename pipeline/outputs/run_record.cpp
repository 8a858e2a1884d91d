#include "pipeline/outputs/run_record.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <type_traits>
#include <variant>

#include "config/values.hpp"
#include "pipeline/extract/find_psf.hpp"
#include "pipeline/machine/utc.hpp"
#include "pipeline/machine/versions.hpp"
#include "pipeline/outputs/completeness/completeness_json.hpp"
#include "pipeline/outputs/components/components_json.hpp"
#include "pipeline/outputs/difference_json.hpp"
#include "pipeline/outputs/injection/injection_tables.hpp"
#include "pipeline/outputs/sky_json.hpp"
#include "stages/settings/keys.hpp"
#include "stages/settings/psf_numbers.hpp"
#include "survey/journal/directory_lock.hpp"

namespace srcextract {
namespace {

using Json = nlohmann::ordered_json;

Json program_json() {
  Json libraries = Json::object();
  for (const auto& [name, version] : library_versions()) libraries[name] = version;
  return {{"name", "srcextract"}, {"version", program_version()}, {"build", program_build()}, {"libraries", libraries}};
}

/// Adds the pixels that are masked as padding: the number for each value.
void add_padding(const OpenFrame& frame, Json& json) {
  for (const PaddingValue& one : frame.padding())
    json["padding"].push_back({{"value", one.value}, {"pixels", one.pixels}});
}

Json input_json(const ImageInput& input, std::uint32_t datasum) {
  Json json = {{"path", input.file.path},
               {"bytes", input.file.bytes},
               {"hdu", input.frame.image().hdu()},
               {"extname", input.frame.image().extname()},
               {"axes", input.frame.image().axes()},
               {"plane", input.frame.plane_numbers().front()},
               {"width", input.first().shape.width},
               {"height", input.first().shape.height},
               {"bitpix", input.frame.stored_format().bitpix},
               {"compressed", input.frame.image().compressed()},
               {"datasum", datasum}};
  if (!input.frame.combined().empty()) json["combined"] = input.frame.combined();
  add_padding(input.frame, json);
  return json;
}

Json value_json(const HduNames& value);
template <class T>
Json value_json(const std::vector<T>& values);

template <class T>
Json value_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return names_of(value)[static_cast<std::size_t>(value)];
  } else if constexpr (config::is_record<T>) {
    Json json;
    for_each_field(value, [&](const config::Field& field, const auto& own) { json[field.key] = value_json(own); });
    return json;
  } else {
    return value;
  }
}
template <class T>
Json value_json(const std::vector<T>& values) {
  Json json = Json::array();
  for (const T& value : values) json.push_back(value_json(value));
  return json;
}

Json value_json(const HduNames& value) {
  return value.names.size() == 1 ? value_json(value.names.front()) : value_json(value.names);
}

Json config_json(const Config& config) {
  Json json;
  for_each_field(config, [&](const config::Field& field, const auto& value) {
    json[field.section.name][field.key] = value_json(value);
  });
  return json;
}

Json header_json(const std::vector<HeaderValue>& values) {
  Json json = Json::object();
  for (const HeaderValue& value : values)
    std::visit([&](const auto& held) { json[value.keyword] = held; }, value.value);
  return json;
}

/// The corners of the image on the sky in degrees, J2000; null if the image has no celestial WCS.
Json footprint_json(const std::vector<SkyPosition>& footprint) {
  Json json;
  for (const SkyPosition& corner : footprint) json.push_back({corner.alpha, corner.delta});
  return json;
}

std::int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

Json map_json(const OpenMap& map) {
  return {{"path", map.path},
          {"hdu", map.image.hdu()},
          {"extname", map.image.extname()},
          {"plane", map.plane},
          {"datasum", map.datasum()}};
}

/// Adds whether the noise of a map holds the photons of sources, and how this is known.
void add_photons(const PhotonsOfMap& photons, Json& json) {
  json["photons"] = photons.included ? "included" : "excluded";
  json["photons_reason"] = photons.reason;
}

/// Describes the subtracted reference image. `own` is the configuration of the reference image; null: the reference
/// image has no separate configuration.
Json reference_json(const ImageInput& input, const ImageConfig* own) {
  const OpenReference& reference = *input.reference;
  Json json = {{"path", reference.path},
               {"hdu", reference.frame.image().hdu()},
               {"width", reference.frame.first().shape.width},
               {"height", reference.frame.first().shape.height},
               {"resampled", reference.subtracted->map != nullptr},
               {"datasum", reference.frame.datasum()}};
  if (!reference.frame.combined().empty()) json["combined"] = reference.frame.combined();
  add_padding(reference.frame, json);
  if (reference.maps.mask) json["mask"] = map_json(*reference.maps.mask);
  if (reference.maps.weights) {
    json["weights"] = map_json(*reference.maps.weights);
    add_photons(input.reference_photons, json["weights"]);
  }
  if (own != nullptr) json["config"] = config_json(own->config);
  return json;
}

/// Describes the flag maps, whose bits are added to the flags of sources: the first map, and a list of the others.
Json flags_json(const std::vector<const OpenFlags*>& flags) {
  Json json = map_json(flags.front()->map);
  for (std::size_t i = 1; i < flags.size(); ++i) json["further"].push_back(map_json(flags[i]->map));
  return json;
}

Json levels_json(const Levels& levels) {
  return {{"detection", levels.detection}, {"background", levels.background}, {"sigma", levels.sigma}};
}

/// Describes the noise of sums over apertures: the fitted power law, and the measured scatter for each radius.
Json aperture_noise_json(const ApertureNoise& noise) {
  Json json = {{"measured", noise.measured}, {"alpha", noise.law.alpha}, {"beta", noise.law.beta}};
  json["apertures"] = Json::array();
  for (const EmptyApertures& one : noise.radii)
    json["apertures"].push_back(
        {{"radius", one.radius}, {"pixels", one.pixels}, {"count", one.apertures}, {"scatter", one.scatter}});
  return json;
}

/// Describes the detection image, with the maps and the configuration that apply to that image.
Json detection_json(const OpenDetection& detection, const FoundIn& found) {
  Json json = {{"path", detection.task.path},
               {"hdu", detection.frame.image().hdu()},
               {"datasum", detection.frame.datasum()},
               {"masked", found.masked.total()},
               {"background", background_json(found.background)},
               {"levels", levels_json(found.levels)}};
  if (!detection.frame.combined().empty()) json["combined"] = detection.frame.combined();
  add_padding(detection.frame, json);
  if (detection.maps.mask) json["mask"] = map_json(*detection.maps.mask);
  if (detection.maps.weights) {
    json["weights"] = map_json(*detection.maps.weights);
    json["weights"]["noise_scale"] = found.levels.noise_scale;
  }
  if (detection.maps.level) json["level"] = map_json(*detection.maps.level);
  json["config"] = config_json(detection.task.config());
  return json;
}

Json positions_json(const ImageInput& input) {
  const OpenPositions& positions = *input.positions;
  return {{"path", positions.list.path},
          {"rows", positions.list.rows},
          {"by", positions.by_sky ? "sky" : "pixels"},
          {"off_image", positions.outside(input.first().shape)}};
}

/// Describes the sky. If a sky level is given, adds the given level and the range of a given map; estimated levels are
/// then relative to the given level. Adds a given noise.
Json background_json(const RunRecord& report) {
  const Extraction& extraction = report.result.extraction;
  Json json = background_json(extraction.background);
  if (const auto& level = extraction.given_level) {
    json["given_level"] = {{"level", level->middle}, {"range", {level->least, level->most}}};
    if (report.input.level) json["given_level"]["map"] = map_json(*report.input.level);
  }
  if (const auto rms = given_number(report.config.config.given_sky.rms)) json["given_sigma"] = *rms;
  return json;
}

Json counts_json(const Extraction& extraction, const Shape& shape) {
  const std::vector<std::int64_t>& npix = extraction.sources[columns::npix];
  return {{"pixels", shape.count()},
          {"masked_nan", extraction.masked.nan},
          {"masked_infinite", extraction.masked.infinite},
          {"masked_blank", extraction.masked.blank},
          {"masked_weight", extraction.masked.weight},
          {"masked_mask", extraction.masked.mask},
          {"masked_level", extraction.masked.level},
          {"components", extraction.detected},
          {"sources", npix.size()},
          {"source_pixels", std::accumulate(npix.begin(), npix.end(), std::int64_t{0})}};
}

Json steps_json(const std::vector<StepTime>& times) {
  Json steps = Json::array();
  for (const StepTime& time : times) steps.push_back({{"step", time.step}, {"seconds", time.seconds}});
  return steps;
}

Json execution_json(const RunRecord& report) {
  const bool on_device = report.result.backend == "cuda" || report.execution.compare;
  return {{"backend", report.result.backend},
          {"device", on_device ? Json(report.execution.device->name) : Json(nullptr)},
          {"threads", report.execution.cpu.threads},
          {"steps", steps_json(report.result.times)},
          {"seconds", report.seconds},
          {"peak_memory", peak_memory()},
          {"host", host_name()},
          {"start", utc(report.start)},
          {"command", report.arguments}};
}

Json times_json(const BackendTimes& times) {
  return {{"seconds", times.seconds}, {"after_ingest", seconds_resident(times)}, {"steps", steps_json(times.steps)}};
}

Json speed_json(const BackendComparison& comparison) {
  const auto ratio = [](double cpu, double cuda) { return cuda > 0 ? Json(cpu / cuda) : Json(nullptr); };
  return {{"cpu", times_json(comparison.cpu)},
          {"cuda", times_json(comparison.cuda)},
          {"with_transfers", ratio(comparison.cpu.seconds, comparison.cuda.seconds)},
          {"after_ingest", ratio(seconds_resident(comparison.cpu), seconds_resident(comparison.cuda))}};
}

Json comparison_json(const std::vector<StageComparison>& comparison) {
  Json rows = Json::array();
  for (const StageComparison& row : comparison)
    rows.push_back(
        {{"stage", row.stage}, {"elements", row.elements}, {"mismatches", row.mismatches}, {"worst", row.worst}});
  return rows;
}

void add_comparison(const BackendComparison& comparison, Json& json) {
  if (comparison.stages.empty()) return;
  json["comparison"] = comparison_json(comparison.stages);
  json["speed_up"] = speed_json(comparison);
}

/// Describes the PSF of the star fit. `found`: the PSF made from the image; null if a file gave the PSF.
Json psf_json(const ImageInput& input, const FoundPsf* found) {
  const std::vector<double>* const numbers =
      (found != nullptr ? found->config : input.config()).resources.numbers_of(psf_key);
  Json json = {{"sum", psf_sum(*numbers)}};
  if (found == nullptr) return json;
  const PsfSurface& surface = found->made.surface;
  json["fwhm"] = surface.width;
  json["degree"] = surface.degree;
  json["step"] = surface.step;
  json["chi2"] = std::get<double>(found->made.table.cards.at("CHI2"));
  json["stars"] = found->used();
  Json& out = json["left_out"] = Json::object();
  for (const PsfStar& star : found->stars) {
    if (star.verdict == StarVerdict::used) continue;
    Json& count = out[name_of(star.verdict)];
    count = count.is_null() ? 1 : count.get<std::int64_t>() + 1;
  }
  return json;
}

/// Describes the fit of a crowded field: for each turn of finding and fitting stars the numbers of stars, and the
/// results of the test with injected stars.
Json crowd_json(const CrowdFit& fit) {
  Json turns = Json::array();
  for (const CrowdTurn& turn : fit.turns)
    turns.push_back({{"found", turn.found}, {"stars", turn.stars}, {"rounds", turn.rounds}, {"noise", turn.noise}});
  Json json = {
      {"stars", fit.rows.size()},          {"fwhm", fit.fwhm}, {"noise", fit.noise}, {"shared_noise", fit.shared_noise},
      {"negatives", fit.negatives.size()}, {"turns", turns}};
  for (const CrowdBin& bin : fit.bins)
    json["injected"].push_back(
        {{"flux", bin.flux}, {"added", bin.added}, {"found", bin.found}, {"bias", bin.bias}, {"scatter", bin.scatter}});
  return json;
}

/// Adds what concerns one image: inputs, sky, fits, counts and warnings.
void add_image(const RunRecord& report, Json& json) {
  const Extraction& extraction = report.result.extraction;
  json["input"] = input_json(report.input, report.datasum);
  if (report.input.reference)
    json["reference"] = reference_json(report.input, report.input.file.beside->of_reference.get());
  if (report.input.positions) json["positions"] = positions_json(report.input);
  if (report.input.mask) json["mask"] = map_json(*report.input.mask);
  if (!report.input.flags.empty()) json["flags"] = flags_json(report.input.flags);
  json["gain"] = report.input.gain.gain;
  json["gain_reason"] = report.input.gain.reason;
  if (report.input.weights) {
    json["weights"] = map_json(*report.input.weights);
    add_photons(report.input.photons, json["weights"]);
    if (!extraction.difference) json["weights"]["noise_scale"] = extraction.levels.noise_scale;
  }
  if (extraction.difference) {
    json["difference"] = difference_json(report.input.config(), *extraction.difference, extraction.background.clipped,
                                         extraction.sources);
    const FrameGain &reference = report.input.reference_gain, &fresh = report.input.gain;
    json["difference"]["gain"] = {{"reference", reference.gain}, {"new", fresh.gain}};
    json["difference"]["gain_reason"] = {{"reference", reference.reason}, {"new", fresh.reason}};
  }
  if (report.input.config().resources.beam) json["beam"] = beam_json(report.input.config());
  if (extraction.fitted) json["fit"] = fitted_json(*extraction.fitted);
  const FoundPsf* const psf = report.result.psf.get();
  if (psf != nullptr || report.input.config().resources.numbers_of(psf_key) != nullptr)
    json["psf"] = psf_json(report.input, psf);
  if (extraction.crowd) json["crowd"] = crowd_json(*extraction.crowd);
  json["background"] = background_json(report);
  json["levels"] = levels_json(extraction.levels);
  if (const DetectionConfig& detection = report.input.config().detection; controls_false_discoveries(detection))
    json["false_discoveries"] = {{"rate", detection.false_discovery_rate},
                                 {"correlated_pixels", detection.correlated_pixels}};
  if (extraction.aperture_noise) json["aperture_noise"] = aperture_noise_json(*extraction.aperture_noise);
  if (const auto& shared = extraction.shared_noise)
    json["shared_noise"] = {{"factor", shared->factor}, {"width", shared->width}, {"in_errors", shared->in_errors}};
  if (report.completeness) json["completeness"] = completeness_json(*report.completeness);
  if (report.injection != nullptr) json["injection"] = injection_json(*report.injection);
  json["counts"] = counts_json(extraction, report.input.first().shape);
  json["warnings"] = report.result.warnings;
  json["header"] = header_json(report.input.keywords(report.config.config.output));
  json["sky"] = report.result.no_sky_reason.empty() ? "ok" : report.result.no_sky_reason;
  json["footprint"] = footprint_json(report.result.footprint);
}

/// Adds what is recorded once for a run of one image or of several bands.
void add_run(const RunRecord& report, Json& json) {
  json["execution"] = execution_json(report);
  add_comparison(report.result.comparison, json);
  json["config"] = config_json(report.config.config);
  json["config_yaml"] = report.config.yaml;
  json["outputs"] = report.outputs;
}

std::string text_of(const Json& json) {
  // A path may have bytes that are not UTF-8, which JSON forbids.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json band_json(const BandRecord& band) {
  const MeasurementConfig& measurement = band.record.input.config().measurement;
  Json json = {{"name", band.name}, {"settings", band.settings}};
  add_image(band.record, json);
  json["zero_point"] = measurement.zero_point;
  json["backend"] = band.record.result.backend;
  json["steps"] = steps_json(band.record.result.times);
  add_comparison(band.record.result.comparison, json);
  json["config"] = config_json(band.record.config.config);
  return json;
}

}  // namespace

std::string format_run_record(const RunRecord& report) {
  const Extraction& extraction = report.result.extraction;
  Json json;
  json["program"] = program_json();
  add_image(report, json);
  if (extraction.found_in) json["detection_image"] = detection_json(*report.input.detection, *extraction.found_in);
  add_run(report, json);
  return text_of(json);
}

std::string format_bands_record(const std::vector<BandRecord>& bands, const RunRecord& all) {
  const RunRecord& first = bands.front().record;
  Json json;
  json["program"] = program_json();
  json["detection_image"] = detection_json(*first.input.detection, *first.result.extraction.found_in);
  json["sources"] = first.result.extraction.sources.size();
  json["bands"] = Json::array();
  for (const BandRecord& band : bands) json["bands"].push_back(band_json(band));
  add_run(all, json);
  return text_of(json);
}

std::string describe_session(const std::vector<std::string>& arguments, const Shard& shard, const std::string& config) {
  const Json session = {{"program", program_json()},
                        {"host", host_name()},
                        {"process", getpid()},
                        {"start", utc(std::chrono::system_clock::now())},
                        {"shard", shard_text(shard)},
                        {"command", arguments},
                        {"config", config}};
  return session.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace srcextract
