#include "stages/difference/fit/fit_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "stages/core/error.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/difference/fit/frame_stars.hpp"
#include "stages/difference/fit/make_star_profile.hpp"
#include "stages/difference/fit/noise_of_residual.hpp"
#include "stages/difference/fit/reject_stamps.hpp"
#include "stages/difference/fit/remove_noise.hpp"
#include "stages/difference/fit/residual.hpp"
#include "stages/difference/fit/shared_stars.hpp"
#include "stages/difference/fit/star_width.hpp"
#include "stages/math/median.hpp"

namespace srcextract {
namespace {

constexpr int least_kernel_half = 7;
constexpr int least_stamp_half = 12, stamp_beyond_kernel = 2;
/// If difference.convolve is `either`, the new frame is convolved only if its stars are narrower than the reference's
/// by more than this fraction; else the reference is convolved.
constexpr double equal_widths = 0.02;
/// StampReach for the first choice of stamps: squares of pixels around stars. These stamps are used only to measure the
/// widths of the stars.
constexpr StampReach usual_reach{12, 22};
/// Least distance in pixels from the middle of a stamp to the border strip of the frame, where the kernel would reach
/// beyond the edge.
constexpr int least_inside = 3;
/// Error{input} is thrown if the fit misses more than this fraction of the light of bright stars (StarResidual::share).
/// The kernel then matches noise.
constexpr double most_residual = 0.3;
/// Error{input} is thrown if the frames share less than this fraction of their bright stars. The frames then show
/// different fields.
constexpr double least_shared = 0.3;
/// Limit of the kernel's half width, in pixels, in the formula KernelFit::bloom = 1 + half width / 2.
constexpr int most_bloom = 16;

[[noreturn]] void refuse(const std::string& problem) {
  throw Error(ErrorKind::input, problem);
}

void require_noise(const FrameLevel& level, const std::string& name) {
  if (!(level.variance > 0))
    refuse("the pixels of the " + name +
           " are all masked or nearly all equal, so it shows neither noise nor stars to fit a kernel to; check the "
           "frame, its mask, or its map of weights");
}

void require_overlap(const LevelledFrame& reference, const LevelledFrame& fresh) {
  const std::int64_t pixels = fresh.image.shape.count();
  for (std::int64_t i = 0; i < pixels; ++i)
    if (!reference.level.is_bad(reference.image.pixels[i]) && !fresh.level.is_bad(fresh.image.pixels[i])) return;
  refuse("no pixel is good in both frames, so nothing tells how they compare; do they show the same sky?");
}

[[noreturn]] void refuse_few_stamps(const Stamps& stamps, std::size_t left) {
  if (stamps.candidates == 0)
    refuse("the fitted kernel needs " + std::to_string(least_stamps) +
           " stars or galaxies that stand out of both frames, and there is none. For frames without stars set "
           "difference.kernel: gaussian");
  refuse("the fitted kernel needs " + std::to_string(least_stamps) +
         " stars or galaxies that stand out of both frames; " + std::to_string(stamps.candidates) +
         " of the frame to convolve are bright enough, " + std::to_string(stamps.refused) +
         " of these lie near an edge, saturated or masked pixels, and " + std::to_string(left) +
         " were left that agree. Check that the frames are aligned (difference.align). If many of its pixels are " +
         "masked, convolve the other frame (difference.convolve), or set difference.kernel: gaussian");
}

std::string percent(double share) {
  return std::to_string(static_cast<int>(std::clamp(share, 0.0, 1.0) * 100)) + " %";
}

[[noreturn]] void refuse_other_sky(const std::string& reason) {
  refuse("no kernel makes the stars of one frame those of the other: " + reason +
         ". Do the frames show the same sky, the same way up? Check that they are aligned (difference.align)");
}

void require_shared_stars(const std::vector<Peak>& reference, const std::vector<Peak>& fresh, std::int64_t pixels) {
  const double shared = share_of_shared_stars(reference, fresh, pixels);
  if (shared < least_shared)
    refuse_other_sky("but for chance, " + percent(shared) +
                     " of the bright stars of one frame are in the other within " + std::to_string(shared_within) +
                     " pixels");
}

struct FitPlan {
  bool convolves_new;
  int kernel_half, stamp_half;
  StarWidths widths;
};

/// Returns the stamps around stars; all stamps if these are fewer than least_stamps.
std::vector<Stamp> around_stars(const std::vector<Stamp>& stamps, const FrameStars& stars) {
  std::vector<Stamp> around;
  std::ranges::copy_if(stamps, std::back_inserter(around), [&](const Stamp& stamp) { return stars.is_star(stamp); });
  return around.size() < least_stamps ? stamps : around;
}

/// `peaks` are those of the reference, and `stars` its stars.
FitPlan plan_fit(const LevelledFrame& reference, const std::vector<Peak>& peaks, const FrameStars& stars,
                 const LevelledFrame& fresh, const DifferenceConfig& config, const Cpu& where) {
  const Stamps stamps = choose_stamps(reference, peaks, fresh, usual_reach, where);
  const StarWidths widths = measure_widths(reference, fresh, around_stars(stamps.chosen, stars), where);
  const bool new_is_sharper = widths.ratio < 1 - equal_widths;
  const bool of_new = config.convolve == Convolved::fresh || (config.convolve == Convolved::either && new_is_sharper);
  const double target = of_new ? widths.reference : widths.fresh;
  const int of_gaussians =
      std::clamp(static_cast<int>(std::ceil(kernel_half_per_fwhm * target)), least_kernel_half, most_kernel_half);
  const int half = config.basis == Basis::delta ? std::min(of_gaussians, most_delta_half) : of_gaussians;
  return {of_new, half, std::max(least_stamp_half, half + stamp_beyond_kernel), widths};
}

/// Sets the means and extremes of the kernel's sum and of the background, over a grid of positions in the field.
void describe_field(const KernelFit& fit, const Shape& shape, FitFacts& facts) {
  constexpr int places = 8;
  const int sky = fit.basis.size();
  const auto width = static_cast<double>(shape.width), height = static_cast<double>(shape.height);
  for (int j = 0; j < places; ++j) {
    for (int i = 0; i < places; ++i) {
      const FieldTerms terms((i + 0.5) / places * width - 0.5, (j + 0.5) / places * height - 0.5, width, height);
      const double sum = terms.sum(fit.coefficients.of_column(0), fit.coefficients.terms(0));
      const double level = terms.sum(fit.coefficients.of_column(sky), fit.coefficients.terms(sky));
      const bool first = i == 0 && j == 0;
      facts.least_sum = first ? sum : std::min(facts.least_sum, sum);
      facts.most_sum = first ? sum : std::max(facts.most_sum, sum);
      facts.least_background = first ? level : std::min(facts.least_background, level);
      facts.most_background = first ? level : std::max(facts.most_background, level);
      facts.mean_sum += sum / (places * places);
      facts.mean_background += level / (places * places);
    }
  }
}

/// Returns the fraction of a pixel's variance, as the fit's weights contain it, that comes from the convolved frame.
/// The fraction is reduced if the measured `chi` is below the chi that this noise would cause, for example because
/// faint stars increased the measured noise of the sky.
double noise_share(const KernelFit& fit, const LevelledFrame& from, double chi) {
  double square = 0;
  for (const double value : kernel_in_middle(fit, from.image.shape)) square += value * value;
  const auto own = static_cast<double>(from.level.variance), other = static_cast<double>(fit.to.variance);
  const double expected_chi = (other + square * static_cast<double>(fit.from.variance)) / (other + own);
  return own / (own + other) * std::min(1.0, chi / expected_chi);
}

/// Sets sky_variance, the variance of the sky in the difference: the noise of one frame, and the noise of the other
/// frame after convolution by the kernel.
void describe_kernel(const KernelFit& fit, const Shape& shape, FitFacts& facts) {
  double sum = 0, square = 0;
  const std::vector<double> kernel = kernel_in_middle(fit, shape);
  for (int tap = 0; tap < fit.basis.taps(); ++tap) {
    const double value = kernel[static_cast<std::size_t>(tap)];
    sum += value;
    square += value * value;
  }
  const double variance = static_cast<double>(fit.to.variance) + square * static_cast<double>(fit.from.variance);
  facts.sky_variance = fit.convolves_new ? variance / (sum * sum) : variance;
}

SkyLevel sky_level_of(const FrameLevel& level) {
  return {static_cast<double>(level.sky), std::sqrt(static_cast<double>(level.variance))};
}

void describe_stamps(const RobustSolution& solution, const Stamps& stamps, FitFacts& facts) {
  std::vector<double> chis;
  for (const std::size_t s : solution.used) chis.push_back(solution.fits[s].chi);
  facts.candidates = stamps.candidates;
  facts.refused = stamps.refused;
  facts.stamps = std::ssize(stamps.chosen);
  facts.used = std::ssize(solution.used);
  facts.iterations = solution.iterations;
  facts.condition = solution.coefficients.condition;
  facts.kernel_order = solution.coefficients.orders.kernel;
  facts.flux_order = solution.coefficients.orders.flux;
  facts.background_order = solution.coefficients.orders.background;
  facts.chi_median = solution.chi_median;
  facts.chi_p95 = ranked(chis, 0.95);
}

}  // namespace

std::vector<double> kernel_at(const KernelFit& fit, const FieldTerms& at) {
  std::vector<double> kernel(static_cast<std::size_t>(fit.basis.taps()), 0);
  for (int f = 0; f < fit.basis.size(); ++f) {
    const double weight = at.sum(fit.coefficients.of_column(f), fit.coefficients.terms(f));
    for (int tap = 0; tap < fit.basis.taps(); ++tap)
      kernel[static_cast<std::size_t>(tap)] +=
          weight * fit.basis.values[static_cast<std::size_t>(std::int64_t{f} * fit.basis.taps() + tap)];
  }
  return kernel;
}

std::vector<double> kernel_in_middle(const KernelFit& fit, const Shape& shape) {
  const auto width = static_cast<double>(shape.width), height = static_cast<double>(shape.height);
  return kernel_at(fit, FieldTerms((width - 1) / 2, (height - 1) / 2, width, height));
}

namespace {

/// Sets fit.from to the level with which independent pixels of the convolved frame would have its noise after the
/// convolution. Pixels of a resampled frame share their noise, and the kernel takes away less of it.
void level_convolved(const LevelledFrame& from, KernelFit& fit) {
  fit.from = from.level;
  if (from.shared == nullptr) return;
  const DifferenceNoise noise{0, 1, {fit.basis.half, kernel_in_middle(fit, from.image.shape)}, nullptr, from.shared};
  const auto factor = static_cast<float>(noise.convolved_factor());
  fit.from.variance *= factor;
  fit.from.variance_per_count *= factor;
  fit.from.map_scale *= factor;
}

/// As fit_kernel(), for frames whose FrameLevel is already measured.
KernelFit fit_levelled(const LevelledFrame& old_frame, const LevelledFrame& new_frame, const DifferenceConfig& config,
                       const Cpu& where, bool finds_stars, const FindPeaks& find) {
  const Shape& shape = new_frame.image.shape;
  require_noise(old_frame.level, "reference");
  require_noise(new_frame.level, "new frame");
  require_overlap(old_frame, new_frame);
  const std::vector<Peak> old_peaks = find_stars(old_frame, find), new_peaks = find_stars(new_frame, find);
  const FrameStars stars = find_frame_stars(old_frame, old_peaks, where);
  const FitPlan plan = plan_fit(old_frame, old_peaks, stars, new_frame, config, where);
  const FramePair frames{plan.convolves_new ? new_frame : old_frame, plan.convolves_new ? old_frame : new_frame};
  const Stamps stamps = choose_stamps(frames.from, plan.convolves_new ? new_peaks : old_peaks, frames.to,
                                      {plan.kernel_half + least_inside, plan.stamp_half + plan.kernel_half}, where);
  if (stamps.chosen.size() < least_stamps) refuse_few_stamps(stamps, stamps.chosen.size());
  require_shared_stars(old_peaks, new_peaks, shape.count());

  KernelFit fit{plan.convolves_new,
                frames.from.level,
                frames.to.level,
                std::min(plan.kernel_half, most_bloom) / 2 + 1,
                make_kernel_basis(plan.kernel_half, config.basis),
                {},
                {},
                {}};
  const std::vector<StampSums> sums = sum_stamps(frames, stamps.chosen, plan.stamp_half, fit.basis, where);
  std::vector<FieldTerms> terms;
  for (const Stamp& stamp : stamps.chosen)
    terms.emplace_back(static_cast<double>(stamp.x), static_cast<double>(stamp.y), static_cast<double>(shape.width),
                       static_cast<double>(shape.height));
  RobustSolution solution = solve_robustly(sums, terms, config, where);
  if (solution.used.size() < least_stamps) refuse_few_stamps(stamps, solution.used.size());
  fit.coefficients = solution.coefficients;
  level_convolved(frames.from, fit);
  const double share = noise_share(fit, frames.from, solution.chi_median);
  remove_noise(sums, terms, fit.basis, share, solution, where);
  FitFacts& facts = fit.facts;
  describe_stamps(solution, stamps, facts);
  const StarResidual residual = residual_of(fit, frames, stamps.chosen, plan.stamp_half, terms, sums, solution, where);
  facts.residual = residual.share;
  facts.star_variance = residual.variance;
  if (facts.residual > most_residual)
    refuse_other_sky("the best misses " + percent(facts.residual) + " of their light");
  fit.coefficients = std::move(solution.coefficients);
  level_convolved(frames.from, fit);
  facts.reference_sky = sky_level_of(old_frame.level);
  facts.new_sky = sky_level_of(new_frame.level);
  facts.reference_pile_up = static_cast<double>(old_frame.level.pile_up);
  facts.new_pile_up = static_cast<double>(new_frame.level.pile_up);
  facts.convolved_new = plan.convolves_new;
  facts.reference_fwhm = plan.widths.reference;
  facts.new_fwhm = plan.widths.fresh;
  facts.shift_x = plan.widths.shift_x;
  facts.shift_y = plan.widths.shift_y;
  facts.crowded = stars.is_crowd(plan.convolves_new ? plan.widths.reference : plan.widths.fresh);
  facts.half_width = plan.kernel_half;
  describe_field(fit, shape, facts);
  if (!(facts.mean_sum > 0)) refuse_other_sky("the best leaves nothing of their light");
  describe_kernel(fit, shape, facts);
  if (finds_stars) {
    const auto [to, from] = plan.convolves_new ? std::pair(facts.reference_fwhm, facts.new_fwhm)
                                               : std::pair(facts.new_fwhm, facts.reference_fwhm);
    make_star_profile(frames, stars, to, from, where, fit);
  }
  fit.from.map = fit.to.map = nullptr;
  return fit;
}

/// As fit_levelled(), with the noise that the fit left if the frames were measured to be far noisier.
KernelFit fit_with_own_noise(LevelledFrame& old_frame, LevelledFrame& new_frame, const DifferenceConfig& config,
                             const Cpu& where, bool finds_stars, const FindPeaks& find) {
  constexpr double most = 0.5;
  constexpr int rounds = 3;
  KernelFit fit = fit_levelled(old_frame, new_frame, config, where, finds_stars, find);
  if (!fit.facts.crowded || old_frame.level.map != nullptr || new_frame.level.map != nullptr) return fit;
  for (int round = 0; round < rounds; ++round) {
    const FramePair frames{fit.convolves_new ? new_frame : old_frame, fit.convolves_new ? old_frame : new_frame};
    const NoiseOfResidual left = noise_of_residual(fit, frames, where);
    if (left.sky > most || !left.is_own) break;
    for (LevelledFrame* frame : {&old_frame, &new_frame}) frame->level.variance *= static_cast<float>(left.sky);
    fit = fit_levelled(old_frame, new_frame, config, where, finds_stars, find);
  }
  return fit;
}

/// Returns a hint for an error message if the saturation of a frame was guessed from its pixels, else an empty text. A
/// wrong guess masks stars, so that few are left to fit.
std::string describe_pile_up(const FrameLevel& level, const std::string& name) {
  if (level.pile_up == 0) return "";
  return ". Several pixels of the " + name + " share its greatest value, " +
         shortest(static_cast<double>(level.pile_up)) +
         ", so stars from nine tenths of it are masked as saturated; set measurement.saturation";
}

}  // namespace

KernelFit fit_kernel(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh, const DifferenceConfig& config,
                     const FrameLights& lights, const Cpu& where, const FrameMaps<Cpu>& maps, bool finds_stars) {
  const auto find = [&](const LevelledFrame& frame, float threshold) { return find_peaks(frame, threshold, where); };
  return fit_kernel(reference, fresh, config, lights, where, maps, finds_stars, find);
}

KernelFit fit_kernel(const Image<float, Cpu>& reference, const Image<float, Cpu>& fresh, const DifferenceConfig& config,
                     const FrameLights& lights, const Cpu& where, const FrameMaps<Cpu>& maps, bool finds_stars,
                     const FindPeaks& find) {
  LevelledFrame old_frame{reference, measure_level(reference, lights.reference, where, maps.reference),
                          lights.reference.psf, lights.reference.shared};
  LevelledFrame new_frame{fresh, measure_level(fresh, lights.fresh, where, maps.fresh), lights.fresh.psf,
                          lights.fresh.shared};
  try {
    return fit_with_own_noise(old_frame, new_frame, config, where, finds_stars, find);
  } catch (const Error& error) {
    throw Error(error.kind(), error.what() + describe_pile_up(old_frame.level, "reference") +
                                  describe_pile_up(new_frame.level, "new frame"));
  }
}

}  // namespace srcextract
