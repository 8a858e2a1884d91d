#include "pipeline/image/image_log.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "io/wcs/wcs.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/exposure/unused_maps.hpp"
#include "stages/core/counted.hpp"

namespace srcextract {
namespace {

/// Whether float32, with its 24 bits of mantissa, cannot represent all values of this pixel type.
bool wider_than_float32(int bitpix) {
  return bitpix == 32 || bitpix == 64 || bitpix == -64;
}

/// The back end that extracted the image, for example "2 CPU threads" or "CUDA device 0 (NVIDIA H200)".
std::string worker_name(const ImageResult& result, const Execution& execution) {
  if (result.backend == "cuda")
    return fmt::format("CUDA device {} ({})", execution.device->index, execution.device->name);
  return counted(execution.cpu.threads, "CPU thread");
}

void log_statistics(const std::string& name, const std::string& when, const Statistics& s) {
  spdlog::debug("{}: {}: mean {:.4g}, median {:.4g}, sigma {:.4g}, min {:.4g}, max {:.4g}, {} pixels", name, when,
                s.mean, s.median, s.sigma, s.min, s.max, s.count);
}

void log_mesh(const std::string& name, const Background& background) {
  const MeshFacts& mesh = background.mesh;
  spdlog::debug(
      "{}: sky of {} x {} meshes: level {:.4g} ({:.4g} to {:.4g}), sigma {:.4g} ({:.4g} to {:.4g}), {} pixels", name,
      mesh.width, mesh.height, background.clipped.median, mesh.least_level, mesh.most_level, background.clipped.sigma,
      mesh.least_rms, mesh.most_rms, background.all.count);
}

void log_clip(const std::string& name, const Background& background) {
  if (background.mesh.width > 0) return log_mesh(name, background);
  log_statistics(name, "before clipping", background.all);
  const char* end = background.converged ? "" : " (stopped by background.max_iterations, not converged)";
  log_statistics(name, fmt::format("after {} of clipping{}", counted(background.iterations, "round"), end),
                 background.clipped);
}

void log_background(const std::string& name, const Extraction& extraction) {
  if (const auto& level = extraction.given_level)
    spdlog::debug("{}: sky level as it is given: {:.4g} ({:.4g} to {:.4g}); what follows is above it", name,
                  level->middle, level->least, level->most);
  log_clip(name, extraction.background);
}

void log_aperture_noise(const std::string& name, const ApertureNoise& noise) {
  if (!noise.measured) return;  // image_warnings() reports why
  constexpr double some_pixels = 100;
  spdlog::debug(
      "{}: noise of sums of N pixels: {:.4g} N^{:.4g} times that of a pixel; of {:.0f} pixels {:.3g} times as "
      "large as if they were independent",
      name, noise.law.alpha, noise.law.beta, some_pixels, noise.law.factor(some_pixels));
}

/// The threshold for a message, for example "5.2 (5 sigma)". If the image has no noise of its own, in units of the
/// weight map's noise.
std::string name_of_threshold(const Levels& levels, const Config& config) {
  if (levels.sigma == 0 && levels.in_noise > 0)
    return fmt::format("{:.6g} times the noise of the map", levels.in_noise);
  const std::string level = fmt::format("{:.6g}", levels.detection);
  if (!counts_in_sigmas(config.detection) || controls_false_discoveries(config.detection)) return level;
  const bool of_filtered =
      Plan(config).is_scored() ||
      (config.detection.threshold_unit == ThresholdUnit::detection_sigma && config.convolve.filters());
  return fmt::format("{} ({:.6g} sigma{})", level, config.detection.threshold,
                     of_filtered ? " of the filtered image" : "");
}

/// For example "7 sources above 5.2 (5 sigma)". Includes sources below the sky if these were searched for.
std::string sources_beyond(const Config& config, const Extraction& extraction) {
  const Sources& sources = extraction.sources;
  const Levels& levels = extraction.found_in ? extraction.found_in->levels : extraction.levels;
  const std::string count = counted(sources.size(), "source"), level = name_of_threshold(levels, config);
  if (extraction.difference || !sources.has(columns::sign)) return count + " above " + level;
  if (config.detection.sign == DetectionSign::negative)
    return count + " as far below the sky as " + level + " is above it";
  const auto below = std::ranges::count(sources[columns::sign], -1);
  return fmt::format("{} above {}, {} as far below the sky", counted(sources.size() - below, "source"), level, below);
}

void log_sky(const std::string& name, const std::string& reason, bool describe) {
  const bool expected = reason == no_celestial_wcs;
  if (reason.empty() || (expected && !describe)) return;
  spdlog::log(expected ? spdlog::level::debug : spdlog::level::warn, "{}: no sky positions: {}", name, reason);
}

/// Logs HDUs of the file that are not extracted, since the user may expect them: masks, what is no image to extract,
/// and images after the first.
void log_others(const ImageInput& input, const InputConfig& config, const LeftOut& left_out) {
  const auto listed = [](const std::vector<std::string>& names) {
    return first_few(names.size(), [&](std::size_t i) { return names[i]; });
  };
  if (!left_out.masks.empty())
    spdlog::info("{}: left out of input.hdu: {}, as masks by their names: {}; input.hdu can name one", input.name,
                 config.hdu.text(), listed(left_out.masks));
  const bool first_alone = config.hdu == "auto" && input.file.config->config.combine.hdus.empty();
  const FitsImage::Further further = first_alone ? input.frame.image().further_images() : FitsImage::Further();
  std::vector<std::string> no_images = left_out.no_images;
  no_images.insert(no_images.end(), further.no_images.begin(), further.no_images.end());
  if (!no_images.empty())
    spdlog::info("{}: left out of input.hdu: {}, as no image to extract: {}", input.name, config.hdu.text(),
                 listed(no_images));
  if (!further.images.empty())
    spdlog::info("{}: the first image of the file is extracted, and not {}; input.hdu selects one, or all", input.name,
                 first_few(further.images.size(), [&](std::size_t i) { return further.images[i].label; }));
}

/// For example ", plane 1 of 3 (input.plane)" if the image has several planes; else empty.
std::string plane_name(const FitsImage& image, std::int64_t plane) {
  return image.planes() > 1 ? fmt::format(", plane {} of {} (input.plane)", plane, image.planes()) : "";
}

/// For example ", 3 images combined". If nothing was combined, like plane_name() above.
std::string plane_name(const OpenFrame& frame, std::int64_t plane) {
  if (!frame.combined().empty()) return fmt::format(", {} images combined", frame.combined().size());
  return plane_name(frame.image(), plane);
}

/// Logs that the pixels of a file are made linear, if they have an asinh scale. In the place of SExtractor this is a
/// warning, since SExtractor measures such pixels as they are.
void log_linear(const std::string& name, const FitsImage& image, const Config& config) {
  const std::optional<AsinhScale>& scale = image.asinh_scale();
  if (!scale) return;
  spdlog::log(config.kept.as_sextractor ? spdlog::level::warn : spdlog::level::info,
              "{}: its pixels x have an asinh scale (BSOFTEN, BOFFSET), and are made linear: {:.6g} "
              "+ {:.6g} * 2 sinh(x / 1.0857362)",
              name, scale->offset, scale->softening);
}

/// Logs, for example, "noise map: HDU 1 of map.fits".
void log_map(const std::string& name, const char* what, const OpenMap& map) {
  spdlog::debug("{}: {}: HDU {} of {}{}{}", name, what, map.image.hdu(), map.path, plane_name(map.image, map.plane),
                map.image.asinh_scale() ? ", made linear by BSOFTEN and BOFFSET" : "");
}

void log_padding(const std::string& name, const OpenFrame& frame) {
  if (frame.padding().empty() || frame.padding().front().pixels == 0) return;
  spdlog::info("{}: {} are taken for padding and masked; to keep them: --set input.padding=keep", name,
               describe_padding(frame.padding()));
}

/// Text with the number of sources in the map and the number of false sources in the negated map.
std::string describe_reliability(const Reliability& of, std::int64_t sources) {
  const auto sum = [](const std::vector<ReliabilityBin>& bins, std::int64_t ReliabilityBin::*count) {
    std::int64_t all = 0;
    for (const ReliabilityBin& bin : bins) all += bin.*count;
    return all;
  };
  const std::string near =
      of.bright == 0 ? ""
                     : fmt::format("; near {} above {} sigma: {} and {}", counted(of.bright, "source"), very_bright_snr,
                                   sum(of.near, &ReliabilityBin::positive), sum(of.near, &ReliabilityBin::negative));
  return fmt::format("{}, and {} in the negated map{} (fit.reliability)", counted(sources, "source"), of.negative,
                     near);
}

/// What was found in an image, for example "7 sources above 5.2 (5 sigma); sky 100, sigma 1.04".
std::string summary_of(const ImageInput& input, const Extraction& e) {
  if (input.positions != nullptr)
    return fmt::format("{} measured, {} of them off the image", counted(e.sources.size(), "position"),
                       input.positions->outside(input.exposure.shape()));
  if (e.crowd)
    return fmt::format(
        "{} fitted at once, in {}; the noise of a pixel of the sky is {:.4g}, and the PSF {:.3g} pixels wide",
        counted(e.sources.size(), "star"), counted(std::ssize(e.crowd->turns), "turn"), e.crowd->noise, e.crowd->fwhm);
  const Statistics& sky = e.background.clipped;
  std::string found = sources_beyond(input.config(), e);
  if (e.fitted)
    found = counted(std::ssize(e.fitted->gaussians), "Gaussian") + " of " +
            counted(std::ssize(e.fitted->sources), "source") + ", in islands above " +
            name_of_threshold(e.levels, input.config());
  return fmt::format("{}; sky {:.4g}, sigma {:.4g}", found, sky.median, sky.sigma);
}

/// Logs the text of a result if `describe`. If there is a problem, always logs the text, as a warning.
void log_known(const std::string& name, const std::string& problem, const std::string& text, bool describe) {
  if (describe || !problem.empty())
    spdlog::log(problem.empty() ? spdlog::level::info : spdlog::level::warn, "{}: {}", name, text);
}

}  // namespace

void log_input(const ImageInput& input, const InputConfig& config, const LeftOut& left_out) {
  const FitsImage& image = input.frame.image();
  const std::string extname = image.extname().empty() ? "" : " '" + image.extname() + "'";
  const int bitpix = input.frame.stored_format().bitpix;
  const std::string plane = plane_name(input.frame, input.frame.plane_numbers().front());
  // The user may expect all planes of a cube, so the log tells without -v that one plane is extracted.
  spdlog::log(plane.empty() ? spdlog::level::debug : spdlog::level::info, "{}: {} x {} pixels, BITPIX {}, HDU {}{}{}",
              input.name, input.first().shape.width, input.first().shape.height, bitpix, image.hdu(), extname, plane);
  log_others(input, config, left_out);
  log_linear(input.name, image, input.file.config->config);
  log_padding(input.name, input.frame);
  if (spdlog::should_log(spdlog::level::info)) {
    const std::string maps = unused_maps(input.frame, input.file.path, input.file.config->config);
    if (!maps.empty()) spdlog::info("{}: {}", input.name, maps);
  }
  if (input.reference) {
    spdlog::debug("{}: {} is subtracted from it", input.name, input.reference->path);
    log_linear(input.reference->path, input.reference->frame.image(), input.file.config->config);
    log_padding(input.reference->path, input.reference->frame);
    if (input.reference->maps.mask) log_map(input.reference->path, "mask", *input.reference->maps.mask);
    if (input.reference->maps.weights) log_map(input.reference->path, "noise map", *input.reference->maps.weights);
  }
  if (input.detection)
    spdlog::debug("{}: its sources are found in HDU {} of {}", input.name, input.detection->frame.image().hdu(),
                  input.detection->task.path);
  if (input.detection) {
    log_linear(input.detection->task.path, input.detection->frame.image(), input.detection->task.config());
    log_padding(input.detection->task.path, input.detection->frame);
  }
  if (input.positions)
    spdlog::debug("{}: measured at the positions of {}, {}", input.name, input.positions->list.path,
                  input.positions->by_sky ? "by its WCS" : "in pixels");
  if (input.mask) log_map(input.name, "mask", *input.mask);
  for (const OpenFlags* flags : input.flags) log_map(input.name, "flag map", flags->map);
  if (input.level) log_map(input.name, "sky level", *input.level);
  if (input.weights) log_map(input.name, "noise map", *input.weights);
  if (wider_than_float32(bitpix))
    spdlog::debug("{}: BITPIX {} is wider than float32: pixels are scaled in double and rounded to float32", input.name,
                  bitpix);
}

void log_gain(const ImageInput& input) {
  const auto tell = [&](const std::string& name, const FrameGain& gain, const PhotonsOfMap& photons) {
    // A gain from another keyword than measurement.gain_keyword may surprise the user, so the log tells it without -v.
    const bool is_asked_for = gain.reason == input.file.config->config.measurement.gain_keyword + " of its header" ||
                              gain.reason.starts_with("measurement.gain");
    const auto level = is_asked_for ? spdlog::level::debug : spdlog::level::info;
    if (gain.gain > 0) spdlog::log(level, "{}: gain {:.6g} electrons a pixel value: {}", name, gain.gain, gain.reason);
    if (gain.gain > 0 && !photons.reason.empty())
      spdlog::debug(
          "{}: its noise map is taken {}hold the photons of sources, so errors of fluxes add {} by the gain: {}", name,
          photons.included ? "to " : "not to ", photons.included ? "none" : "them", photons.reason);
  };
  tell(input.name, input.gain, input.photons);
  if (input.reference != nullptr) tell(input.reference->path, input.reference_gain, input.reference_photons);
}

void log_result(const ImageInput& input, const ImageResult& result, bool describe, bool of_several) {
  const Extraction& e = result.extraction;
  if (const MaskCounts& m = e.masked; describe && m.total() > 0) {
    const std::string by_maps =
        m.weight + m.mask + m.level > 0
            ? fmt::format(", {} by weights, {} by the mask, {} by the level", m.weight, m.mask, m.level)
            : "";
    spdlog::debug("{}: masked pixels: {} NaN, {} infinite, {} BLANK{}", input.name, m.nan, m.infinite, m.blank,
                  by_maps);
  }
  if (describe && e.fitted)
    spdlog::debug("{}: pixels share their noise over {:.3g} beams ({})", input.name, e.fitted->noise_area,
                  e.fitted->area_measured ? "measured" : "fit.noise_area");
  if (describe && e.fitted && e.fitted->reliability)
    spdlog::info("{}: {}", input.name, describe_reliability(*e.fitted->reliability, std::ssize(e.fitted->sources)));
  if (describe && e.found_in) log_clip(input.detection->task.path, e.found_in->background);
  if (describe) log_background(input.name, e);
  if (describe && e.aperture_noise) log_aperture_noise(input.name, *e.aperture_noise);
  if (describe && input.positions == nullptr && !e.crowd)
    spdlog::debug("{}: {} of pixels before detection.min_area{}", input.name, counted(e.detected, "group"),
                  e.sources.has(columns::id_parent) ? " and deblending" : "");
  if (describe && !of_several) spdlog::info("{}: {}", input.name, summary_of(input, e));
  for (const std::string& warning : result.warnings) spdlog::warn("{}: {}", input.name, warning);
  log_sky(input.name, result.no_sky_reason, describe);
}

void log_measured(const ImageInput& input, const Completeness& completeness, bool describe) {
  log_known(input.name, completeness.problem, describe_completeness(completeness), describe);
}

void log_measured(const ImageInput& input, const Injection& injection, bool describe) {
  log_known(input.name, injection.problem, describe_injection(injection), describe);
}

void log_done(const ImageInput& input, const ImageResult& result, const Execution& execution, double seconds,
              const std::string& written, bool of_several) {
  spdlog::info("{}: {} in {:.3f} s on {}{}{}", input.name,
               of_several ? summary_of(input, result.extraction) + ";" : "done", seconds,
               worker_name(result, execution), written.empty() ? "" : ", into ", written);
}

}  // namespace srcextract
