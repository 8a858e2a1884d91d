#include "pipeline/extract/difference_warnings.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "pipeline/chain/detection.hpp"
#include "stages/catalogue/sources.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"
#include "stages/core/nearest_pixel.hpp"
#include "stages/difference/fit/kernel_basis.hpp"
#include "stages/math/exact_math.hpp"
#include "stages/settings/psf.hpp"
#include "stages/sky/map_of_mesh.hpp"

namespace srcextract {
namespace {

using Warnings = std::vector<std::string>;

/// Whether the sources from which the star of a difference was made may be galaxies: they differ in shape by more than
/// undersampled stars do, or they are few and elongated.
bool may_be_galaxies(const FitFacts& fit) {
  constexpr double most_spread = 0.06, most_ellipticity = 0.1;
  constexpr int few = 12;
  return !fit.of_psf &&
         (fit.profile_spread > most_spread || (fit.profile_stars < few && fit.profile_ellipticity > most_ellipticity));
}

constexpr double reach = 8;  // pixels

/// The rows of one sign (brighter or fainter), in a grid of squares with side `reach`. is_near(row) tells whether a row
/// of that sign is within `reach` of the given row.
class Neighbours {
 public:
  Neighbours(const Sources& rows, bool brighter) : rows_(rows) {
    const std::vector<std::int16_t>& sign = rows[columns::sign];
    for (std::size_t row = 0; row < sign.size(); ++row)
      if ((sign[row] > 0) == brighter) squares_[square(column(row), line(row))].push_back(row);
  }

  bool is_near(std::size_t row) const {
    for (std::int64_t y = line(row) - 1; y <= line(row) + 1; ++y) {
      for (std::int64_t x = column(row) - 1; x <= column(row) + 1; ++x) {
        const auto there = squares_.find(square(x, y));
        if (there == squares_.end()) continue;
        for (const std::size_t other : there->second)
          if (length_of(rows_.x_image[row] - rows_.x_image[other], rows_.y_image[row] - rows_.y_image[other]) < reach)
            return true;
      }
    }
    return false;
  }

 private:
  std::int64_t column(std::size_t row) const {
    return static_cast<std::int64_t>(std::floor(rows_.x_image[row] / reach));
  }
  std::int64_t line(std::size_t row) const { return static_cast<std::int64_t>(std::floor(rows_.y_image[row] / reach)); }
  static std::int64_t square(std::int64_t x, std::int64_t y) { return y * (std::int64_t{1} << 31) + x; }

  const UsualValues rows_;
  std::unordered_map<std::int64_t, std::vector<std::size_t>> squares_;
};

/// Numbers of sources in a difference image that are probably residuals of stars, since the kernel does not match the
/// stars' shape.
struct StarResiduals {
  /// Number of rows with a row of the opposite sign within 8 pixels. A wrong kernel leaves a star too bright in its
  /// centre and too faint around it, or the reverse.
  ///
  /// Moving objects are not counted: rows whose flux is at least half of the light that both frames have under their
  /// pixels, if that light is known.
  std::int64_t paired = 0;
  /// Number of rows whose flux is less than 0.3 times the light that both frames have under their pixels.
  std::int64_t faint_changes = 0;
};

/// How much variance a star of the reference causes in the difference, divided by the variance that a star as bright
/// in the new frame causes. Different depths and gains of the frames change that.
double photons_of_reference(const Config& config, const Extraction& extraction) {
  const DifferenceFacts& facts = *extraction.difference;
  const double factor = facts.fit ? facts.fit->mean_sum : facts.scale;
  const double counts =
      facts.fit && facts.fit->convolved_new ? 1 / factor : factor;  // of the new frame for one of the reference
  const double gain = reference_settings(config).gain;
  if (gain > 0) return counts * config.measurement.gain / gain;
  return facts.fit
             ? 0
             : counts;  // without a gain, the fit counts no photons, the Gaussian kernel those of the new frame's gain
}

/// The noise of the sky in a pixel of a difference, as the rows' flux errors contain it.
class SkyNoise {
 public:
  SkyNoise(const Config& config, const Extraction& extraction) : everywhere_(extraction.background.clipped.sigma) {
    const SkyMesh<Cpu>& mesh = extraction.check.mesh;
    image_ = mesh.grid.image;
    if (Plan(config).noise_varies() && !mesh.rms.empty()) rms_.emplace(MapOfMesh::of_rms(mesh));
  }

  /// (x, y) is a position in pixels from 1.
  double at(double x, double y) {
    if (!rms_) return everywhere_;
    return static_cast<double>(rms_->at(nearest_pixel(x - 1, image_.width), nearest_pixel(y - 1, image_.height)));
  }

 private:
  double everywhere_;
  Shape image_;
  std::optional<MapOfMesh> rms_;
};

/// Examines the sources of a difference image. The light of the frames is derived from the rows' flux errors, which
/// contain the photon noise of both frames and the `noise` of the sky. `gain` in e-/count; with 0 the light is unknown,
/// and `faint_changes` is 0. `of_reference`: photons_of_reference().
StarResiduals find_star_residuals(const Sources& catalogue, SkyNoise noise, double gain, double of_reference) {
  constexpr double least_share = 0.3, share_of_pairs = 0.5;
  StarResiduals found;
  const Neighbours brighter(catalogue, true), fainter(catalogue, false);
  const UsualValues changes(catalogue);
  const std::vector<std::int16_t>& sign = catalogue[columns::sign];
  for (std::size_t row = 0; row < sign.size(); ++row) {
    const double sigma = noise.at(changes.x_image[row], changes.y_image[row]);
    const double photons =
        changes.fluxerr_iso[row] * changes.fluxerr_iso[row] - static_cast<double>(changes.npix[row]) * sigma * sigma;
    const double change = std::abs(changes.flux_iso[row]), more = sign[row] > 0 ? change : -change;
    // With N and R of the two frames, N - R = more, and N + of_reference * R = gain * photons.
    const double light = 2 * (gain * photons - more) / (1 + of_reference) + more;
    const bool whole =
        gain > 0 && !(change < share_of_pairs * light);  // an object that moved away from here, or to here
    found.paired += !whole && (sign[row] > 0 ? fainter : brighter).is_near(row) ? 1 : 0;
    found.faint_changes += change < least_share * light ? 1 : 0;
  }
  return found;
}

/// Warns if many sources of a difference image look like residuals of stars that were not subtracted well. The
/// catalogue does not mark them.
void warn_of_star_residuals(const Config& config, const Extraction& extraction, Warnings& warnings) {
  constexpr std::int64_t least_paired = 5, least_faint = 10;
  constexpr double paired_share = 0.05, faint_share = 0.2;
  const Sources& changes = extraction.sources;
  // The brightness of stars is derived from the errors of fluxes. That is possible only if the errors contain nothing
  // but the noise of photons and sky.
  const bool tells_light = !extraction.aperture_noise && !frames_have_maps(config);
  const StarResiduals found =
      find_star_residuals(changes, SkyNoise(config, extraction), tells_light ? config.measurement.gain : 0,
                          photons_of_reference(config, extraction));
  const auto rows = static_cast<double>(changes.size());
  const bool paired = found.paired >= least_paired && static_cast<double>(found.paired) > paired_share * rows;
  // In a crowd every change is on stars that are brighter.
  const bool crowded = extraction.difference->fit && extraction.difference->fit->crowded;
  const bool faint =
      !crowded && found.faint_changes >= least_faint && static_cast<double>(found.faint_changes) > faint_share * rows;
  if (!paired && !faint) return;
  const std::string what =
      paired ? fmt::format("{} of {} changes have one of the other sign within 8 pixels", found.paired, changes.size())
             : fmt::format("{} of {} changes are less than a third of the light that is there in both frames",
                           found.faint_changes, changes.size());
  const std::string gain =
      config.measurement.gain > 0 ? "" : "; set measurement.gain, so that stars are not found for their photon noise";
  if (config.difference.kernel == MatchingKernel::fitted) {
    warnings.push_back(
        fmt::format("{}: {}, as stars leave them where the fitted kernel does not match. Count on false rows at bright "
                    "stars; check "
                    "that the frames are aligned (difference.align), raise difference.kernel_order, or raise "
                    "detection.threshold{}",
                    config.place_of("difference.kernel"), what, gain));
    return;
  }
  const bool widths = config.difference.new_fwhm > 0;
  warnings.push_back(fmt::format(
      "{}: {}, as stars leave them whose shape the kernel does not match: it is a round Gaussian. Count on false rows "
      "at bright stars; fit the kernel (difference.kernel: fitted), {}, check that the frames are aligned "
      "(difference.align), or raise detection.min_area or detection.threshold{}",
      config.place_of(widths ? "difference.new_fwhm" : "difference.reference_fwhm"), what,
      widths ? "correct reference_fwhm and new_fwhm" : "give reference_fwhm and new_fwhm", gain));
}

/// Warns if the noise of a difference with a fitted kernel is not what the noise of its two frames predicts. Also warns
/// if the stars are too wide for the largest kernel, or if the gain contradicts the noise of bright stars.
void warn_of_fitted_noise(const Config& config, const Extraction& extraction, Warnings& warnings) {
  constexpr double shared = 0.2, unmatched = 2, contradicted = 0.5;
  if (!extraction.difference->fit || !(extraction.difference->fit->sky_variance > 0)) return;
  const double sigma = extraction.background.clipped.sigma;
  const double scale = sigma * sigma / extraction.difference->fit->sky_variance;
  const std::string place = config.place_of("difference.kernel");
  const FitFacts& fit = *extraction.difference->fit;
  const double widest = std::max(fit.reference_fwhm, fit.new_fwhm);
  if (fit.half_width == most_kernel_half && !may_be_galaxies(fit) && kernel_half_per_fwhm * widest > most_kernel_half)
    warnings.push_back(fmt::format(
        "{}: stars are {:.3g} pixels wide in one frame, and the largest kernel has 35 x 35 pixels: it is too small for "
        "them, so bright stars leave false rows; bin both frames",
        place, widest));
  if (scale >= shared && fit.star_variance < contradicted * std::min(1.0, scale))
    warnings.push_back(fmt::format(
        "{}: the pixels of bright stars have {:.2g} of the variance that a gain of {:.6g} e-/count gives them, so "
        "changes near stars may be missed; the gain contradicts the pixels, as where these are counts per second; set "
        "measurement.gain, and gain_keyword to none",
        config.place_of("measurement.gain"), fit.star_variance, config.measurement.gain));
  if (scale < shared)
    warnings.push_back(fmt::format(
        "{}: the difference has {:.2g} of the variance that both frames have, so these share their noise and "
        "rows tell of rounding; is one exposure in both?",
        place, scale));
  if (scale > unmatched)
    warnings.push_back(fmt::format(
        "{}: the difference has {:.2g} times the variance that both frames have, so something is not matched; "
        "look at it (output.check_images), or raise difference.kernel_order or difference.background_order",
        place, scale));
}

/// Warns if the shape of a star in the difference is not known from stars of its own, or if the frames are not aligned.
void warn_of_star_shape(const Config& config, const Extraction& extraction, Warnings& warnings) {
  constexpr int least_stars = 3;
  constexpr double most_shift = 0.3, least_width = 1.9;
  if (!extraction.difference->fit) return;
  const FitFacts& fit = *extraction.difference->fit;
  const bool has_file = config.resources.numbers_of(psf_key) != nullptr;
  if (has_file && config.resources.has_star_profile && !fit.of_psf)
    warnings.push_back(fmt::format(
        "{}: the new frame is convolved, so stars of the difference are those of the reference, and the PSF of the new "
        "frame does not count; difference.convolve: reference lets it count",
        config.place_of(psf_key)));
  if (config.resources.has_star_profile && !fit.of_psf && !fit.crowded && fit.profile_stars < least_stars)
    warnings.push_back(fmt::format(
        "{}: {} of the reference {} alone, bright and of one width, so the star of the difference is a Gaussian of "
        "{:.3g} pixels: FLUX_PSF may be wrong by more than its error; psf.file names a model of the new frame",
        config.place_of("difference.kernel"), fit.profile_stars == 0 ? "no star" : counted(fit.profile_stars, "star"),
        fit.profile_stars > 1 ? "are" : "is", fit.convolved_new ? fit.reference_fwhm : fit.new_fwhm));
  if (config.resources.has_star_profile && !fit.of_psf && fit.crowded && !fit.of_crowd)
    warnings.push_back(fmt::format(
        "{}: sources are so many that no star stands alone, and they are not of one shape, as stars at random places "
        "are: FLUX_PSF may be wrong by more than its error; psf.file names a model of the new frame",
        config.place_of("difference.kernel")));
  if (may_be_galaxies(fit))
    warnings.push_back(fmt::format(
        "{}: what was taken for stars ({}) may be galaxies, for it is elongated or not of one shape: FLUX_PSF may be "
        "wrong by more than its error; take FLUX_AUTO, or name a PSF of the new frame: --set psf.file=NEW.psf --set "
        "difference.convolve=reference",
        config.place_of("difference.kernel"), counted(fit.profile_stars, "source")));
  if (fit.crowd_varies)
    warnings.push_back(fmt::format(
        "{}: stars of this crowd are wider in one half of the frame than in the other, and FLUX_PSF has one shape for "
        "all of them: it may be wrong by several of its errors; take FLUX_AUTO, or name a PSF of the new frame that "
        "varies: --set psf.file=NEW.psf --set difference.convolve=reference",
        config.place_of("difference.kernel")));
  const double width = fit.convolved_new ? fit.reference_fwhm : fit.new_fwhm;
  if (config.resources.has_star_profile && width < least_width)
    warnings.push_back(fmt::format(
        "{}: stars are {:.2g} pixels wide, too few for their shape between pixels: FLUX_PSF is 1 to 6 % too low; take "
        "FLUX_APER, with --set measurement.apertures=10",
        config.place_of("difference.kernel"), width));
  const double shift = length_of(fit.shift_x, fit.shift_y);
  if (shift > most_shift)
    warnings.push_back(fmt::format(
        "{}: stars of the new frame are {:.2g} pixels in x and {:.2g} in y from those of the reference. The fitted "
        "kernel moves them, but sources that it does not fit leave dipoles; correct the WCS, and set difference.align "
        "to wcs",
        config.place_of("difference.align"), fit.shift_x, fit.shift_y));
}

/// Warns if a frame is saturated at a value that neither its header nor the configuration gives.
void warn_of_pile_up(const Config& config, const Extraction& extraction, Warnings& warnings) {
  if (!extraction.difference->fit) return;
  const auto warn = [&](const char* frame, double value) {
    if (value == 0) return;
    warnings.push_back(
        fmt::format("{}: several pixels of the {} share its greatest value, {:.6g}, so it is taken for the level of "
                    "saturation: stars from nine tenths of it are masked; set measurement.saturation",
                    config.place_of("measurement.saturation"), frame, value));
  };
  warn("reference", extraction.difference->fit->reference_pile_up);
  warn("new frame", extraction.difference->fit->new_pile_up);
}

}  // namespace

void warn_of_difference(const Config& config, const Extraction& extraction, Warnings& warnings) {
  Warnings of_difference;
  warn_of_star_residuals(config, extraction, of_difference);
  warn_of_fitted_noise(config, extraction, of_difference);
  warn_of_star_shape(config, extraction, of_difference);
  warn_of_pile_up(config, extraction, warnings);
  if (config.difference.refuse_bad && !of_difference.empty())
    throw Error(ErrorKind::input, of_difference.front() + " (refused by difference.refuse_bad)");
  std::ranges::move(of_difference, std::back_inserter(warnings));
}

}  // namespace srcextract
