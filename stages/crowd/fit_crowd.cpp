#include "stages/crowd/fit_crowd.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "stages/core/parallel.hpp"
#include "stages/crowd/crowd_equations.hpp"
#include "stages/crowd/crowd_turns.hpp"
#include "stages/crowd/fit_parts.hpp"
#include "stages/crowd/measured_star.hpp"
#include "stages/crowd/outer_wings.hpp"
#include "stages/crowd/saturated_cores.hpp"
#include "stages/crowd/star_rules.hpp"

namespace srcextract {
namespace {

/// Measures each star and its errors from the residual. `equations` are those of the last solution. Errors are
/// marginal: positions and fluxes of the star and of its nearest neighbours are free parameters. At most 20 neighbours
/// count, all within 2 FWHM.
std::vector<CrowdRow> measure_crowd(const CrowdField& field, const CrowdPsf& psf, const CrowdEquations& equations,
                                    const std::vector<CrowdStar>& stars) {
  constexpr std::int64_t measured_at_a_time = 32;
  const EquationsView of = equations.view();
  std::vector<CrowdRow> rows(stars.size());
  parallel_for(std::ssize(stars), measured_at_a_time, field.where(), [&](std::int64_t begin, std::int64_t end) {
    CrowdPsf::Scratch scratch;
    std::vector<float> wide;
    std::vector<double> triangle;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const CrowdStar& star = stars[i];
      const CrowdStamp& stamp = field.stamps()[i];
      CrowdRow& row = rows[i];
      row = row_of(star, field.view());
      const ErrorNeighbours chosen(of, stars.data(), static_cast<std::int64_t>(i),
                                   ErrorNeighbours::widths * psf.fwhm());
      triangle.resize(static_cast<std::size_t>(chosen.triangle()));
      find_errors(of, stars.data(), chosen, triangle.data(), row);
      wide.resize(static_cast<std::size_t>(CrowdPsf::numbers_for(stamp.half)));
      psf.draw(star.x, star.y, stamp.half, false, wide.data(), scratch, CrowdPsf::Planes::spread);
      describe(sum_stamp(field.view(), stamp, wide.data(), star.flux, psf.fwhm()), row);
    }
  });
  return rows;
}

/// The stars and the image of a fit on the host: the `Work` of CrowdTurns.
class HostCrowd {
 public:
  HostCrowd(const CrowdImage& image, const PsfModel& model, const CrowdConfig& config, CrowdPlanes kept,
            const Cpu& where)
      : where_(where), kept_(kept), psf_(psf_of(model, image.shape)), field_(image, config.sky_size, where) {
    rules_ = {psf_.fwhm(), crowd_separation * psf_.fwhm(), image.shape.width, image.shape.height};
  }

  std::int64_t count() const { return std::ssize(stars_); }
  double noise() const { return field_.sigma(); }
  double shared_noise() const { return rules_.shared_noise; }
  void measure_shared_noise() { rules_.shared_noise = srcextract::measure_shared_noise(field_, psf_); }
  void set(const std::vector<CrowdStar>& stars) { stars_ = stars; }
  void add_saturated_cores() {
    if (!std::isfinite(field_.view().saturation)) return;
    std::vector<std::int64_t> saturated;
    for (std::int64_t i = 0; i < field_.shape().count(); ++i)
      if (field_.view().is_saturated(i)) saturated.push_back(i);
    stars_ = find_saturated_cores(saturated, field_.shape(), field_.view().saturation);
  }

  void draw() { field_.draw(psf_, stars_, 0); }
  void render() { field_.render(stars_); }
  void soften() { field_.soften(); }
  void measure_noise() { field_.measure_noise(); }
  bool judge_noise() { return field_.judge_noise(); }

  std::int64_t find(const FindRule& rule, std::int32_t turn) {
    auto [found, shared] = find_stars(field_, psf_, stars_, rule, turn);
    rules_.shared_noise = shared;
    drop_outer_wings(psf_, field_.shape(), stars_, field_.sigma(), found);
    const std::size_t before = stars_.size();
    stars_.insert(stars_.end(), found.begin(), found.end());
    field_.draw(psf_, stars_, before);
    field_.render_residual(stars_);
    return std::ssize(found);
  }

  int solve(CrowdFree free, double tolerance, int most) {
    equations_ = make_equations(field_, stars_);
    const CrowdSolution solution = solve_equations(equations_, prior(), free, tolerance, most, where_);
    for (std::size_t i = 0; i < field_.sky.level.size(); ++i) field_.sky.level[i] += solution.z[3 * stars_.size() + i];
    for (std::size_t i = 0; i < stars_.size(); ++i) stars_[i].flux += solution.z[3 * i];
    if (free == CrowdFree::all) move(solution.z);
    return solution.rounds;
  }

  std::vector<CrowdStar> find_negatives(const FindRule& rule) {
    field_.render_residual(stars_);
    for (float& value : field_.residual) value = -value;
    return find_stars(field_, psf_, {}, rule, 0).stars;
  }

  CrowdFit finish() {
    field_.render_residual(stars_);
    CrowdFit fit;
    fit.rows = measure_crowd(field_, psf_, equations_, stars_);
    fit.noise = field_.sigma();
    fit.fwhm = psf_.fwhm();
    fit.sky = field_.sky;
    if (kept_ == CrowdPlanes::none) return fit;
    fit.model = std::move(field_.model);
    fit.residual = std::move(field_.residual);
    fit.weight = std::move(field_.weight);
    return fit;
  }

 private:
  /// The terms that are added to the diagonal for positions, to keep their steps small (held_step).
  std::vector<double> prior() const {
    std::vector<double> all(static_cast<std::size_t>(equations_.size()), 0.0);
    for (std::size_t i = 0; i < stars_.size(); ++i) all[3 * i + 1] = all[3 * i + 2] = held_step(stars_[i].flux);
    return all;
  }

  /// Moves the stars by a solution, and removes stars that StarRules rejects.
  void move(const std::vector<double>& z) {
    const EquationsView of = equations_.view();
    std::vector<char> keep(stars_.size());
    for (std::size_t i = 0; i < stars_.size(); ++i)
      keep[i] = rules_.move(stars_[i], *of.own(static_cast<std::int64_t>(i)), z[3 * i + 1], z[3 * i + 2]) ? 1 : 0;
    StarCells cells(field_.shape());
    cells.fill(stars_);
    std::size_t kept = 0;
    std::vector<char> single = keep;
    for (std::size_t i = 0; i < stars_.size(); ++i)
      if (keep[i] != 0 && rules_.is_double(stars_.data(), keep.data(), cells.view(), static_cast<std::int32_t>(i)))
        single[i] = 0;
    for (std::size_t i = 0; i < stars_.size(); ++i)
      if (single[i] != 0) stars_[kept++] = stars_[i];
    stars_.resize(kept);
  }

  Cpu where_;
  CrowdPlanes kept_;
  CrowdPsf psf_;
  CrowdField field_;
  StarRules rules_;
  std::vector<CrowdStar> stars_;
  CrowdEquations equations_;
};

}  // namespace

CrowdPsf psf_of(const PsfModel& model, const Shape& shape) {
  return {model, static_cast<double>(shape.width - 1) / 2, static_cast<double>(shape.height - 1) / 2};
}

CrowdFit fit_crowd(const CrowdImage& image, const PsfModel& psf, const CrowdConfig& config, const Cpu& where,
                   const std::vector<CrowdPlace>* places, CrowdPlanes kept) {
  return fit_parts(
      image, psf, config, places, kept,
      [&](const CrowdImage& part, const PsfModel& of_part, const std::vector<CrowdPlace>* in_part, CrowdPlanes planes) {
        HostCrowd work(part, of_part, config, planes, where);
        CrowdTurns turns(work, config, part.shape);
        return in_part != nullptr ? turns.force(*in_part) : turns.find();
      });
}

}  // namespace srcextract
