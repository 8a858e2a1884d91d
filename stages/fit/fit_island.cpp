#include "stages/fit/fit_island.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numbers>
#include <tuple>
#include <utility>

#include "stages/fit/fit_pixels.hpp"

namespace srcextract {
namespace {

// The constants of this file were chosen on simulated maps, and varied on four kinds of them (tests/truth): points,
// Gaussians and doubles (4 maps of 1024 x 1024, 474 components above 5 sigma); 60 galaxies of two lobes and a core;
// ragged edges that cut 116 points; and filaments of 512 x 512 (160 rows). "The same" says that rows, fluxes and pulls
// of these are the same. The comments give the range that was tried.

/// Most Gaussians that are fitted together. Filaments take 0.4 times as long with 4, and 1.2 times with 12; the rest is
/// the same.
constexpr std::size_t block_size = 8;

using Members = std::vector<std::size_t>;

double squared(double x) {
  return x * x;
}

/// Divides Gaussians into blocks of at most block_size, as indices in `all`. Each block has the brightest Gaussian that
/// is in no earlier block, and its nearest neighbours.
std::vector<Members> blocks_of(const std::vector<Fitted>& all) {
  Members left(all.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  std::vector<Members> blocks;
  while (!left.empty()) {
    const Gaussian& first =
        all[*std::ranges::max_element(left, {}, [&](std::size_t i) { return all[i].start.peak; })].start;
    const std::size_t size = std::min(block_size, left.size());
    std::ranges::stable_sort(
        left, {}, [&](std::size_t i) { return squared(all[i].start.x - first.x) + squared(all[i].start.y - first.y); });
    Members block(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(size));
    std::ranges::sort(block);
    blocks.push_back(std::move(block));
    left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(size));
    std::ranges::sort(left);
  }
  return blocks;
}

/// The position and value of an island's largest residual that is not near the centre of a Gaussian.
struct Excess {
  std::int32_t x = 0, y = 0;
  double value = 0;  ///< residual in units of the pixel's noise
  double rms = 0;    ///< rms of all residuals of the island, in units of the noise
};

class IslandFit {
 public:
  IslandFit(const FitMap& map, const FitIsland& island, const FitRule& rule) : map_(map), island_(island), rule_(rule) {
    const double largest = island.diagonal() + std::sqrt(fwhm_squared * rule.beam.axis(1));
    // In full widths. A minor axis of 0.25 to 0.8 of the beam is the same but for 1 or 2 rows of filaments. With 1 in
    // place of 2 a galaxy of 60 is fitted wrongly; 4 is the same.
    constexpr double narrowest_of_beam = 0.5, widest_of_island = 2;
    limits_ = {squared(narrowest_of_beam) * rule.beam.axis(-1), squared(widest_of_island * largest) / fwhm_squared,
               std::sqrt(fwhm_squared * rule.beam.axis(1)), rule.config.rounds};
  }

  IslandGaussians result() {
    std::vector<Gaussian> seeds = find_seeds(map_, island_, rule_.seeds);
    const auto most = static_cast<std::size_t>(rule_.config.max_components);
    if (seeds.size() > most) {
      seeds.resize(most);
      out_.flags |= fit_flag::left_out;
    }
    std::ranges::sort(seeds, {}, [](const Gaussian& one) { return std::tuple(one.y, one.x); });
    for (const Gaussian& seed : seeds) out_.of.push_back({seed, seed});
    settle();
    for (std::int64_t i = 0; i < rule_.config.refine && !out_.of.empty() && out_.of.size() < most; ++i)
      if (!add_one()) break;
    mend();
    if (!out_.of.empty() && !find_covariance()) {
      // What is left of a source at an edge may not tell its shape.
      for (Fitted& one : out_.of)
        if (one.free_shape) give_beam(one);
      settle();
      mend();
      if (out_.of.empty() || !find_covariance()) out_.of.clear();
    }
    return std::move(out_);
  }

 private:
  /// Repeats the fit until all Gaussians are plausible. An implausible Gaussian (is_unlikely) is restrained. The first
  /// attempts handle only the faintest implausible Gaussian of each block, since this Gaussian may have disturbed the
  /// fit of the others. Later attempts handle all implausible Gaussians; the last remove them.
  void settle() {
    // Without attempts for one, one of 116 points at ragged edges is lost. Up to 12 and 20 the rows are the same.
    constexpr int attempts_for_one = 6, most_attempts = 10;
    for (int attempt = 0; !out_.of.empty(); ++attempt) {
      fit_all();
      Members bad;
      for (const Members& block : blocks_) {
        const std::size_t before = bad.size();
        std::ranges::copy_if(block, std::back_inserter(bad), [&](std::size_t i) { return is_unlikely(out_.of[i]); });
        if (attempt >= attempts_for_one || bad.size() == before) continue;
        const auto of_block = bad.begin() + static_cast<std::ptrdiff_t>(before);
        *of_block = *std::min_element(of_block, bad.end(), [&](std::size_t one, std::size_t other) {
          return out_.of[one].now.peak < out_.of[other].now.peak;
        });
        bad.resize(before + 1);
      }
      if (bad.empty()) return;
      std::ranges::sort(bad);
      for (std::size_t k = bad.size(); k-- > 0;)
        if (attempt < most_attempts)
          restrain(bad[k]);
        else
          remove(bad[k]);
    }
  }

  /// Gives a Gaussian the shape of the beam, or removes it if it already has this shape. Notes the light of a source
  /// whose centre is on masked pixels.
  void restrain(std::size_t i) {
    Fitted& one = out_.of[i];
    if (one.free_shape) {
      give_beam(one);
    } else {
      if (is_beyond(one)) out_.beyond = std::max(out_.beyond, one.integral());
      remove(i);
    }
  }

  void give_beam(Fitted& one) const {
    if (is_beyond(one)) one.free_integral = one.integral();
    one.free_shape = false;
    one.flags |= fit_flag::beam_shape;
    one.start = one.now = gaussian_of(one.start.peak, one.start.x, one.start.y, rule_.beam);
  }

  void remove(std::size_t i) {
    out_.of.erase(out_.of.begin() + static_cast<std::ptrdiff_t>(i));
    out_.flags |= fit_flag::dropped;
  }

  bool has_masked_centre(const Gaussian& g) const {
    return at_edge_ && !map_.is_good(FitIsland::pixel_at(g.x), FitIsland::pixel_at(g.y));
  }

  /// Whether a fit has converged on a centre on a masked pixel.
  bool is_beyond(const Fitted& one) const {
    return has_masked_centre(one.now) && (one.flags & fit_flag::unconverged) == 0;
  }

  /// Returns the brightest value of a Gaussian on the pixels of the island if its centre may be where it is; else 0. A
  /// source that the edge cuts may have its centre on masked pixels, if at least half of its peak is seen.
  double seen_peak(const Fitted& one) const {
    const Gaussian& g = one.now;
    if (island_.has_centre(g)) return g.peak;
    if ((one.free_shape && (one.flags & fit_flag::unconverged) != 0) || !has_masked_centre(g)) return 0;
    const auto [x, y] = island_.nearest_pixel(g);
    const double seen = g.at(x, y);
    constexpr double least_seen = 0.5;  // 0.8 loses 22 of 116 points at ragged edges, 0.5 loses 4, 0.2 loses 3
    return seen >= least_seen * g.peak ? seen : 0;
  }

  bool is_unlikely(const Fitted& one) const {
    // The same from 0.3 to 0.9, 1.1 to 5, 0 to 10 and 0.001 to 0.3: they tell fits that went astray, which are far off.
    constexpr double least_of_threshold = 0.6, most_of_peak = 1.5, noise_of_peak = 1, near_limit = 0.05;
    const double peak = seen_peak(one);
    if (peak < least_of_threshold * rule_.seeds.threshold) return true;
    if (peak > most_of_peak * island_.peak() / island_.noise() + noise_of_peak) return true;
    const GaussianShape spread = one.now.spread();
    const bool cornered = !(spread.axis(-1) >= (1 + near_limit) * limits_.narrowest &&
                            spread.axis(1) <= (1 - near_limit) * limits_.widest);
    return one.free_shape && (one.flags & fit_flag::unconverged) != 0 && cornered;
  }

  void fit_all() {
    const std::vector<Members> blocks = blocks_of(out_.of);
    pixels_.assign(blocks.size(), {});
    blocks_ = blocks;
    constexpr int sweeps_of_blocks = 2;  // 1 loses a row of filaments; 3 takes 1.13 times as long for the same rows
    const int sweeps = blocks.size() == 1 ? 1 : sweeps_of_blocks;
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (std::size_t b = 0; b < blocks.size(); ++b) fit_block(blocks[b], pixels_[b]);
  }

  /// Fits the Gaussians of a block to the map minus all other Gaussians. The pixels that are fitted depend on the
  /// Gaussians' shapes. The fit is therefore repeated, at most four times, until the set of pixels stays the same.
  void fit_block(const Members& members, FitPixels& pixels) {
    // With 1, fluxes of points at ragged edges err by 1.6 % and not 0.8 % (median), with 2 by 0.9 %; 8 is the same,
    // but filaments take 1.35 times as long.
    constexpr int most_choices = 4;
    std::vector<Fitted> of;
    std::size_t parameters = 0;
    for (const std::size_t i : members) {
      of.push_back(out_.of[i]);
      of.back().flags &= static_cast<std::int16_t>(~fit_flag::unconverged);
      parameters += of.back().parameters();
    }
    pixels.clear();
    bool converged = false;
    for (int choice = 0; choice < most_choices; ++choice) {
      if (!choose_pixels(map_, island_, of, rule_.config.radius, pixels)) break;
      subtract_others(members, pixels);
      if (pixels.size() < parameters + 1) {
        converged = false;
        break;
      }
      BlockFit fit(limits_);
      const std::int64_t rounds = fit.fit(pixels, of);
      out_.rounds += rounds;
      converged = rounds < limits_.rounds;
      if (!converged) break;
    }
    for (std::size_t k = 0; k < members.size(); ++k) {
      if (!converged) of[k].flags |= fit_flag::unconverged;
      out_.of[members[k]] = of[k];
    }
  }

  void subtract_others(const Members& members, FitPixels& pixels) const {
    if (members.size() == out_.of.size()) return;
    for (std::size_t i = 0; i < out_.of.size(); ++i) {
      if (std::ranges::binary_search(members, i)) continue;
      for (std::size_t p = 0; p < pixels.size(); ++p) pixels.value[p] -= out_.of[i].now.at(pixels.x[p], pixels.y[p]);
    }
  }

  /// Returns how far the Gaussians are above the map at most, in units of the noise, where Gaussian i is the brightest.
  /// A map below 0 counts as 0, since no Gaussian has made it so.
  double overshoot_of(std::size_t i) const {
    const Gaussian& g = out_.of[i].now;
    double most = 0;
    // The Gaussian is below the noise beyond this radius.
    const double radius = std::sqrt(2 * portable_log(std::max(g.peak, 1.0)) / fwhm_squared);
    FitPixels pixels;
    choose_pixels(map_, island_, {out_.of[i]}, radius, pixels);
    for (std::size_t p = 0; p < pixels.size(); ++p) {
      const std::int32_t x = pixels.x[p], y = pixels.y[p];
      const double own = g.at(x, y);
      if (std::ranges::any_of(out_.of, [&](const Fitted& other) { return other.now.at(x, y) > own; })) continue;
      const double above = model_at(out_.of, x, y) - std::max(pixels.value[p], 0.0);
      most = std::max(most, above * island_.noise() / map_.noise(x, y));
    }
    return most;
  }

  /// The Gaussian with the largest overshoot.
  std::pair<std::size_t, double> worst_overshoot() const {
    std::pair<std::size_t, double> worst = {0, 0};
    for (std::size_t i = 0; i < out_.of.size(); ++i)
      if (const double most = overshoot_of(i); most > worst.second) worst = {i, most};
    return worst;
  }

  /// The sum of squared residuals over pixels, in units of the island's noise.
  double misfit(const FitPixels& pixels) const {
    double sum = 0;
    for (std::size_t p = 0; p < pixels.size(); ++p)
      sum += squared(pixels.value[p] - model_at(out_.of, pixels.x[p], pixels.y[p]));
    return sum;
  }

  /// Makes the fit again while a Gaussian is far above the map: with the shape of the beam, then without the Gaussian.
  /// A new fit is kept if it is less far above the map, and nearer to the map around all Gaussians. Gaussians that
  /// remain above the map are flagged. They are not reliable if the map lacks half of their peak.
  void mend() {
    constexpr int most_repairs = 4;  // the same from 0 to 12: few maps have a Gaussian far above them
    for (int attempt = 0; attempt < most_repairs; ++attempt)
      if (const auto [i, most] = worst_overshoot();
          most <= fit_flag::most_above || !(without_shape(i, most) || without(i, most)))
        break;
    for (std::size_t i = 0; i < out_.of.size(); ++i) {
      if (overshoot_of(i) <= fit_flag::most_above) continue;
      const Gaussian& g = out_.of[i].now;
      const std::int64_t x = FitIsland::pixel_at(g.x), y = FitIsland::pixel_at(g.y);
      out_.of[i].flags |= fit_flag::above_map;
      out_.of[i].reliable =
          !map_.is_good(x, y) ||
          model_at(out_.of, g.x, g.y) - static_cast<double>(map_.at(x, y)) / island_.noise() < g.peak / 2;
    }
  }

  bool without_shape(std::size_t i, double most) {
    return out_.of[i].free_shape && try_again(most, [&] { give_beam(out_.of[i]); });
  }
  bool without(std::size_t i, double most) {
    return out_.of.size() > 1 && try_again(most, [&] { remove(i); });
  }

  /// Makes the fit again after `change`. Returns whether the new fit is kept.
  template <class F>
  bool try_again(double most, const F& change) {
    constexpr double around = 1.5;  // FWHM; the same from 0.7 to 3
    const IslandGaussians before = out_;
    FitPixels pixels;
    choose_pixels(map_, island_, out_.of, around, pixels);
    const double misfit_before = misfit(pixels);
    change();
    settle();
    if (!out_.of.empty() && worst_overshoot().second < most && misfit(pixels) < misfit_before) return true;
    restore(before);
    return false;
  }

  void restore(const IslandGaussians& before) {
    const std::int64_t rounds = out_.rounds;
    out_ = before;
    out_.rounds = rounds;
    fit_all();
  }

  Excess largest_residual() const {
    Excess most;
    double squares = 0;
    // Squared distances: of the area FWHM x FWHM of the beam, and in pixels. The same from 0; with 1 or with 40 pixels
    // a galaxy of 60 is fitted wrongly.
    constexpr double near_of_beam = 0.25, near_pixels = 5;
    const double least_distance =
        std::max(near_of_beam * std::sqrt(fwhm_squared * fwhm_squared * rule_.beam.determinant()), near_pixels);
    island_.for_each_pixel([&](std::int32_t x, std::int32_t y) {
      const double residual = static_cast<double>(map_.at(x, y)) - island_.noise() * model_at(out_.of, x, y);
      const double value = residual / map_.noise(x, y);
      squares += value * value;
      if (!(value > most.value)) return;
      const bool near = std::ranges::any_of(
          out_.of, [&](const Fitted& one) { return squared(x - one.now.x) + squared(y - one.now.y) < least_distance; });
      if (!near) most = {x, y, value, 0};
    });
    most.rms = std::sqrt(squares / static_cast<double>(island_.size()));
    return most;
  }

  /// Returns the ratio of the residual's area to that of the beam, at least 1, from the number of pixels above half of
  /// the largest residual.
  double growth_of(const Excess& excess) const {
    std::int64_t area = 0;
    island_.for_each_pixel([&](std::int32_t x, std::int32_t y) {
      const double residual = static_cast<double>(map_.at(x, y)) - island_.noise() * model_at(out_.of, x, y);
      if (residual > excess.value / 2 * map_.noise(x, y)) ++area;
    });
    return std::max(1.0, static_cast<double>(area) / (std::numbers::ln2 * rule_.beam_pixels));
  }

  /// Adds a Gaussian at the largest residual, if the residual is large enough. The Gaussian is removed again if the rms
  /// of the residuals does not fall. Returns whether a Gaussian was added and kept.
  bool add_one() {
    const Excess excess = largest_residual();
    // A bad fit, the same from 1.2 to 2. Without a limit, false rows of mixed maps rise from 4 to 16
    // (tests/bench/HISTORY.md, radio maps). With left_of_distortion 0, fluxes far from the equator of a map in CAR are
    // 10 % too low (test_wide_radio_maps.py); 2 passes.
    constexpr double left_of_distortion = 0.5, bad_rms = 1.5;
    const double least = std::max(excess.rms < bad_rms ? rule_.seeds.least : rule_.seeds.threshold,
                                  left_of_distortion * rule_.distortion * island_.peak() / island_.noise());
    if (!(excess.value > least) || !(excess.rms > 1)) return false;
    const IslandGaussians before = out_;
    const double peak = excess.value * map_.noise(excess.x, excess.y) / island_.noise();
    const double grown = growth_of(excess);
    const Gaussian seed =
        gaussian_of(peak, excess.x, excess.y, {grown * rule_.beam.xx, grown * rule_.beam.xy, grown * rule_.beam.yy});
    for (Fitted& one : out_.of) one.start = one.now;
    out_.of.push_back({seed, seed});
    std::ranges::stable_sort(out_.of, {}, [](const Fitted& one) { return std::tuple(one.start.y, one.start.x); });
    settle();
    if (out_.of.size() > before.of.size() && largest_residual().rms < excess.rms) return true;
    restore(before);
    return false;
  }

  /// Combines the covariances of all blocks into one matrix. Returns false if that of a block cannot be computed.
  bool find_covariance() {
    std::vector<std::size_t> first;
    std::size_t parameters = 0;
    for (const Fitted& one : out_.of) {
      first.push_back(parameters);
      parameters += one.parameters();
    }
    out_.covariance.reset(parameters);
    out_.chi2 = 0;
    out_.pixels = 0;
    std::int64_t free = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const FitPixels& pixels = with_noise(pixels_[b]);
      std::vector<Fitted> of;
      std::vector<std::size_t> place;
      for (const std::size_t i : blocks_[b]) {
        of.push_back(out_.of[i]);
        for (std::size_t k = 0; k < of.back().parameters(); ++k) place.push_back(first[i] + k);
      }
      BlockFit fit(limits_);
      SymmetricMatrix covariance;
      if (!fit.find_covariance(pixels, of, rule_.correlation, covariance)) return false;
      for (std::size_t i = 0; i < place.size(); ++i)
        for (std::size_t k = 0; k <= i; ++k) out_.covariance.at(place[i], place[k]) = covariance.at(i, k);
      out_.chi2 += fit.chi2();
      out_.pixels += static_cast<std::int64_t>(pixels.size());
      free += static_cast<std::int64_t>(pixels.size()) - static_cast<std::int64_t>(place.size());
    }
    if (free > 0) out_.chi2 /= static_cast<double>(free);
    return true;
  }

  FitPixels& with_noise(FitPixels& pixels) const {
    pixels.noise.resize(pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i)
      pixels.noise[i] = map_.noise(pixels.x[i], pixels.y[i]) / island_.noise();
    return pixels;
  }

  const FitMap& map_;
  const FitIsland& island_;
  const FitRule& rule_;
  bool at_edge_ = island_.at_edge();
  FitLimits limits_;
  IslandGaussians out_;
  std::vector<Members> blocks_;
  std::vector<FitPixels> pixels_;
};

}  // namespace

double model_at(const std::vector<Fitted>& of, double x, double y) {
  double sum = 0;
  for (const Fitted& one : of) sum += one.now.at(x, y);
  return sum;
}

IslandGaussians fit_gaussians(const FitMap& map, const FitIsland& island, const FitRule& rule) {
  if (island.size() > rule.config.large) return {};
  return IslandFit(map, island, rule).result();
}

}  // namespace srcextract
