#include "survey/inputs/files_beside.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "stages/catalogue/vignets.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/file_status.hpp"
#include "survey/inputs/name_hash.hpp"
#include "survey/inputs/output_names.hpp"

namespace srcextract {
namespace {

[[noreturn]] void refuse_forced(const Config& config, const std::string& key, const std::string& what,
                                const NamesBeside& names) {
  throw Error(ErrorKind::config, config.place_of(key) + ": " + what + ", and with " + names.positions +
                                     " nothing is found; leave it out, or " + names.positions);
}

void require_one_hdu(const Config& config, const NamesBeside& names) {
  if (config.input.hdu.several())
    throw Error(ErrorKind::config, config.place_of("input.hdu") + ": with " + names.band +
                                       " one image is taken of each file, and " + config.input.hdu.text() +
                                       " may be several; name one, for a band alone by " + names.band_hdu +
                                       ", and for DETECT by " + names.detect_hdu);
}

/// A line of text from which the hash is computed: the file's name in the survey, its size and its modification time.
std::string file_text(const std::string& path, const std::string& name) {
  const ImageFile file = look_at(path, name);
  return name + ' ' + std::to_string(file.bytes) + ' ' + std::to_string(file.modified) + '\n';
}

/// Throws Error{config} if this configuration does not allow to detect sources in one image and measure them in
/// another.
void require_detection_config(const Config& config, const NamesBeside& names) {
  if (config.detection.sign != DetectionSign::positive)
    throw Error(ErrorKind::config, config.place_of("detection.sign") +
                                       ": sources that are fainter than the sky are not measured in another image; "
                                       "set it to positive, or leave out " +
                                       names.detect);
  const auto refuse = [&](const std::string& key, const std::string& what) {
    throw Error(ErrorKind::config, config.place_of(key) + ": " + what + ", and with " + names.detect +
                                       " there are two; leave it out, or " + names.detect);
  };
  if (std::ranges::count(config.output.check_images, CheckImage::snr) > 0)
    refuse("output.check_images", "snr is of one image");
  if (std::ranges::any_of(config.output.check_images, shows_foreground))
    refuse("output.check_images", "threshold and morphology are of one image (extract DETECT alone to see its pixels)");
  if (config.output.report_copies > 0) refuse("output.report_copies", "copies of stars are put into one image");
  if (config.fit.reliability) refuse("fit.reliability", "one map is negated");
}

/// Throws Error{config} for settings that need detected sources; with given positions nothing is detected.
void require_forced_config(const Config& config, const NamesBeside& names) {
  const auto refuse = [&](const std::string& key, const std::string& what) { refuse_forced(config, key, what, names); };
  if (config.output.segmentation) refuse("output.segmentation", "the label map shows the pixels of sources");
  for (const CheckImage image : config.output.check_images)
    if (shows_sources(image) || (shows_model(image) && !fits_crowd(config)))
      refuse("output.check_images",
             "filtered, objects, -objects, snr, threshold, morphology, model and residual show what sources are found "
             "in");
  if (config.output.report_copies > 0)
    refuse("output.report_copies", "the completeness is the share of copies of stars that are found");
  if (config.output.quicklook && config.quicklook.overlay == Overlay::pixels)
    refuse("quicklook.overlay", "pixels are those of sources");
  if (config.measurement.local_sky > 0) refuse("measurement.local_sky", "its frame lies about the pixels of a source");
  if (config.measurement.least_apertures != MeasurementConfig{}.least_apertures)
    refuse("measurement.least_apertures", "circles do not replace ellipses of TABLE");
  if (vignet_size(config.output.columns).any())
    refuse("output.columns", "VIGNET tells the pixels of sources from others");
  if (has_flags(config.flags))
    refuse(config.flags.file.empty() ? "flags.hdu" : "flags.file", "flags are those of a source's pixels");
}

/// Throws Error{config} for settings of noise or sky that a frame of a difference cannot have: a given sky belongs to
/// one image, and the fit of a difference treats bad pixels and variances itself.
void require_frame_config(const Config& config) {
  const auto refuse = [&](const std::string& key, const std::string& problem) {
    throw Error(ErrorKind::config, config.place_of(key) + ": " + problem);
  };
  if (has_map(config.weights)) {
    if (config.difference.kernel == MatchingKernel::gaussian)
      refuse("weights.type",
             "a map tells the noise of every pixel, and difference.kernel: gaussian has one noise for all; set the "
             "kernel to fitted, or the type to none or background");
    if (detects_beyond(config.weights))
      refuse("weights.beyond", "a difference has no pixels without weight to find changes on; set it to mask");
    if (interpolates(config.weights))
      refuse("weights.interpolate", "the fit of a difference fills bad pixels itself; set it to none");
    if (config.weights.convolve)
      refuse("weights.convolve", "the fit of a difference convolves variances itself; set it to false");
  }
  if (has_level(config.given_sky))
    refuse(config.given_sky.level.empty() ? "background.level_hdu" : "background.level",
           "the sky of one frame is given, and a difference has those of two; leave it out");
  if (!config.given_sky.rms.empty())
    refuse("background.rms", "the sky of one frame is given, and a difference has those of two; leave it out");
}

/// Throws Error{config} for settings that a difference of two frames cannot have, such as absolute thresholds below 0
/// (a difference is always searched for both signs). `of_reference` is the reference frame's own configuration; null:
/// it has none.
void require_difference_config(const Config& config, const ImageConfig* of_reference) {
  if (config.output.report_copies > 0)
    throw Error(ErrorKind::config,
                config.place_of("output.report_copies") +
                    ": copies of stars are put into one image, and a difference has two; set it to 0");
  if (config.detection.threshold_unit == ThresholdUnit::absolute && config.detection.threshold < 0)
    throw Error(ErrorKind::config,
                config.place_of("detection.threshold") +
                    ": a pixel of a difference is above a threshold below 0, or its negative is; give "
                    "one of at least 0");
  for (const char* column : {"SPREAD_MODEL", "SPREADERR_MODEL"})
    if (std::ranges::count(config.output.columns, column) > 0)
      throw Error(ErrorKind::config, config.place_of("output.columns") + ": " + column +
                                         " is by the PSF of an image (psf.file), which is not that of a difference; "
                                         "leave it out");
  if (config.output.psf)
    throw Error(ErrorKind::config, config.place_of("output.psf") +
                                       ": the PSF is of one image, and a difference has two; leave it out, or make it "
                                       "by srcextract psf");
  const Config& reference = of_reference != nullptr ? of_reference->config : config;
  if (!config.combine.files.empty() && config.combine.files == reference.combine.files)
    throw Error(ErrorKind::config,
                config.place_of("combine.files") +
                    ": the same files would be combined with both frames of a difference, and cancel; "
                    "name combine.planes or combine.hdus, or leave them out");
  require_frame_config(config);
  if (of_reference != nullptr) require_frame_config(reference);
}

/// Throws Error{config} if two or more bands would use the configuration's psf.file, since a PSF belongs to one image.
void require_psf_of_bands(const Config& config, const std::vector<BandFile>& bands) {
  const auto names_none = [](const BandFile& band) {
    return std::ranges::none_of(band.settings, [](const std::string& own) { return own.starts_with("psf.file="); });
  };
  if (config.psf.file.empty() || std::ranges::count_if(bands, names_none) < 2) return;
  throw Error(ErrorKind::config, config.place_of(psf_key) + ": '" + config.psf.file +
                                     "' is the PSF of one image, and several bands have no other; set psf.file for "
                                     "each band");
}

/// Throws Error{config} if the configuration asks for outputs that belong to one image, such as pictures. Also checks
/// that the configurations of the bands and of the detection image select one HDU each.
void require_bands_config(const Config& config, const FilesBeside& beside, const NamesBeside& names) {
  const auto refuse = [&](const std::string& key, const std::string& what) {
    throw Error(ErrorKind::config, config.place_of(key) + ": " + what + " of one image, and with " + names.band +
                                       " there are several; leave it out, or " + names.instead);
  };
  if (vignet_size(config.output.columns).any()) refuse("output.columns", "VIGNET shows the pixels");
  if (!config.output.check_images.empty()) refuse("output.check_images", "check images are");
  if (config.output.quicklook) refuse("output.quicklook", "the picture is");
  if (config.output.report) refuse("output.report", "the report is");
  if (config.output.psf) refuse("output.psf", "the PSF is");
  require_psf_of_bands(config, beside.bands);
  require_one_hdu(beside.detection->config(), names);
  for (const BandFile& band : beside.bands) require_one_hdu(band.given->config, names);
}

/// Whether a setting (`section.key=value`) is about reading an image, or its noise and sky.
bool is_of_reading(const std::string& setting) {
  constexpr std::array<std::string_view, 5> sections = {"background.", "combine.", "input.", "mask.", "weights."};
  return std::ranges::any_of(sections, [&](std::string_view section) { return setting.starts_with(section); });
}

/// A text for messages that tells which additional columns the catalogue of this file has.
std::string kind_of(const ImageFile& file) {
  if (file.has_positions()) return "at given positions";
  if (file.has_reference()) return "of a difference";
  if (!file.has_bands()) return "without bands";
  std::set<std::string> names;
  for (const BandFile& band : file.beside->bands) names.insert(band.name);
  std::string kind = "with ";
  for (const std::string& name : names) kind += (kind.ends_with(' ') ? "" : "+") + name;
  return kind;
}

}  // namespace

void require_detection_settings(const std::vector<std::string>& settings, const NamesBeside& names) {
  for (const std::string& setting : settings) {
    if (is_of_reading(setting)) continue;
    throw Error(ErrorKind::config,
                names.detect_set + setting +
                    ": the detection image can have its own keys of background, combine, input, mask and weights; set "
                    "all other keys for the run, by --set");
  }
}

void require_reference_settings(const std::vector<std::string>& settings, const NamesBeside& names) {
  constexpr std::array<std::string_view, 4> keys = {"measurement.gain", "measurement.gain_keyword",
                                                    "measurement.saturation", "measurement.saturation_keyword"};
  for (const std::string& setting : settings) {
    if (is_of_reading(setting) || std::ranges::count(keys, setting.substr(0, setting.find('='))) > 0) continue;
    throw Error(ErrorKind::config,
                names.reference_set + setting +
                    ": a reference can have its own keys of background, combine, input, mask and weights, and its own "
                    "measurement.gain, gain_keyword, saturation and saturation_keyword; set all other keys for the "
                    "run, by --set");
  }
}

std::string problem_of_band_setting(const std::string& setting) {
  constexpr std::array<std::string_view, 8> sections = {"background.", "combine.",     "flags.", "input.",
                                                        "mask.",       "measurement.", "psf.",   "weights."};
  if (std::ranges::none_of(sections, [&](std::string_view section) { return setting.starts_with(section); }))
    return "a band can have its own keys of background, combine, flags, input, mask, measurement, psf and weights; set "
           "all other keys for the run, by --set";
  if (setting.starts_with("measurement.pixel_scale="))
    return "all bands have the pixels of DETECT; set it for all of them, by --set";
  return "";
}

void require_config_beside(const Config& config, const FilesBeside& beside, const NamesBeside& names) {
  if (!beside.reference.empty()) require_difference_config(config, beside.of_reference.get());
  if (!beside.positions.empty()) require_forced_config(config, names);
  if (beside.detection) require_detection_config(config, names);
  if (!beside.bands.empty()) require_bands_config(config, beside, names);
}

std::uint64_t hash_of_files_beside(const FilesBeside& beside, const SurveyNames& names) {
  std::string text;
  if (beside.detection)
    text += "detect " + beside.detection->given->hash + ' ' + file_text(beside.detection->path, names.detection);
  if (!beside.positions.empty()) text += "positions " + file_text(beside.positions, names.positions);
  if (!beside.reference.empty()) text += "reference " + file_text(beside.reference, names.reference);
  if (beside.of_reference) text += "as " + beside.of_reference->hash + '\n';
  for (std::size_t i = 0; i < beside.bands.size(); ++i) {
    const BandFile& band = beside.bands[i];
    text += "band " + band.name + ' ' + band.given->hash + ' ' + file_text(band.path, names.bands[i]);
  }
  return name_hash(text);
}

std::string hash_of_config(const ImageFile& file) {
  if (!file.beside) return file.config->hash;
  return hexadecimal(name_hash(file.config->hash + ' ' + hexadecimal(file.beside->hash)));
}

std::string describe_kinds(const ImageFiles& files) {
  std::map<std::string, std::string> kinds;  // kind of catalogue, and name of its first image
  std::optional<const FilesBeside*> last;
  for (const ImageFile& file : files)
    if (std::exchange(last, file.beside.get()) != file.beside.get()) kinds.emplace(kind_of(file), file.name);
  if (kinds.size() < 2) return "";
  std::vector<std::string> texts;
  for (const auto& [kind, name] : kinds) texts.push_back(kind + " ('" + name + "')");
  return "catalogues of this survey will have different columns, which `srcextract merge` does not join; give each "
         "kind "
         "a DIR of its own if they are to be merged: " +
         first_few(texts.size(), [&](std::size_t i) { return texts[i]; });
}

std::string forced_name(const std::string& name) {
  return image_stem(name) + ".forced";
}

std::string bands_name(const std::string& name) {
  return image_stem(name) + ".bands";
}

std::string difference_name(const std::string& name) {
  return image_stem(name) + ".diff";
}

}  // namespace srcextract
