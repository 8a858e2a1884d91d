#include "pipeline/extract/find_psf.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>

#include "pipeline/log/seconds_since.hpp"
#include "stages/catalogue/declared_columns.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/words.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/math/median.hpp"
#include "stages/photometry/spread_model.hpp"
#include "stages/psf/doubled_stars.hpp"
#include "stages/settings/psf_numbers.hpp"

namespace srcextract {
namespace {

/// The configuration for finding stars: SExtractor's default filter, and deblending. Sky and noise are estimated with
/// the image's own settings.
Config config_of_stars(const Config& given) {
  constexpr double threshold = 2;
  Config config = given;
  config.detection = {.threshold = threshold, .min_area = 3};
  config.convolve = {};
  config.convolve.kernel = KernelShape::values;
  config.convolve.values = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
  config.morphology = {};
  config.deblend = {.method = DeblendMethod::tree, .clean = true};
  config.fit = {};
  config.model = {};
  config.crowd = {};
  config.flags = {};
  config.psf = {};
  config.kept = {};
  config.output = {};
  config.output.columns = {"FLUX_AUTO", "FLUX_RADIUS", "SNR_WIN"};
  config.output.check_images = {CheckImage::minus_background, CheckImage::rms};
  const MeasurementConfig usual;
  config.measurement.mask = usual.mask;
  config.measurement.noise = usual.noise;
  config.measurement.kron = usual.kron;
  config.measurement.flux_radius = usual.flux_radius;
  config.resources.files.erase(psf_key);
  config.resources.written_columns.reset();
  return config;
}

std::vector<PsfStar> stars_of(const Sources& sources) {
  const UsualValues usual(sources);
  const std::vector<double> flux = numbers_of(sources, "FLUX_AUTO"), radius = numbers_of(sources, "FLUX_RADIUS"),
                            snr = numbers_of(sources, "SNR_WIN");
  std::vector<PsfStar> stars;
  for (std::size_t row = 0; row < flux.size(); ++row) {
    const double a = usual.a_image[row], b = usual.b_image[row];
    stars.push_back({.x = usual.x_image[row] - 1,
                     .y = usual.y_image[row] - 1,
                     .flux = flux[row],
                     .snr = snr[row],
                     .radius = radius[row],
                     .ellipticity = a + b > 0 ? (a - b) / (a + b) : 0,
                     .peak = usual.flux_max[row],
                     .flags = usual.flags[row]});
  }
  return stars;
}

/// Texts such as "12 too faint": for each reason, the number of sources that were rejected as stars.
std::vector<std::string> sorted_out(const std::vector<PsfStar>& stars) {
  std::vector<std::string> words;
  for (auto verdict = StarVerdict::used; verdict <= StarVerdict::misfit;
       verdict = static_cast<StarVerdict>(static_cast<int>(verdict) + 1)) {
    const auto count = std::ranges::count(stars, verdict, &PsfStar::verdict);
    if (count > 0 && verdict != StarVerdict::used) words.push_back(std::to_string(count) + " " + phrase_of(verdict));
  }
  return words;
}

/// Tells of a gain by which most sources have more noise of photons than of the sky, as where it is of counts and
/// pixels are counts a second. Empty if it is not that.
std::string word_of_gain(const ImageInput& input, const std::vector<PsfStar>& stars, double sigma) {
  constexpr double pi = 3.14159265358979323846;
  const double gain = input.config().measurement.gain;
  const auto has_few_photons = [&](const PsfStar& star) {
    const double reach = 2 * star.radius * sigma;
    return star.verdict == StarVerdict::faint && star.flux / gain > pi * reach * reach;
  };
  if (!(gain > 0) || 2 * std::ranges::count_if(stars, has_few_photons) < std::ssize(stars)) return {};
  return fmt::format(
      " by the photons that a gain of {:.4g} ({}) gives them; if a pixel value is no count, as where it is one a "
      "second, --set measurement.gain=NUMBER --set measurement.gain_keyword=none gives the electrons of a pixel value, "
      "which is the gain times the exposure time",
      gain, input.gain.reason);
}

[[noreturn]] void refuse(const ImageInput& input, const FoundPsf& found, double sigma) {
  const std::string sources = counted(std::ssize(found.stars), "source");
  throw Error(ErrorKind::input,
              fmt::format("{}: the PSF of {} cannot be made, for {}: {}{}{}; name a model by psf.file, or leave out "
                          "the columns of PSFs",
                          input.config().place_of("psf.method"), input.name, found.made.problem,
                          found.stars.empty() ? "nothing is found above 2 sigma" : "of " + sources + ": ",
                          found.sorted.empty() ? "" : join(found.sorted), word_of_gain(input, found.stars, sigma)));
}

const PsfStar& place_of_star(const FoundPsf& found) {
  return *std::ranges::find(found.stars, StarVerdict::used, &PsfStar::verdict);
}

/// The peaks of bright sources that are as high as one another, above the sky.
struct GatheredPeaks {
  std::size_t sources = 0;  ///< 0 if the peaks grow with the flux
  double least = 0, most = 0;
};

/// Finds whether peaks stop growing with the flux, as where saturated pixels are not equal: they were divided by a
/// flat, say. Of sources that would have a much higher peak than any has, if they were stars, most then have nearly the
/// highest. The peaks of galaxies are as different as they are.
GatheredPeaks gathered_peaks(const std::vector<PsfStar>& stars) {
  constexpr double higher = 1.4, near = 0.8, share = 0.7;
  constexpr std::size_t least_sources = 5;
  std::vector<double> of_star, gathered;
  double most = 0;
  for (const PsfStar& star : stars) {
    if (star.verdict == StarVerdict::used) of_star.push_back(star.peak / star.flux);
    most = std::max(most, star.peak);
  }
  if (of_star.empty()) return {};
  const double peak_of_light = upper_median(of_star);
  std::size_t higher_ones = 0;
  for (const PsfStar& star : stars) {
    if ((star.flags & flag::saturated) != 0 || !(star.flux * peak_of_light > higher * most)) continue;
    ++higher_ones;
    if (star.peak > near * most) gathered.push_back(star.peak);
  }
  if (gathered.size() < least_sources ||
      static_cast<double>(gathered.size()) < share * static_cast<double>(higher_ones))
    return {};
  return {gathered.size(), std::ranges::min(gathered), most};
}

void tell(const ImageInput& input, const FoundPsf& found, double sky) {
  const PsfSurface& surface = found.made.surface;
  spdlog::info("{}: PSF of {}: full width {:.3g} pixels, polynomial of degree {}, pixels of {:.3g}; left out: {}",
               input.name, counted(static_cast<std::int64_t>(found.used()), "star"), surface.width, surface.degree,
               surface.step, found.sorted.empty() ? "none" : join(found.sorted));
  if (found.used() == 1)
    spdlog::warn(
        "{}: its PSF is made of one star, at ({:.1f}, {:.1f}): nothing tells whether it is a star; "
        "psf.file names a model of another image",
        input.name, place_of_star(found).x + 1, place_of_star(found).y + 1);
  constexpr double narrower = 0.85;
  constexpr std::int64_t many = 3;
  const auto is_narrower = [&](const PsfStar& star) {
    return star.verdict == StarVerdict::size && star.width < narrower * surface.width;
  };
  if (const auto count = std::ranges::count_if(found.stars, is_narrower); count >= many) {
    const PsfStar& first = *std::ranges::find_if(found.stars, is_narrower);
    spdlog::warn(
        "{}: {} are narrower than the stars of its PSF, the first at ({:.1f}, {:.1f}): they are cosmic rays, or "
        "the stars are galaxies; {{stem}}.psf.stars.fits (output.psf: true) shows both, and psf.file names a "
        "model of another image",
        input.name, counted(count, "source"), first.x + 1, first.y + 1);
  }
  constexpr std::int64_t many_sharp = 10;
  if (const auto sharp = std::ranges::count(found.stars, StarVerdict::sharp, &PsfStar::verdict);
      sharp >= many_sharp && sharp > static_cast<std::int64_t>(found.used()))
    spdlog::warn(
        "{}: {} are sharper than a star that its pixels can sample, and its PSF is of {} others: if they are stars and "
        "no hot pixels or cosmic rays, FLUX_PSF is wrong; measure FLUX_APER (measurement.apertures), or name a model "
        "in finer pixels by psf.file",
        input.name, counted(sharp, "bright source"), found.used());
  if (const GatheredPeaks peaks = gathered_peaks(found.stars); peaks.sources > 0) {
    constexpr double below = 0.97;
    spdlog::warn(
        "{}: the brightest pixels of {} that should differ are all from {:.5g} to {:.5g}, and none is higher: they may "
        "be saturated without being equal, as after a flat, or photographic. FLUX_PSF of these is wrong; set "
        "measurement.saturation to {:.6g}",
        input.name, counted(static_cast<std::int64_t>(peaks.sources), "bright source"), peaks.least + sky,
        peaks.most + sky, below * peaks.least + sky);
  }
  if (const UnlikePart& part = found.made.unlike; part.stars > 0)
    spdlog::warn(
        "{}: its PSF has not the width of its stars everywhere: around ({:.0f}, {:.0f}) it differs from {} by {:.0f} "
        "%, and FLUX_PSF is wrong; set psf.degree to 4 if the width changes smoothly, and extract parts that were "
        "exposed apart, as those of a mosaic, as images of their own",
        input.name, part.x + 1, part.y + 1, counted(static_cast<std::int64_t>(part.stars), "star"), 100 * part.off);
  if (const DoubledStars doubled = find_doubled_stars(found.stars, surface.width); doubled.pairs > 0)
    spdlog::warn(
        "{}: {} of {} are pairs with the same offset, ({:.1f}, {:.1f}) pixels, and the same ratio of light, {:.2f}, as "
        "where a frame was exposed twice: FLUX_PSF is that of one image of a star; --set deblend.method=none --set "
        "measurement.apertures=[{:.0f}] gives FLUX_APER of both",
        input.name, 2 * doubled.pairs, counted(static_cast<std::int64_t>(doubled.bright), "bright source"), doubled.dx,
        doubled.dy, doubled.ratio, std::ceil(2 * length_of(doubled.dx, doubled.dy) + 4 * surface.width));
  const std::int64_t wanted = input.config().psf.degree;
  if (surface.degree < wanted)
    spdlog::warn("{}: its PSF varies over the field by degree {} and not by {} (psf.degree): {}", input.name,
                 surface.degree, wanted,
                 "it has " + counted(static_cast<std::int64_t>(found.used()), "star") + ", and " +
                     std::to_string(stars_needed(static_cast<int>(wanted))) + " would tell that degree");
}

}  // namespace

std::size_t FoundPsf::used() const {
  return static_cast<std::size_t>(std::ranges::count(stars, StarVerdict::used, &PsfStar::verdict));
}

bool makes_psf(const ImageInput& input) {
  const Config& config = input.config();
  if (config.psf.method != PsfMethod::fit || input.reference != nullptr) return false;
  const ColumnChoice choice(config.output.columns);
  return config.output.psf || fits_crowd(config) || fits_galaxies(config) || input.positions != nullptr ||
         choice.needs(StarFamily::name) || choice.needs(SpreadFamily::name);
}

bool fits_stars(const ImageInput& input) {
  const Config& config = input.config();
  return makes_psf(input) || fits_crowd(config) ||
         (StarFamily::is_known(config) && ColumnChoice(config.output.columns).needs(StarFamily::name));
}

std::shared_ptr<const FoundPsf> find_psf(const ImageInput& input, const Execution& execution, Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  const Config config = config_of_stars(input.config());
  ImageInput own = input;
  own.resolved = &config;
  own.flags.clear();
  own.detection = nullptr;
  own.positions = nullptr;
  Execution where = execution;
  where.compare = false;
  if (execution.compare) where.device.reset();
  const ImageResult result = extract_image(own, where, progress);
  const Extraction& extraction = result.extraction;
  const bool has_map = !extraction.check.variance.pixels.empty();
  const double sigma = has_map ? extraction.levels.noise_scale : extraction.levels.sigma;
  const double level = extraction.given_level ? extraction.sky_level() : highest_level(extraction.background);

  auto found = std::make_shared<FoundPsf>();
  found->config = input.config();
  found->clipped = result.clipped;
  double& saturation = found->config.resources.saturation;
  if (result.clipped.level > 0) saturation = result.clipped.level;
  found->stars = stars_of(extraction.sources);
  found->made = make_psf({extraction.check.above, has_map ? &extraction.check.variance : nullptr, sigma * sigma,
                          config.measurement.gain, saturation > 0 ? saturation - level : 0, fits_crowd(input.config())},
                         found->stars, static_cast<int>(input.config().psf.degree), execution.cpu);
  found->sorted = sorted_out(found->stars);
  if (!found->made.problem.empty()) refuse(input, *found, sigma);
  TableNumbers numbers = psf_numbers({found->made.table});
  if (!numbers.problem.empty())
    throw Error(ErrorKind::input,
                fmt::format("{}: the PSF made of its stars is not usable: {}; name a model by psf.file", input.name,
                            numbers.problem));
  found->config.resources.files[psf_key] = {
      std::make_shared<const std::vector<double>>(std::move(numbers.sets.front()))};
  if (input.positions != nullptr && !fits_crowd(found->config))
    found->config.output.columns = forced_columns(input.positions->forced().ellipses, true);
  found->seconds = seconds_since(begin);
  tell(input, *found, level);
  return found;
}

}  // namespace srcextract
