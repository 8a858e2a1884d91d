#include "stages/crowd/fit_crowd.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "stages/crowd/crowd_equations.hpp"
#include "stages/crowd/crowd_tiles.hpp"
#include "stages/crowd/find_stars.hpp"
#include "stages/crowd/inject_stars.hpp"
#include "stages/crowd/measure_crowd.hpp"
#include "stages/crowd/outer_wings.hpp"
#include "stages/crowd/saturated_cores.hpp"

namespace srcextract {
namespace {

/// The state of a fit.
class CrowdWork {
 public:
  CrowdWork(const CrowdImage& image, const PsfModel& model, const CrowdConfig& config, const Cpu& where)
      : config_(config),
        where_(where),
        psf_(model, static_cast<double>(image.shape.width - 1) / 2, static_cast<double>(image.shape.height - 1) / 2),
        field_(image, config.sky_size, where) {}

  /// Finds stars, and fits them.
  CrowdFit find() {
    start();
    stars_ = find_saturated_cores(field_);
    const auto turns = static_cast<std::int32_t>(config_.turns);
    for (std::int32_t turn = 1; turn < turns; ++turn) {
      find_more(turn);
      solve(CrowdFree::all);
    }
    finish_fluxes(1);
    CrowdFit fit = finish();
    std::erase_if(fit.rows, [&](const CrowdRow& row) { return !is_within(row.x, row.y, 0); });
    return fit;
  }

  /// Fits stars at places. Those off the image have no light.
  CrowdFit force(const std::vector<CrowdPlace>& places) {
    constexpr int turns = 3;
    for (const CrowdPlace& at : places)
      if (is_within(at.x, at.y, 0)) stars_.push_back({at.x, at.y, 0, 0});
    start();
    finish_fluxes(turns);
    CrowdFit fit = finish();
    std::vector<CrowdRow> all;
    auto next = fit.rows.begin();
    for (const CrowdPlace& at : places)
      all.push_back(is_within(at.x, at.y, 0) ? *next++ : CrowdRow::without_light(at.x, at.y));
    fit.rows = std::move(all);
    return fit;
  }

 private:
  /// Finds the noise of the image without a star.
  void start() {
    constexpr int rounds = 3;
    std::vector<CrowdStar> none;
    field_.draw(psf_, none, 0);
    for (int round = 0; round < rounds; ++round) {
      field_.render(none);
      field_.measure_noise();
    }
  }

  /// Adds the stars that the residual shows.
  void find_more(std::int32_t turn) {
    field_.draw(psf_, stars_, 0);
    field_.render(stars_);
    constexpr std::int32_t of_clear_stars = 2;
    constexpr double clear = 1, blended = 0.15;
    const FindRule rule{config_.threshold, turn <= of_clear_stars ? clear : blended, crowd_separation};
    std::vector<CrowdStar> found = find_stars(field_, psf_, stars_, rule, turn);
    drop_outer_wings(psf_, field_.shape(), stars_, field_.sigma(), found);
    facts_ = {std::ssize(found)};
    const std::size_t before = stars_.size();
    stars_.insert(stars_.end(), found.begin(), found.end());
    field_.draw(psf_, stars_, before);
    field_.render_residual(stars_);
  }

  /// Fits fluxes and sky so often, and last the fluxes alone, so that they are linear in the pixels.
  void finish_fluxes(int turns) {
    facts_ = {};
    for (int turn = 0; turn < turns; ++turn) {
      field_.draw(psf_, stars_, 0);
      field_.render(stars_);
      solve(CrowdFree::fluxes_and_sky);
    }
    field_.render(stars_);
    solve(CrowdFree::fluxes);
  }

  void solve(CrowdFree free) {
    const bool last = free == CrowdFree::fluxes;
    constexpr double coarse = 0.03, fine = 0.003;
    constexpr int most_rounds = 400;
    if (!last) field_.soften();
    equations_ = make_equations(field_, stars_);
    const CrowdSolution solution =
        solve_equations(equations_, prior(), free, last ? fine : coarse, most_rounds, where_);
    for (std::size_t i = 0; i < field_.sky.level.size(); ++i) field_.sky.level[i] += solution.z[3 * stars_.size() + i];
    for (std::size_t i = 0; i < stars_.size(); ++i) stars_[i].flux += solution.z[3 * i];
    if (free == CrowdFree::all) move(solution.z);
    facts_.rounds += solution.rounds;
    facts_.stars = std::ssize(stars_);
    facts_.noise = field_.sigma();
    if (free != CrowdFree::fluxes_and_sky) turns_.push_back(facts_);
    if (!last) field_.measure_noise();
  }

  /// What holds the steps of places back.
  std::vector<double> prior() const {
    std::vector<double> all(static_cast<std::size_t>(equations_.size()), 0.0);
    for (std::size_t i = 0; i < stars_.size(); ++i) all[3 * i + 1] = all[3 * i + 2] = held_step(stars_[i].flux);
    return all;
  }

  /// Moves stars by the steps of a solution, and drops those that are none.
  void move(const std::vector<double>& z) {
    std::vector<char> keep(stars_.size(), 1);
    constexpr double least_significance = 3, most_step = 0.25;
    for (std::size_t i = 0; i < stars_.size(); ++i) {
      CrowdStar& star = stars_[i];
      const double information = *equations_.own(static_cast<std::int64_t>(i));
      const bool counts = information > 0 && star.flux > 0 &&
                          star.flux * star.flux * information > least_significance * least_significance;
      if (!counts) {
        keep[i] = 0;
        continue;
      }
      double dx = z[3 * i + 1] / star.flux, dy = z[3 * i + 2] / star.flux;
      const double step = std::sqrt(dx * dx + dy * dy), most = most_step * psf_.fwhm();
      if (step > most) dx *= most / step, dy *= most / step;
      star.x += dx;
      star.y += dy;
      keep[i] = is_within(star.x, star.y, psf_.fwhm()) ? 1 : 0;
    }
    drop_doubles(keep);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < stars_.size(); ++i)
      if (keep[i] != 0) stars_[kept++] = stars_[i];
    stars_.resize(kept);
  }

  /// Whether a place is on the image, or at most so many pixels outside.
  bool is_within(double x, double y, double margin) const {
    const double least = -0.5 - margin;
    return x >= least && y >= least && x < static_cast<double>(field_.shape().width) - 1 - least &&
           y < static_cast<double>(field_.shape().height) - 1 - least;
  }

  /// Of two stars that are too near the fainter goes; of equal ones the later.
  void drop_doubles(std::vector<char>& keep) const {
    StarCells cells(field_.shape());
    cells.fill(stars_);
    const double nearest = crowd_separation * psf_.fwhm();
    const std::vector<char> before = keep;
    for (std::size_t i = 0; i < stars_.size(); ++i) {
      if (before[i] == 0) continue;
      const CrowdStar& own = stars_[i];
      cells.each_near(own.x - nearest, own.x + nearest, own.y - nearest, own.y + nearest, [&](std::int32_t j) {
        const auto at = static_cast<std::size_t>(j);
        const CrowdStar& other = stars_[at];
        if (at == i || before[at] == 0) return;
        const double dx = other.x - own.x, dy = other.y - own.y;
        if (dx * dx + dy * dy > nearest * nearest) return;
        if (own.flux < other.flux || (own.flux == other.flux && i > at)) keep[i] = 0;
      });
    }
  }

  CrowdFit finish() {
    field_.render_residual(stars_);
    CrowdFit fit;
    fit.rows = measure_crowd(field_, psf_, equations_, stars_);
    fit.turns = std::move(turns_);
    fit.noise = field_.sigma();
    fit.fwhm = psf_.fwhm();
    fit.sky = field_.sky;
    fit.model = std::move(field_.model);
    fit.residual = std::move(field_.residual);
    fit.weight = std::move(field_.weight);
    return fit;
  }

  const CrowdConfig& config_;
  Cpu where_;
  CrowdPsf psf_;
  CrowdField field_;
  std::vector<CrowdStar> stars_;
  CrowdEquations equations_;
  std::vector<CrowdTurn> turns_;
  CrowdTurn facts_;  ///< of the turn under way
};

CrowdFit fit_whole(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config, const Cpu& where,
                   const std::vector<CrowdPlace>* places) {
  CrowdWork work(image, psf, config, where);
  return places != nullptr ? work.force(*places) : work.find();
}

}  // namespace

CrowdFit fit_crowd(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config, const Cpu& where,
                   const std::vector<CrowdPlace>* places) {
  const auto fit_part = [&](const CrowdImage& part, const PsfModel& of_part, const std::vector<CrowdPlace>* in_part) {
    return fit_whole(part, of_part, config, where, in_part);
  };
  CrowdFit fit = has_tiles(image, config) ? fit_tiles(image, psf, config, places, fit_part)
                                          : fit_whole(image, psf, config, where, places);
  if (places == nullptr && config.inject > 0) inject_stars(image, psf, config, where, fit);
  return fit;
}

}  // namespace srcextract
