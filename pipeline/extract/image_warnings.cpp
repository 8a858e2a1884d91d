#include "pipeline/extract/image_warnings.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "io/fits/header.hpp"
#include "pipeline/chain/detection.hpp"
#include "pipeline/extract/add_sky_columns.hpp"
#include "pipeline/extract/dark_cores.hpp"
#include "pipeline/extract/difference_warnings.hpp"
#include "pipeline/extract/find_psf.hpp"
#include "pipeline/extract/galaxy_warnings.hpp"
#include "pipeline/extract/header_warnings.hpp"
#include "pipeline/extract/image_sample.hpp"
#include "pipeline/extract/impossible_noise.hpp"
#include "pipeline/extract/mesh_filling.hpp"
#include "pipeline/extract/precision.hpp"
#include "stages/catalogue/declared_columns.hpp"
#include "stages/core/counted.hpp"
#include "stages/math/psf_model.hpp"
#include "stages/measure/dipoles.hpp"
#include "stages/measure/empty_apertures.hpp"
#include "stages/photometry/star_fit.hpp"
#include "stages/photometry/star_frames.hpp"
#include "stages/settings/problems.hpp"
#include "stages/sky/mesh.hpp"
#include "stages/sky/sky_surface.hpp"

namespace srcextract {
namespace {

using Warnings = std::vector<std::string>;

/// Warns if a header has keywords of an asinh scale that no reader has applied: that of an array, whose pixels may be
/// linear already, that of unscaled integers, or a BOFFSET alone. Files with a whole scale are read as linear pixels,
/// and their headers have no such keywords.
void warn_of_asinh_scale(const FitsImage& image, Warnings& warnings) {
  const Header header(image.header());
  if (!header.has("BSOFTEN") && !header.has("BOFFSET")) return;
  warnings.emplace_back(
      "the header has BSOFTEN or BOFFSET, as asinh pixels have (Pan-STARRS), and the pixels are taken as they are. If "
      "they are not linear, make them so, and delete both keywords: data = BOFFSET + BSOFTEN * 2 * np.sinh(data / "
      "1.0857362)");
}

/// Whether the mesh in the last corner has so few pixels that they may well be equal, as one pixel is.
bool has_few_in_corner(const Shape& shape, const BackgroundConfig& config) {
  constexpr std::int64_t few = 8;
  const MeshGrid grid = mesh_grid(shape, mesh_sides(config));
  return (shape.width - (grid.nodes.width - 1) * grid.mesh.width) *
             (shape.height - (grid.nodes.height - 1) * grid.mesh.height) <
         few;
}

/// Warns if the image may be padded with pixels that input.padding did not mask. The sky estimate treats these like
/// others. Fewer than 5 % zeros give no warning, and fewer than 30 % if the sky level is within one sigma of 0. Also
/// warns of meshes without noise, and of a given value of padding that no pixel has. A value that is data, as of few
/// photons, gives no warning.
void warn_of_padding(const ImageInput& input, const Background& background, Warnings& warnings) {
  const Config& config = input.config();
  if (const std::vector<PaddingValue>& padding = input.frame.padding(); !padding.empty() && padding.front().pixels == 0)
    warnings.push_back(fmt::format("{}: no pixel has this value", config.place_of("input.padding")));
  const std::optional<float>& of_data = input.frame.value_of_data();
  if (!of_data && background.mesh.least_rms <= 0 && background.mesh.most_rms > 0 &&
      !has_few_in_corner(input.exposure.shape(), config.background))
    warnings.emplace_back(
        "there are meshes whose pixels are all equal. Is this padding? They have no noise to count in: if it is, mask "
        "these pixels with --set input.padding=VALUE, where VALUE is theirs");
  const bool off_the_sky = std::abs(background.clipped.median) > background.clipped.sigma;
  std::optional<CommonValue> common;
  if (background.zero_share >= (off_the_sky ? 0.05 : 0.3))
    common = CommonValue{.value = 0, .share = background.zero_share};
  else if (input.mask == nullptr && input.weights == nullptr)
    common = input.frame.left_padding();
  if (!common || common->value == of_data) return;
  warnings.push_back(
      fmt::format("{:.0f} % of the pixels are exactly {}. Is this padding? It makes background and sigma wrong: if it "
                  "is, mask these pixels with --set input.padding={}",
                  100 * common->share, common->value, common->value));
}

/// Warns if the noise of the sky is 0. A threshold in sigma is then an error elsewhere. With other thresholds the
/// extraction works, but errors of measurements lack the noise.
void warn_of_no_noise(const Config& config, const Background& background, Warnings& warnings) {
  if (background.clipped.sigma != 0 || has_map(config.weights)) return;
  warnings.push_back(fmt::format(
      "the pixels that survive the clip are all equal{}, so that sigma is 0, and errors have none of the sky's noise "
      "in them. Is this an empty or constant image? If not, give the noise: background.rms, or a map as weights.type "
      "rms",
      background.mesh.width > 0 ? " in every mesh" : ""));
}

/// Warns if nearly all pixels are equal, as of few photons. A clip then leaves one value in some meshes, so that their
/// noise is much less than that of others, or thousands of single photons are sources.
void warn_of_few_photons(const ImageInput& input, const Config& config, const Extraction& extraction,
                         Warnings& warnings) {
  const Background& background = extraction.background;
  constexpr double even = 0.6, most = 0.8;
  constexpr std::int64_t pixels_of_source = 2000;
  const bool uneven = background.mesh.width > 0 && background.mesh.least_rms < even * background.clipped.sigma;
  const bool many = pixels_of_source * extraction.sources.size() > input.exposure.shape().count();
  if (!(uneven || many) || input.reference != nullptr || !input.frame.combined().empty()) return;
  const ImageSample::Middle middle = ImageSample(input.exposure, config).middle();
  if (!(middle.share > most)) return;
  warnings.push_back(
      fmt::format("{}: {:.0f} % of the pixels are {:.4g}, as of few photons: a clip tells neither the sky nor its "
                  "noise, and single "
                  "photons are taken for sources, some with errors of 0; add pixels or exposures together until fewer "
                  "than 80 % are",
                  config.place_of("background.method"), 100 * middle.share, middle.value));
}

/// Warns if squares of the noise are out of the range of float32, in which a map of variances is.
void warn_of_unit(const Config& config, const Background& background, Warnings& warnings) {
  constexpr double least = 1e-18, most = 1e18;
  const double sigma = background.clipped.sigma;
  if (!has_map(config.weights) || sigma == 0 || (sigma >= least && sigma <= most)) return;
  warnings.push_back(
      fmt::format("{}: the noise is {:.2g}, and variances are float32, which its square is too {} for: weights are "
                  "rounded, or mask pixels; multiply image and "
                  "map by a constant, {:.0e} for example",
                  config.place_of("weights.type"), sigma, sigma < 1 ? "small" : "large", 1 / sigma));
}

/// A source that covers a larger fraction of the image than this is probably the sky.
constexpr double large_share = 0.05;

/// Probable reason why the sky was detected as a source, and what to change.
std::string why_so_large(const Config& config, const Extraction& extraction) {
  const Statistics& sky = extraction.background.clipped;
  const bool of_mesh = extraction.background.mesh.width > 0;
  const double level = of_mesh ? 0 : sky.median;  // level of the sky in the image to which the threshold is applied
  const bool sky_is_above = extraction.levels.detection < level + 3 * sky.sigma;
  if (sky_is_above && config.detection.threshold_unit == ThresholdUnit::absolute)
    return fmt::format("{}: the sky, {:.4g} with a sigma of {:.4g}, is not below this pixel value; set a higher one",
                       config.place_of("detection.threshold"), level, sky.sigma);
  if (sky_is_above && config.detection.threshold_unit == ThresholdUnit::mag_per_arcsec2)
    return fmt::format(
        "{}: this is but {:.4g} above the sky, whose sigma is {:.4g}; set a brighter one, or the right "
        "measurement.zero_point",
        config.place_of("detection.threshold"), extraction.levels.detection - level, sky.sigma);
  if (sky_is_above && config.detection.reference == Baseline::zero)
    return fmt::format(
        "{}: the threshold is counted from zero, and the sky is not zero but {:.4g}; set it to background",
        config.place_of("detection.reference"), sky.median);
  const bool by_rate = controls_false_discoveries(config.detection);
  return fmt::format(
      "{}: if nothing in the image is that large, the sky varies by more than the threshold; subtract it "
      "first, or set a {} one",
      config.place_of(by_rate ? "detection.false_discovery_rate" : "detection.threshold"),
      by_rate ? "lower" : "higher");
}

/// The number of pixels that sources may cover, and a phrase for these pixels in messages.
struct Room {
  std::int64_t pixels;
  const char* name;
};

/// Counts the pixels that sources may cover: all unmasked pixels, or, if masked gaps are interpolated, all pixels.
Room room_for_sources(const ImageInput& input, const Extraction& extraction) {
  const bool elsewhere = extraction.found_in && input.detection != nullptr;
  const Config& config = elsewhere ? input.detection->task.config() : input.file.config->config;
  const std::int64_t all = input.exposure.shape().count();
  if (interpolates(config.weights)) return {all, "of the pixels"};
  const MaskCounts& masked = elsewhere ? extraction.found_in->masked : extraction.masked;
  return {all - masked.total(), "of the pixels that are not masked"};
}

/// Warns of a source that covers more than 5 % of the image, which is easily overlooked in the catalogue. Returns
/// whether there is one.
bool warn_of_large_source(const ImageInput& input, const Config& config, const Extraction& extraction,
                          Warnings& warnings) {
  const std::vector<std::int64_t>& npix = extraction.sources[columns::npix];
  const auto largest = std::ranges::max_element(npix);
  if (largest == npix.end()) return false;
  const Room room = room_for_sources(input, extraction);
  const double share = static_cast<double>(*largest) / static_cast<double>(room.pixels);
  if (share <= large_share) return false;
  warnings.push_back(fmt::format("source {} has {:.0f} % {}; {}", largest - npix.begin() + 1, 100 * share, room.name,
                                 why_so_large(config, extraction)));
  return true;
}

/// The size of meshes for an image that has a source of `pixels` pixels: three times the diameter of the source,
/// rounded up to a power of two.
std::int64_t mesh_for(std::int64_t pixels) {
  constexpr double widths = 3, pi = 3.14159265358979323846;
  const double wanted = widths * 2 * std::sqrt(static_cast<double>(pixels) / pi);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::ceil(wanted))));
}

void warn_of_filled_meshes(const Shape& shape, const Config& config, const Extraction& extraction, Warnings& warnings) {
  if (has_level(config.given_sky)) return;
  // Number of meshes along one side that count as one. With a second sky estimate, the median filter over filter_size
  // meshes, or the surface through more of them, removes the light of a source that the first estimate took for sky.
  const std::int64_t together = config.background.surface == BackgroundSurface::quadric ? surface_reach
                                : config.background.refine > 1                          ? config.background.filter_size
                                                                                        : 1;
  Shape size = mesh_sides(config.background);
  size = {size.width * together, size.height * together};
  const MeshFilling filling = fill_meshes(extraction.sources, shape, size);
  const double beams = config.background.mesh_beams;
  const std::string place = config.place_of(beams > 0 ? "background.mesh_beams" : "background.mesh_size");
  const auto advice = [&](std::int64_t side) {
    if (beams > 0)
      return fmt::format("set background.mesh_beams to {:.0f}",
                         std::ceil(beams * static_cast<double>(side) / static_cast<double>(size.width)));
    side /= together;
    return config.background.mesh_height > 0 ? fmt::format("make meshes as large as {} x {} pixels", side, side)
                                             : fmt::format("set background.mesh_size to {}", side);
  };
  if (filling.largest_pixels > size.count() / 3)
    warnings.push_back(
        fmt::format("{}: source {} has {} pixels, more than a third of {} of {} x {}, and is in part taken for sky; "
                    "{} if the sky varies over no less",
                    place, filling.largest, filling.largest_pixels, together > 1 ? "the filter's meshes" : "a mesh",
                    size.width, size.height, advice(mesh_for(filling.largest_pixels))));
  if (filling.filled > 0)
    warnings.push_back(
        fmt::format("{}: sources cover more than half of {} of {} meshes, most ({:.0f} %) of that around pixel {}, {}: "
                    "the level there is the light of sources, not the sky; {} or more",
                    place, filling.filled, mesh_grid(shape, size).nodes.count(), 100 * filling.most, filling.x,
                    filling.y, advice(2 * std::max(size.width, size.height))));
}

/// Range of the sorted block medians. Leaves out the highest 10 of 64 medians, which large sources raise, and the
/// lowest 2, which defects lower; fewer if there are fewer medians.
double range_of(const std::vector<float>& medians) {
  const std::size_t count = medians.size();
  return static_cast<double>(medians[count - 1 - count * 10 / 64] - medians[count * 2 / 64]);
}

/// The range of the block medians divided by a width: the sky's sigma or, if larger, the typical width of the pixel
/// distribution within a block. In a crowded field the latter is large. 0 if unknown.
double spread_of(const ImageSample& sample, double sigma) {
  constexpr std::size_t least_blocks = 32;
  const std::vector<float> medians = sample.block_medians();
  if (medians.size() < least_blocks || !(sigma > 0)) return 0;
  const double range = range_of(medians);
  return range <= sigma ? range / sigma : range / std::max(sigma, sample.block_width());
}

void warn_of_sloping_sky(const ImageSample& sample, const Config& config, const Background& background,
                         Warnings& warnings) {
  const bool of_number = has_level(config.given_sky);
  const double spread = spread_of(sample, background.clipped.sigma);
  if (spread <= 1) return;
  warnings.push_back(fmt::format(
      "{}: one level stands for the whole sky, and the medians of 8 x 8 blocks of the image spread by {:.2g} "
      "sigma: where it is low sources are lost, and where it is high it is taken for them; {}",
      config.place_of(of_number ? "background.level" : "background.method"), spread,
      of_number ? "give background.level as a map, or leave it out" : "set background.method to mesh"));
}

/// Warns if the image's noise differs by a factor of 3 or more from the noise of a weight map that is used without
/// rescaling.
void warn_of_other_noise(const ImageSample& sample, const Config& config, const Background& background,
                         Warnings& warnings) {
  constexpr double factor = 3;
  const double told = sample.noise_of_map(), sigma = background.clipped.sigma;
  if (!(told > 0) || !(sigma > 0) || (told < factor * sigma && sigma < factor * told)) return;
  const bool of_rms = config.weights.type == WeightType::rms;
  warnings.push_back(fmt::format(
      "{}: the map says that the noise is {:.4g} (the median), and the image's own is {:.4g}: thresholds "
      "and errors are "
      "wrong by that factor unless sources hide the sky; {}",
      config.place_of(of_rms ? "weights.type" : "weights.rescale"), told, sigma,
      of_rms ? "does it hold variances or weights (weights.type), or is it in another unit?"
             : "set weights.rescale to true if the map is known but for a factor, or correct weights.type"));
}

void warn_by_sample(const ImageInput& input, const Config& config, const Background& background, Warnings& warnings) {
  const bool of_number = given_number(config.given_sky.level).has_value();
  const bool of_constant = of_number || (background.mesh.width == 0 && !has_level(config.given_sky));
  const bool of_map = input.weights != nullptr && !is_rescaled(config.weights);
  if (input.reference != nullptr || !input.frame.combined().empty() || !(of_constant || of_map)) return;
  const ImageSample sample(input.exposure, config);
  if (of_constant) warn_of_sloping_sky(sample, config, background, warnings);
  if (of_map) warn_of_other_noise(sample, config, background, warnings);
}

/// Warns if the configuration asks for noise from empty apertures and that noise could not be measured.
void warn_of_few_apertures(const Config& config, const Extraction& extraction, Warnings& warnings) {
  const auto& noise = extraction.aperture_noise;
  if (!noise || noise->measured) return;
  const EmptyApertures& needed = noise->radii.at(least_radii - 1);
  if (needed.apertures >= least_empty_apertures) {
    warnings.push_back(fmt::format(
        "{}: errors take pixels as independent, since sums over empty apertures of this image do not scatter. If "
        "the image has no noise, set measurement.noise to pixel",
        config.place_of("measurement.noise")));
    return;
  }
  warnings.push_back(fmt::format(
      "{}: errors are those of independent pixels, as of pixel: there are {} for circles of {:.3g} pixels radius that "
      "no source, masked pixel or edge is near, and {} are needed to tell the noise in apertures; extract a larger "
      "part of the sky, raise detection.threshold if what fills the image is no source, or set measurement.noise to "
      "pixel",
      config.place_of("measurement.noise"), counted(needed.apertures, "place"), needed.radius, least_empty_apertures));
}

/// Warns if neither the header nor the configuration gives the level of saturation, and stars are clipped.
void warn_of_clipped_stars(const Config& config, const ClippedPeaks& clipped, Warnings& warnings) {
  if (clipped.sources == 0) return;
  warnings.push_back(fmt::format(
      "{}: {} have the same greatest value, {:.6g}, so it is taken for the level of saturation, which the header does "
      "not give; set measurement.saturation to {:.6g}",
      config.place_of("measurement.saturation"), counted(clipped.sources, "source"), clipped.level, clipped.level));
}

/// Warns if pixels share their noise, and errors count them as independent. If the filtered image does not tell, a
/// sample of the image's rows does.
void warn_of_shared_noise(const ImageInput& input, const Config& config, const Extraction& extraction,
                          Warnings& warnings) {
  const auto& shared = extraction.shared_noise;
  if (extraction.aperture_noise || (shared && shared->in_errors)) return;
  if (shared && !extraction.found_in) {
    constexpr double least = 1.1, some_pixels = 100;
    if (!(shared->factor >= least)) return;
    warnings.push_back(fmt::format(
        "{}: pixels share their noise, as after resampling: errors of sums of {:.0f} pixels are {:.2g} "
        "times too small; set measurement.noise to correlated",
        config.place_of("measurement.noise"), some_pixels, NoiseLaw{.width = shared->width}.factor(some_pixels)));
    return;
  }
  if (input.reference != nullptr || !input.frame.combined().empty() || fits_gaussians(config) || fits_crowd(config))
    return;
  constexpr double least = 1.1;
  const double smoothness = ImageSample(input.exposure, config).smoothness();
  if (!(smoothness >= least)) return;
  warnings.push_back(
      fmt::format("{}: pixels share their noise, as after resampling, or stars hide the sky: over two pixels the image "
                  "changes {:.3g} times "
                  "as much as over "
                  "one. Errors count pixels as independent{}; set measurement.noise to apertures",
                  config.place_of("measurement.noise"), smoothness,
                  config.measurement.noise == NoiseOfSums::correlated
                      ? ", since correlated needs a mesh of the sky, and thresholds in the noise of the filtered image"
                      : ""));
}

/// Warns if the catalogue or region files lack what the configuration asks for, since the image has no sky positions.
void warn_of_missing_columns(const Config& config, const ImageResult& result, Warnings& warnings) {
  if (result.no_sky_reason.empty()) return;
  if (fits_gaussians(config) && !config.output.regions.empty())
    warnings.push_back(config.place_of("output.regions") +
                       ": the files of regions are empty, since regions are on the sky: " + result.no_sky_reason);
  std::vector<std::string> missing = config.output.columns;
  const bool has_scale = config.measurement.pixel_scale > 0;
  std::erase_if(missing, [&](const std::string& word) {
    return !is_on_sky(word) || (has_scale && needs_pixel_size_alone(word));
  });
  if (missing.empty()) return;
  const bool some_of_group = has_scale && std::ranges::count(missing, "world") > 0;
  const bool none_left = missing.size() == config.output.columns.size() && !some_of_group;
  warnings.push_back(
      fmt::format("{}: the catalogue has {}{}: {}; give the image a celestial WCS, or name columns in pixels, as "
                  "X_IMAGE and Y_IMAGE",
                  config.place_of("output.columns"),
                  none_left ? "no column at all, as all that are named are on the sky"
                            : "nothing of " + first_few(missing.size(), [&](std::size_t i) { return missing[i]; }),
                  some_of_group ? " but lengths and areas, by measurement.pixel_scale" : "", result.no_sky_reason));
}

/// Warns if output.columns names columns that need the shape of stars, and the shape is not known. The catalogue lacks
/// such columns.
void warn_of_unknown_stars(const Config& config, bool made_psf, Warnings& warnings) {
  if (config.resources.has_star_profile) return;
  const bool has_psf = made_psf || StarFamily::is_known(config);
  std::vector<std::string> named;
  const auto is_of_stars = [&](const std::string& word) { return (word == "psf" && !has_psf) || word == "frames"; };
  const auto add_named = [&](const auto& column) {
    for (const std::string& word : config.output.columns)
      if (word == column.declared.column.name || (is_of_stars(word) && word == column.declared.group))
        named.emplace_back(column.declared.column.name);
  };
  if (!has_psf) std::ranges::for_each(StarFamily::columns, add_named);
  std::ranges::for_each(StarFramesFamily::columns, add_named);
  std::ranges::for_each(dipole_columns, add_named);
  if (named.empty()) return;
  const bool none_left = std::ranges::all_of(config.output.columns, [&](const std::string& word) {
    return is_of_stars(word) || std::ranges::count(named, word) > 0;
  });
  warnings.push_back(fmt::format(
      "{}: the catalogue has {}: the shape of stars is known {} of a fitted difference "
      "(srcextract difference, difference.kernel: fitted)",
      config.place_of("output.columns"),
      none_left ? "no column at all" : "nothing of " + first_few(named.size(), [&](std::size_t i) { return named[i]; }),
      has_psf ? "by psf.file, and these are" : "by a file of PSFEx's (psf.file), or"));
}

/// Warns if CLEAN is used with the matched filter. CLEAN compares sources with a threshold in the unfiltered image, and
/// sources that the matched filter finds may be too faint there.
void warn_of_cleaned_match(const Config& config, Warnings& warnings) {
  if (Plan(config).is_matched() && config.deblend.clean)
    warnings.push_back(config.place_of("deblend.clean") +
                       ": of sources that the matched filter finds CLEAN makes parts of others, also where they are "
                       "alone (so does SEP); set deblend.clean to false");
}

void warn_of_psfex(const Config& config, Warnings& warnings) {
  if (std::string problem = config::psfex_problem(config); !problem.empty()) warnings.push_back(std::move(problem));
}

/// Adds warnings about a crowded-field fit, in which all stars of the image are fitted at once. Warns if the saturation
/// is not above the sky, if the PSF model ends too close to its centre, if the gain is unknown, if many rows
/// are sharper than a star, or if the negative of the residual has what the search takes for stars. `config`:
/// configuration resolved for the image.
void warn_of_crowd(const Config& config, const Extraction& extraction, Warnings& warnings) {
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
  const std::vector<CrowdRow>& rows = extraction.crowd->rows;
  const auto are_many = [&](std::int64_t count) {
    constexpr std::int64_t most = 5;
    constexpr double share = 0.02;
    return count > most && static_cast<double>(count) > share * static_cast<double>(rows.size());
  };
  const std::int64_t sharp =
      std::ranges::count_if(rows, [](const CrowdRow& row) { return (row.flags & flag::sharp) != 0; });
  if (are_many(sharp))
    warnings.push_back(
        fmt::format("{}: {} of {} rows are sharper than a star, as tracks of cosmic rays and hot pixels are, and have "
                    "512 in FLAGS: leave these rows out, and mask their pixels (--set mask.file=FILE), which pull at "
                    "stars beside them. If they are stars, the PSF is too wide",
                    config.place_of("mask.file"), sharp, rows.size()));
  constexpr double higher = 1.4;  // leaves no more than 2 % false rows in noise of rows and of low frequencies
  if (const std::int64_t negative = std::ssize(extraction.crowd->negatives); are_many(negative))
    warnings.push_back(fmt::format(
        "{}: the negative of the residual has {} places that would count as stars, beside {} rows. Either as "
        "many rows, or more, are noise of rows, columns or low frequencies, or structure of the sky: "
        "--set crowd.threshold={:.3g} leaves most of them out. Or stars are so dense that the fit is wrong",
        config.place_of("crowd.threshold"), negative, rows.size(), higher * config.crowd.threshold));
}

}  // namespace

std::vector<std::string> image_warnings(const ImageInput& input, const ImageResult& result) {
  const Extraction& extraction = result.extraction;
  const Config& config = input.file.config->config;
  const Shape& shape = input.exposure.shape();
  Warnings warnings;
  warn_of_header(input, extraction, warnings);
  warn_of_psfex(input.config(), warnings);
  warn_of_asinh_scale(input.frame.image(), warnings);
  if (std::string problem = precision_warning(input, extraction); !problem.empty())
    warnings.push_back(std::move(problem));
  warn_of_padding(input, extraction.background, warnings);
  warn_of_no_noise(config, extraction.background, warnings);
  warn_of_few_photons(input, config, extraction, warnings);
  warn_of_impossible_noise(input, extraction, warnings);
  warn_of_unit(config, extraction.background, warnings);
  const bool large = warn_of_large_source(input, config, extraction, warnings);
  if (extraction.background.mesh.width > 0 && !large)
    warn_of_filled_meshes(shape, input.config(), extraction, warnings);
  warn_by_sample(input, config, extraction.background, warnings);
  warn_of_few_apertures(config, extraction, warnings);
  warn_of_shared_noise(input, config, extraction, warnings);
  warn_of_clipped_stars(config, result.clipped, warnings);
  if (std::string problem = warning_of(input.dark_cores, config); !problem.empty())
    warnings.push_back(std::move(problem));
  if (extraction.difference) warn_of_difference(input.config(), extraction, warnings);
  if (input.positions == nullptr) warn_of_cleaned_match(input.config(), warnings);
  if (input.positions == nullptr) warn_of_missing_columns(config, result, warnings);
  warn_of_unknown_stars(input.config(), result.psf != nullptr, warnings);
  warn_of_galaxies(result.psf != nullptr ? result.psf->config : input.config(), extraction, warnings);
  warn_of_crowd(result.psf != nullptr ? result.psf->config : input.config(), extraction, warnings);
  return warnings;
}

}  // namespace srcextract
