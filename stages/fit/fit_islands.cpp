#include "stages/fit/fit_islands.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "stages/core/error.hpp"
#include "stages/core/parallel.hpp"
#include "stages/detect/runs_by_source.hpp"
#include "stages/fit/fit_island.hpp"
#include "stages/fit/island_rows.hpp"
#include "stages/fit/loud_places.hpp"
#include "stages/fit/noise_area.hpp"

namespace srcextract {

namespace {

/// Returns the largest difference of the elements of two shapes, as a fraction of the first.
double change_of(const GaussianShape& one, const GaussianShape& other) {
  return std::max({std::fabs(other.xx - one.xx) / one.xx, std::fabs(other.yy - one.yy) / one.yy,
                   std::fabs(other.xy - one.xy) / std::sqrt(one.xx * one.yy)});
}

/// The islands of a map, and the rule of each fit.
class Islands {
 public:
  Islands(const FitMap& map, std::int64_t count, const Settings& config, double noise_area, const Cpu& where)
      : map_(map),
        config_(config),
        noise_area_(noise_area),
        runs_(group_runs(map.label, count, where)),
        common_(rule_with(*config.resources.beam)) {}

  FitIsland island(std::int64_t i) const { return {map_, static_cast<std::int32_t>(i + 1), runs_.members(i)}; }

  /// Takes the beam at the brightest pixel of each island for its fit.
  void take_beams(std::int64_t count, const BeamsAt& beams_at, const Cpu& where) {
    std::vector<double> x(static_cast<std::size_t>(count)), y(x.size());
    for_each(count, where, [&](std::int64_t i) {
      const FitIsland one = island(i);
      x[static_cast<std::size_t>(i)] = one.xpeak();
      y[static_cast<std::size_t>(i)] = one.ypeak();
    });
    beams_ = beams_at(x, y);
    distortion_.assign(beams_.size(), 0);
    for (const auto& [along_x, along_y] :
         {std::pair(0.5, 0.0), std::pair(-0.5, 0.0), std::pair(0.0, 0.5), std::pair(0.0, -0.5)}) {
      std::vector<double> beside_x = x, beside_y = y;
      for (std::size_t i = 0; i < beams_.size(); ++i) {
        const GaussianShape shape = shape_of(beams_[i]);
        beside_x[i] += along_x * std::sqrt(fwhm_squared * shape.xx);
        beside_y[i] += along_y * std::sqrt(fwhm_squared * shape.yy);
      }
      const std::vector<PixelBeam> beside = beams_at(beside_x, beside_y);
      for (std::size_t i = 0; i < beams_.size(); ++i)
        distortion_[i] = std::max(distortion_[i], change_of(shape_of(beams_[i]), shape_of(beside[i])));
    }
  }

  /// Calls f(i, island, rule) for every island.
  template <class F>
  void for_each_rule(std::int64_t count, const Cpu& where, const F& f) const {
    for_each(count, where, [&](std::int64_t i) {
      if (beams_.empty()) return f(i, island(i), common_);
      FitRule rule = rule_with(beams_[static_cast<std::size_t>(i)]);
      rule.distortion = distortion_[static_cast<std::size_t>(i)];
      f(i, island(i), rule);
    });
  }

 private:
  template <class F>
  static void for_each(std::int64_t count, const Cpu& where, const F& f) {
    parallel_for(count, 4, where, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) f(i);
    });
  }

  FitRule rule_with(const PixelBeam& beam) const {
    return {config_.fit, beam,           *config_.resources.beam,
            noise_area_, map_.threshold, std::max(map_.threshold, config_.detection.seed)};
  }

  const FitMap& map_;
  const Settings& config_;
  double noise_area_;
  RunsBySource runs_;
  FitRule common_;
  std::vector<PixelBeam> beams_;    ///< per island; empty if all have the beam of the map
  std::vector<double> distortion_;  ///< per island, if beams_ is not empty
};

/// Sets the beam at the centre of each Gaussian.
void set_beams(const PixelBeam& of_map, const BeamsAt& beams_at, std::vector<IslandGaussians>& fits) {
  std::vector<double> x, y;
  for (IslandGaussians& fit : fits) {
    fit.beams.assign(fit.of.size(), of_map);
    for (const Fitted& one : fit.of) {
      x.push_back(one.now.x);
      y.push_back(one.now.y);
    }
  }
  if (!beams_at) return;
  const std::vector<PixelBeam> beams = beams_at(x, y);
  std::size_t next = 0;
  for (IslandGaussians& fit : fits)
    for (PixelBeam& beam : fit.beams) beam = beams[next++];
}

}  // namespace

FittedIslands fit_islands(const FitMap& map, std::int64_t islands, const Settings& config, const BeamsAt& beams_at,
                          const Cpu& where) {
  FittedIslands out;
  if (!config.resources.beam) throw Error(ErrorKind::internal, "Gaussians are fitted to a map without a beam");
  out.beam = *config.resources.beam;
  out.shape = map.shape();
  out.local_beams = static_cast<bool>(beams_at);
  out.area_measured = config.fit.noise_area == 0;
  out.noise_area =
      out.area_measured ? measure_noise_area(map, shape_of(out.beam), beams_at, where) : config.fit.noise_area;
  Islands all(map, islands, config, out.noise_area, where);
  if (beams_at) all.take_beams(islands, beams_at, where);
  std::vector<IslandGaussians> fits(static_cast<std::size_t>(islands));
  std::vector<IslandRows> rows(fits.size());
  all.for_each_rule(islands, where, [&](std::int64_t i, const FitIsland& island, const FitRule& rule) {
    fits[static_cast<std::size_t>(i)] = fit_gaussians(map, island, rule);
  });
  set_beams(out.beam, beams_at, fits);
  all.for_each_rule(islands, where, [&](std::int64_t i, const FitIsland& island, const FitRule& rule) {
    rows[static_cast<std::size_t>(i)] = rows_of_island(map, island, rule, fits[static_cast<std::size_t>(i)]);
  });
  for (IslandRows& of : rows) {
    const auto before = static_cast<std::int32_t>(out.sources.size());
    for (ComponentRow& row : of.gaussians) row.source += before;
    for (ComponentRow& row : of.sources) row.source += before;
    out.gaussians.insert(out.gaussians.end(), of.gaussians.begin(), of.gaussians.end());
    out.sources.insert(out.sources.end(), of.sources.begin(), of.sources.end());
  }
  enlarge_errors(map, out, where);
  return out;
}

}  // namespace srcextract
