#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "stages/crowd/crowd_fit.hpp"
#include "stages/crowd/equations_view.hpp"
#include "stages/crowd/find_stars.hpp"
#include "stages/crowd/fit_crowd.hpp"

namespace srcextract {

/// Runs the turns of a fit, on host or device. A turn searches the residual for new stars and then fits all stars and
/// the sky. `Work` contains the stars and the image, and has these members:
/// - set(stars), add_saturated_cores(), count(), noise(), and shared_noise() of the last search;
/// - measure_shared_noise() without a search, of the residual;
/// - draw() for all stars, render(), soften(), measure_noise();
/// - judge_noise() of the residual, which returns whether pixels share their noise;
/// - find_negatives(rule) returns the stars that it finds in the negative of the residual (CrowdFit::negatives);
/// - find(rule, turn) adds and draws new stars, updates the residual, and returns the number of new stars;
/// - solve(free, tolerance, most rounds) changes stars and sky by the solution of the equations, and returns the number
///   of rounds;
/// - finish() returns the result without CrowdFit::turns.
template <class Work>
class CrowdTurns {
 public:
  CrowdTurns(Work& work, const CrowdConfig& config, const Shape& shape) : work_(work), config_(config), shape_(shape) {}

  /// Finds stars and fits them, in config.turns turns.
  CrowdFit find() {
    start();
    work_.add_saturated_cores();
    const auto turns = static_cast<std::int32_t>(config_.turns);
    for (std::int32_t turn = 1; turn < turns; ++turn) {
      find_more(turn);
      solve(CrowdFree::all);
    }
    finish_fluxes(1);
    std::vector<CrowdStar> negatives = work_.find_negatives(rule(clear));
    CrowdFit fit = finish();
    fit.negatives = std::move(negatives);
    std::erase_if(fit.rows, [&](const CrowdRow& row) { return !is_on_image(row); });
    return fit;
  }

  /// Fits the fluxes of stars at given places. Places outside the image get rows without light.
  CrowdFit force(const std::vector<CrowdPlace>& places) {
    constexpr int turns = 3;
    std::vector<CrowdStar> stars;
    for (const CrowdPlace& at : places)
      if (is_on_image(at)) stars.push_back({at.x, at.y, 0, 0});
    start();
    work_.set(stars);
    finish_fluxes(turns);
    judge_again();
    work_.measure_shared_noise();
    CrowdFit fit = finish();
    std::vector<CrowdRow> all;
    auto next = fit.rows.begin();
    for (const CrowdPlace& at : places) all.push_back(is_on_image(at) ? *next++ : CrowdRow::without_light(at.x, at.y));
    fit.rows = std::move(all);
    return fit;
  }

 private:
  static constexpr double clear = 1, blended = 0.15;

  FindRule rule(double blend) const { return {config_.threshold, blend, crowd_separation}; }

  /// Measures the noise of the image before any star is found.
  void start() {
    constexpr int rounds = 3;
    work_.draw();
    for (int round = 0; round < rounds; ++round) {
      work_.render();
      work_.measure_noise();
    }
    shares_noise_ = work_.judge_noise();
  }

  /// Light of a dense crowd is taken for noise that pixels share, until its stars are subtracted.
  void judge_again() {
    if (shares_noise_) shares_noise_ = work_.judge_noise();
  }

  void find_more(std::int32_t turn) {
    work_.draw();
    work_.render();
    if (turn > 1) judge_again();
    constexpr std::int32_t of_clear_stars = 2;
    facts_ = {work_.find(rule(turn <= of_clear_stars ? clear : blended), turn)};
  }

  /// Fits fluxes and sky `turns` times, and finally fluxes alone. In the last fit, weights, positions and sky are
  /// fixed, so that fluxes depend linearly on the pixels.
  void finish_fluxes(int turns) {
    facts_ = {};
    for (int turn = 0; turn < turns; ++turn) {
      work_.draw();
      work_.render();
      solve(CrowdFree::fluxes_and_sky);
    }
    work_.render();
    solve(CrowdFree::fluxes);
  }

  void solve(CrowdFree free) {
    const bool last = free == CrowdFree::fluxes;
    constexpr double coarse = 0.03, fine = 0.003;
    constexpr int most_rounds = 400;
    if (!last) work_.soften();
    facts_.rounds += work_.solve(free, last ? fine : coarse, most_rounds);
    facts_.stars = work_.count();
    facts_.noise = work_.noise();
    if (free != CrowdFree::fluxes_and_sky) turns_.push_back(facts_);
    if (!last) work_.measure_noise();
  }

  CrowdFit finish() {
    CrowdFit fit = work_.finish();
    fit.turns = std::move(turns_);
    fit.shared_noise = work_.shared_noise();
    const double factor = fit.shared_noise * fit.shared_noise;
    for (CrowdRow& row : fit.rows) {
      for (double* const variance : {&row.variance, &row.xx, &row.yy, &row.xy, &row.spread_variance})
        *variance *= factor;
      if (row.is_sharp()) row.flags |= flag::sharp;
    }
    return fit;
  }

  template <class Place>
  bool is_on_image(const Place& at) const {
    return at.x >= -0.5 && at.y >= -0.5 && at.x < static_cast<double>(shape_.width) - 0.5 &&
           at.y < static_cast<double>(shape_.height) - 0.5;
  }

  Work& work_;
  const CrowdConfig& config_;
  Shape shape_;
  std::vector<CrowdTurn> turns_;
  CrowdTurn facts_;  ///< statistics of the current turn
  bool shares_noise_ = false;
};

}  // namespace srcextract
