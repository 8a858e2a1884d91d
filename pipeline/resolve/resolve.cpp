#include "pipeline/resolve/resolve.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "io/wcs/cube_axes.hpp"
#include "io/wcs/find_beam.hpp"
#include "io/wcs/wcs.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/chain/measure_positions.hpp"
#include "stages/catalogue/alert_columns.hpp"
#include "stages/catalogue/declared_columns.hpp"
#include "stages/core/error.hpp"
#include "stages/galaxy/galaxy_columns.hpp"
#include "stages/measure/dipoles.hpp"
#include "stages/photometry/families.hpp"
#include "stages/settings/network_numbers.hpp"
#include "stages/settings/psf_numbers.hpp"

namespace srcextract {
namespace {

/// An element of the WCS matrix below this fraction of the pixel's side counts as 0, since rounding may have made it.
constexpr double rounded_to_none = 1e-9;

/// The log level of a message about a missing header keyword. The default configuration names keywords that many
/// headers lack, which deserves no warning. Users of `srcextract sextractor` name their keywords themselves.
spdlog::level::level_enum level_of_lack(const Config& config) {
  return config.kept.as_sextractor ? spdlog::level::warn : spdlog::level::info;
}

/// The saturation level, from the header or the configuration; 0: none. For a difference, an unusable number in the
/// header is no error: no pixel of a difference is saturated, so the level is only reported.
double saturation_of(const Config& config, const RunImage& image) {
  const MeasurementConfig& measurement = config.measurement;
  const std::string& keyword = measurement.saturation_keyword;
  if (keyword == "none") return measurement.saturation;
  const auto level = number_in_header({image.name, image.header, image.primary_header}, keyword);
  if (level && level->usable && level->value > 0) {
    if (level->is_text)
      spdlog::warn("{}: {} = {} of its header is a text, which is taken for the number in it", image.name, keyword,
                   level->text);
    return level->value;
  }
  if (image.kind == RunKind::difference) return measurement.saturation;
  if (level)
    spdlog::warn(
        "{}: {} = {} of its header is no number above 0, so {}; --set measurement.saturation=NUMBER --set "
        "measurement.saturation_keyword=none gives the level",
        image.name, keyword, level->text,
        measurement.saturation > 0 ? fmt::format("measurement.saturation, {:.6g}, counts", measurement.saturation)
                                   : "no source is flagged as saturated");
  else if (measurement.saturation == 0)
    spdlog::log(level_of_lack(config),
                "{}: its header has no {}, so no source is flagged as saturated; measurement.saturation can give the "
                "level",
                image.name, keyword);
  return measurement.saturation;
}

/// The number of `keyword` in the reference image's header, if that number is positive.
std::optional<double> positive_of_reference(const std::string& keyword, const RunImage& image) {
  if (keyword == "none" || image.reference_header.empty()) return std::nullopt;
  const auto number = number_in_header({image.name, image.reference_header, image.reference_primary_header}, keyword);
  if (!number || !number->usable || !(number->value > 0)) return std::nullopt;
  return number->value;
}

/// Sets measurement.pixel_scale, in arcseconds, if the scale is 0 and needed. Throws Error{input} if a threshold needs
/// the scale and the scale is unknown. If only columns need the unknown scale, logs a warning instead.
void resolve_pixel_scale(Config& config, const RunImage& image) {
  const bool for_thresholds = config.detection.threshold_unit == ThresholdUnit::mag_per_arcsec2;
  const ColumnChoice choice(config.output.columns);
  const bool for_class = choice.has("CLASS_STAR") && config.resources.numbers_of(network_key) != nullptr;
  const bool for_brightness = choice.has("MU_MAX") || choice.has("MU_THRESHOLD");
  double& pixel_scale = config.measurement.pixel_scale;
  if ((!for_thresholds && !for_brightness && !for_class) || pixel_scale > 0) return;
  const std::string reason = measure_pixel(image.header, image.shape, pixel_scale);
  if (reason.empty()) return spdlog::debug("{}: by its WCS a pixel is {:.6g} arcseconds wide", image.name, pixel_scale);
  if (for_thresholds)
    throw Error(ErrorKind::input,
                fmt::format("{}: a threshold in mag_per_arcsec2 needs the size of a pixel, and {}; set "
                            "measurement.pixel_scale, in arcseconds",
                            config.place_of("detection.threshold_unit"), reason));
  if (config.kept.as_sextractor)
    if (const LinearPixel degrees = linear_pixel(image.header); degrees.side > 0) {
      pixel_scale = degrees.side * 3600;
      if (degrees.last_by_last > rounded_to_none * degrees.side)
        config.resources.class_scale = degrees.last_by_last * 3600;
      return spdlog::warn(
          "{}: {}; PIXEL_SCALE is not set, so MU_MAX and CLASS_STAR assume {:.6g} arcseconds per pixel, as SExtractor "
          "does",
          image.name, reason, pixel_scale);
    }
  std::string columns;
  for (const char* name : {"MU_MAX", "MU_THRESHOLD", "CLASS_STAR"})
    if (choice.has(name) && (for_class || name != std::string_view("CLASS_STAR")))
      columns += (columns.empty() ? "" : ", ") + std::string(name);
  columns += columns.find(',') == std::string::npos ? " is" : " are";
  spdlog::warn("{}: {} NaN, since the size of a pixel is not known: {}; set measurement.pixel_scale, in arcseconds",
               image.name, columns, reason);
}

/// Whether a key is set for the reference image alone. `own`: the configuration of the reference image; `given`: that
/// of the new image.
bool is_set_alone(const std::string& key, const Config& own, const Config& given) {
  const auto at = own.set_at.find(key), usual = given.set_at.find(key);
  return at != own.set_at.end() && (usual == given.set_at.end() || at->second != usual->second);
}

/// A number of the reference image: `of_header`, if its header tells it, else from the configuration of the reference
/// image (`own`), else that of the new image (`of_fresh`). `key` is the path of the number's key. `given` is the
/// configuration of the new image.
double number_of_reference(const std::string& key, double MeasurementConfig::*number, const std::string& keyword,
                           std::optional<double> of_header, double of_fresh, const RunImage& image, const Config& own,
                           const Config& given) {
  const bool alone = is_set_alone(key, own, given);
  const bool is_own = alone || (keyword == "none" && is_set_alone(key + "_keyword", own, given));
  const double set = is_own ? own.measurement.*number : of_fresh;
  const double result = of_header.value_or(set);
  if (alone && result != set)
    spdlog::warn(
        "{}: {} of the reference is that of its header, {} = {:.6g}, and not {:.6g} of {}; set {}_keyword to none for "
        "the reference, too, to use your own",
        image.name, key, keyword, result, set, own.place_of(key), key);
  return result;
}

/// The gain of the reference of a difference: by its header, else by its own configuration, else that of the new image.
FrameGain gain_of_reference(const Config& own, const Config& given, const FrameGain& of_fresh, const RunImage& image) {
  Config alone = own;
  if (of_fresh.by_header && !is_set_alone("measurement.gain", own, given)) alone.measurement.gain = 0;
  FrameGain found;
  const std::string name = image.name + ": the reference";
  if (!image.reference_header.empty() && own.measurement.gain_keyword != "none")
    found = find_gain(alone, {name, image.reference_header, image.reference_primary_header, true});
  const bool told = (found.by_header && found.gain > 0) || (found.has_none && of_fresh.by_header);
  const double gain =
      number_of_reference("measurement.gain", &MeasurementConfig::gain, own.measurement.gain_keyword,
                          told ? std::optional(found.gain) : std::nullopt, of_fresh.gain, image, own, given);
  if (told) return found;
  const bool as_fresh = gain == of_fresh.gain;
  return {gain, as_fresh ? "as that of the new image" : "measurement.gain of " + own.place_of("measurement.gain")};
}

/// Sets resources.fresh and resources.reference, the settings with which the new image and the reference image of a
/// difference are read. `config` already has the gain and the saturation of the new image. Returns the gain of the
/// reference image; `of_fresh` is that of the new image.
FrameGain resolve_frames(const Config& given, const RunImage& image, const FrameGain& of_fresh, Config& config) {
  const Config& own = image.of_reference != nullptr ? *image.of_reference : given;
  const FrameSettings fresh = frame_settings(config);
  FrameSettings reference = frame_settings(own);
  if (image.of_reference == nullptr) reference.weights = {};
  FrameGain gain = gain_of_reference(own, given, of_fresh, image);
  reference.gain = gain.gain;
  const std::string& keyword = own.measurement.saturation_keyword;
  reference.saturation =
      number_of_reference("measurement.saturation", &MeasurementConfig::saturation, keyword,
                          positive_of_reference(keyword, image), fresh.saturation, image, own, given);
  if (has_map(fresh.weights) || has_map(reference.weights)) {
    config.weights = {};
    config.weights.type = WeightType::none;
  }
  config.resources.fresh = fresh;
  config.resources.reference = reference;
  return gain;
}

/// Makes of the gain of a plane that of combined planes: of a mean of N a value of 1 stands for N times the electrons.
/// With weights w it is the sum of w over that of w squared; a median has 2/pi of the mean's. A gain of the
/// configuration is that of the result.
void combine_gain(const CombineConfig& combine, std::size_t planes, FrameGain& gain) {
  if (!gain.by_header || !(gain.gain > 0)) return;
  const auto count = static_cast<double>(planes);
  double times = 1;
  if (combine.method == CombineMethod::mean || combine.method == CombineMethod::inverse_variance) times = count;
  if (combine.method == CombineMethod::median) times = planes < 3 ? count : count * 2 / std::numbers::pi;
  if (combine.method == CombineMethod::chi_square) times = 0;
  if (combine.method == CombineMethod::weighted) {
    double sum = 0, squares = 0;
    for (const double weight : combine.weights) {
      sum += weight;
      squares += weight * weight;
    }
    if (std::ranges::all_of(combine.weights, [](double weight) { return weight >= 0; }) && squares > 0)
      times = sum / squares;
  }
  if (times == 1) return;
  gain.gain *= times;
  gain.reason += fmt::format(", times {:.4g} for the {} planes that are combined", times, planes);
}

void normalise_given_psf(Config& config) {
  const std::vector<double>* const given = config.resources.numbers_of(psf_key);
  if (config.psf.normalise != PsfNormalise::total || given == nullptr) return;
  std::vector<double> numbers = *given;
  normalise_psf(numbers);
  config.resources.files[psf_key] = {std::make_shared<const std::vector<double>>(std::move(numbers))};
}

/// For each file with one set of numbers per image, such as PSFs, keeps only the set of this image. Throws Error{input}
/// if the file has no set for this image.
void choose_numbers(const RunImage& image, Config& config) {
  if (image.kind == RunKind::difference && config.difference.kernel != MatchingKernel::fitted)
    config.resources.files.erase(psf_key);  // nothing tells which frame's stars the difference has
  for (auto& [key, sets] : config.resources.files) {
    if (key == psf_key && sets.size() == 1 && image.number > 0 && config.input.hdu.several())
      spdlog::warn(
          "{}: {}: the file has one PSF, which is fitted in all HDUs; psfex makes one for each HDU of a catalogue",
          image.name, config.place_of(key));
    if (sets.size() == 1) continue;
    if (key == psf_key && !config.input.hdu.several())
      spdlog::warn("{}: {}: the file has {} PSFs, one for each HDU of an image; number {} of them is taken", image.name,
                   config.place_of(key), sets.size(), image.number + 1);
    if (key == psf_key && config.input.hdu.several() && image.number == 0 && sets.size() > image.images)
      spdlog::warn(
          "{}: {}: the file has {} PSFs, one for each HDU of an image, and {} of its HDUs are extracted: the first "
          "ones are taken in order",
          image.name, config.place_of(key), sets.size(), image.images);
    if (image.number >= sets.size())
      throw Error(ErrorKind::input, fmt::format("{}: the file is for {} images of a file, and this is number {}: {}",
                                                config.place_of(key), sets.size(), image.number + 1, image.name));
    sets = {sets[image.number]};
  }
  normalise_given_psf(config);
}

/// Throws Error{config} if output.columns names a column of the star fit but no PSF is known.
void require_psf(const Config& config, const RunImage& image) {
  if (config.psf.method == PsfMethod::fit || image.kind == RunKind::difference || StarFamily::is_known(config)) return;
  for (const auto& column : StarFamily::columns)
    if (std::ranges::count(config.output.columns, column.declared.column.name) > 0)
      throw Error(ErrorKind::config,
                  fmt::format("{}: 'output.columns' holds '{}', which needs the shape of stars: name "
                              "a model by psf.file, or let psf.method: fit make one from the image",
                              config.place_of("output.columns"), column.declared.column.name));
}

/// Adds columns to the measured columns, but not to the columns that are written to the catalogue.
void measure_besides(std::span<const char* const> names, Config& config) {
  if (!config.resources.written_columns) config.resources.written_columns = config.output.columns;
  const ColumnChoice chosen(config.output.columns);
  for (const char* name : names)
    if (!chosen.has(name)) config.output.columns.emplace_back(name);
}

void add_columns_of_alerts(Config& config) {
  measure_besides(alert_columns, config);
  if (config.resources.has_star_profile) measure_besides(alert_columns_of_stars, config);
}

/// Adds the flux that a column of dipoles compares, if such a column is requested.
void add_columns_of_dipoles(Config& config) {
  constexpr const char* compared[] = {"FLUX_PSF"};
  const ColumnChoice chosen(config.output.columns);
  const bool has_any =
      std::ranges::any_of(dipole_columns, [&](const auto& column) { return chosen.has(column.declared.column.name); });
  if (has_any && !chosen.has(compared[0])) measure_besides(compared, config);
}

/// Adds the groups of columns that the model of galaxies has, unless the configuration names such a column.
void add_columns_of_models(Config& config) {
  const std::vector<const char*> groups = galaxy_groups(galaxy_model(config.model));
  const ColumnChoice chosen(config.output.columns);
  const bool has_any = std::ranges::any_of(
      declared_columns(), [&](const DeclaredColumn& one) { return one.is_of_model() && chosen.has(one.column.name); });
  if (!has_any) config.output.columns.insert(config.output.columns.end(), groups.begin(), groups.end());
}

/// Adds the columns with the sizes of Kron's and Petrosian's ellipses, if these ellipses are measured, since the check
/// image `apertures` draws the ellipses.
void add_columns_of_outlines(Config& config) {
  constexpr const char* kron[] = {"KRON_RADIUS"};
  constexpr const char* petrosian[] = {"PETRO_RADIUS"};
  const ColumnChoice chosen(config.output.columns);
  if (chosen.needs(KronFamily::name)) measure_besides(kron, config);
  if (chosen.needs(PetrosianFamily::name)) measure_besides(petrosian, config);
}

/// The number of pixels that share their noise: the area of the noise's autocorrelation, which is fit.noise_area beam
/// areas. If fit.noise_area is 0, two beam areas, as for white noise convolved with the beam.
std::int64_t correlated_pixels(const PixelBeam& beam, const FitConfig& fit) {
  constexpr double white = 2, most = 1e6;
  return std::llround(std::clamp(beam.area() * (fit.noise_area > 0 ? fit.noise_area : white), 1.0, most));
}

/// A mesh side in pixels, near `wanted`, that divides `pixels` almost evenly. With `wanted` itself, the last mesh could
/// be narrow, with an uncertain sky level and noise.
std::int64_t even_side(double wanted, std::int64_t pixels) {
  const auto within = [](std::int64_t side) { return std::clamp(side, least_mesh_size, most_mesh_size); };
  const auto side = static_cast<double>(within(std::llround(wanted)));
  const std::int64_t count = std::max<std::int64_t>(1, std::llround(static_cast<double>(pixels) / side));
  return within((pixels + count - 1) / count);
}

/// Sets what the configuration gives in units of the beam: the sides of a mesh, the least area of a source in pixels,
/// and the number of pixels that share their noise.
void resolve_beams(const Shape& image, Config& config) {
  const PixelBeam& beam = *config.resources.beam;
  if (config.background.mesh_beams > 0) {
    const double side = config.background.mesh_beams * beam.side();
    config.background.mesh_size = even_side(side, image.width);
    config.background.mesh_height = even_side(side, image.height);
  }
  if (config.detection.min_area == 0)
    config.detection.min_area = std::max<std::int64_t>(3, std::llround(std::ceil(beam.area() / 3)));
  if (counts_pixels_of_beam(config.detection)) config.detection.correlated_pixels = correlated_pixels(beam, config.fit);
}

/// Sets detection.correlated_pixels if only this setting needs the beam; 1 if the image has no beam.
void resolve_correlation(Config& config, const RunImage& image, const BeamPlaces& places) {
  if (!counts_pixels_of_beam(config.detection)) return;
  config.detection.correlated_pixels = 1;
  FoundBeam found;
  try {
    found = find_beam(config.beam, places);
  } catch (const Error&) {
    return;  // no warning, since most images have no beam
  }
  try {
    const PixelBeam beam =
        beam_in_pixels(found.beam, image.header, image.shape, config.measurement.pixel_scale, found.warnings);
    config.detection.correlated_pixels = correlated_pixels(beam, config.fit);
    spdlog::debug("{}: by its beam {} pixels share their noise (detection.correlated_pixels)", image.name,
                  config.detection.correlated_pixels);
  } catch (const Error& error) {
    spdlog::warn(
        "{}: its beam is not used, so false discoveries are counted as if pixels were independent; "
        "detection.correlated_pixels can tell how many share their noise: {}",
        image.name, error.what());
  }
}

/// Warns if the header says that the map is not of Stokes I, since the descriptions of flux columns assume Stokes I.
void warn_of_polarisation(const RunImage& image) {
  const CubePlane plane = CubeAxes(image.header, image.axes).plane(image.planes.front());
  if (plane.stokes == stokes_i) return;
  spdlog::warn("{}: plane {} has Stokes {}, and not I: Total_flux is of that polarisation", image.name, plane.number,
               plane.stokes >= stokes_q && plane.stokes <= stokes_v ? std::string(1, "QUV"[plane.stokes - stokes_q])
                                                                    : fmt::format("number {} of FITS", plane.stokes));
}

/// Finds the beam of a radio map, and sets what the configuration gives in units of the beam.
void resolve_beam(Config& config, const RunImage& image) {
  const BeamPlaces places{image.header, image.primary_header, image.path, image.axes, image.planes, image.weights};
  if (!uses_beam(config)) return resolve_correlation(config, image, places);
  if (fits_gaussians(config)) warn_of_polarisation(image);
  try {
    FoundBeam found = find_beam(config.beam, places);
    const SkyBeam& beam = found.beam;
    PixelBeam pixels = beam_in_pixels(beam, image.header, image.shape, config.measurement.pixel_scale, found.warnings);
    pixels.to_jansky = jansky_per_beam(beam, pixels.area(), places, found.warnings);
    config.beam = {beam.origin, {beam.major, beam.minor}, beam.angle};
    config.resources.beam = pixels;
    config.resources.frequency = frequency_of(places).value_or(0);
    spdlog::debug(
        "{}: beam {:.4g} x {:.4g} arcseconds at {:.4g} degrees ({}), {:.4g} x {:.4g} pixels; {:.4g} pixels a "
        "beam",
        image.name, beam.major, beam.minor, beam.angle, origin_of(beam), pixels.major, pixels.minor, pixels.area());
    for (const std::string& warning : found.warnings) spdlog::warn("{}: {}", image.name, warning);
  } catch (const Error& error) {
    throw Error(error.kind(), image.name + ": " + error.what());
  }
  resolve_beams(image.shape, config);
}

}  // namespace

Resolved resolve(const Config& given, const RunImage& image) {
  Resolved resolved{given, find_gain(given, {image.name, image.header, image.primary_header})};
  Config& config = resolved.config;
  if (image.combined > 0) combine_gain(given.combine, image.combined, resolved.gain);
  config.measurement.gain = resolved.gain.gain;
  config.resources.saturation = saturation_of(given, image);
  if (image.kind == RunKind::difference && fits_gaussians(config))
    throw Error(ErrorKind::config,
                config.place_of("fit.model") +
                    ": 'fit.model' is gaussians, which are not fitted to a difference; set it to none");
  if (image.kind != RunKind::sources && fits_galaxies(config))
    throw Error(ErrorKind::config,
                config.place_of("model.fit") +
                    ": 'model.fit' fits galaxies to sources that are found, and not to given positions or a "
                    "difference; set it to none");
  if (image.kind != RunKind::sources) config.fit.model = FitModel::none;
  if (fits_galaxies(config)) add_columns_of_models(config);
  if (!image.weights.empty()) config.combine = {};
  if (image.kind == RunKind::difference && fits_crowd(config))
    throw Error(ErrorKind::config, config.place_of("crowd.method") +
                                       ": 'crowd.method' is joint, which fits the stars of one image and not of a "
                                       "difference; set it to none");
  resolve_beam(config, image);
  choose_numbers(image, config);
  if (image.kind == RunKind::difference) resolved.reference_gain = resolve_frames(given, image, resolved.gain, config);
  require_psf(config, image);
  if (image.kind == RunKind::circles || image.kind == RunKind::ellipses)
    // After forced_config, no threshold and no column needs the pixel scale.
    return std::move(resolved).with(forced_config(std::move(config), image.kind == RunKind::ellipses));
  if (fits_crowd(config)) return std::move(resolved).with(crowd_config(std::move(config)));
  config.resources.has_star_profile =
      image.kind == RunKind::difference && config.difference.kernel == MatchingKernel::fitted;
  if (image.kind == RunKind::difference && !config.output.alerts.empty()) add_columns_of_alerts(config);
  if (config.resources.has_star_profile) add_columns_of_dipoles(config);
  if (std::ranges::count(config.output.check_images, CheckImage::apertures) > 0) add_columns_of_outlines(config);
  if (!Plan(config).is_scored() && !is_measured<StarFamily>(ColumnChoice(config.output.columns), config))
    config.resources.has_star_profile = false;  // no requested score and no requested column uses the profile
  if (Plan(config).is_scored())
    // The unit of the threshold is the noise of the score. A score is a filtered image, whose noise differs from that
    // of the sky.
    config.detection.threshold_unit = ThresholdUnit::detection_sigma;
  resolve_pixel_scale(config, image);
  return resolved;
}

Config resolve_detection(const Config& given, const Shape& image, const Config& measured) {
  Config config = given;
  config.measurement.pixel_scale = measured.measurement.pixel_scale;
  config.beam = measured.beam;
  config.resources.beam = measured.resources.beam;
  if (!uses_beam(config)) {
    if (counts_pixels_of_beam(config.detection))
      config.detection.correlated_pixels = measured.detection.correlated_pixels;
    return config;
  }
  if (!config.resources.beam)
    throw Error(ErrorKind::config,
                config.place_of("background.mesh_beams") +
                    ": the detection image needs a beam, and the measured one has none; set background.mesh_beams or "
                    "fit.model for both");
  resolve_beams(image, config);
  return config;
}

}  // namespace srcextract
