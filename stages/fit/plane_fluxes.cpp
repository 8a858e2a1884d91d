#include "stages/fit/plane_fluxes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/detect/runs_by_source.hpp"
#include "stages/fit/fit_pixels.hpp"
#include "stages/fit/island_rows.hpp"
#include "stages/fit/noise_area.hpp"

namespace srcextract {
namespace {

/// Number of quantities of position and shape: x, y, xx, xy, yy. In FittedCovariance their indices are consecutive from
/// of_x on.
constexpr std::size_t shape_values = of_yy - of_x + 1;
using ByShape = std::array<double, shape_values>;

/// Returns the shape of a fitted Gaussian in a plane with another beam. Returns the beam, as for a point source, if the
/// result's minor axis is less than half the beam's.
GaussianShape seen_through(const GaussianShape& fitted, const GaussianShape& of_fit, const GaussianShape& beam) {
  constexpr double narrowest = 0.25;
  const GaussianShape seen{fitted.xx - of_fit.xx + beam.xx, fitted.xy - of_fit.xy + beam.xy,
                           fitted.yy - of_fit.yy + beam.yy};
  return seen.axis(-1) > narrowest * beam.axis(-1) ? seen : beam;
}

/// Returns the derivatives, by position and shape, of a Gaussian with peak 1 whose value at (dx, dy) from the centre is
/// `value`.
ByShape derivatives(const GaussianShape& spread, double dx, double dy, double value) {
  const double by = 1 / spread.determinant();
  const double u = (spread.yy * dx - spread.xy * dy) * by, v = (spread.xx * dy - spread.xy * dx) * by;
  return {value * u, value * v, value * u * u / 2, value * u * v, value * v * v / 2};
}

/// Returns the derivatives of ln sqrt(det K) by position and shape K.
ByShape growth(const GaussianShape& spread) {
  const double by = 1 / spread.determinant();
  return {0, 0, spread.yy * by / 2, -spread.xy * by, spread.xx * by / 2};
}

/// Measures the Gaussians of one island in a plane.
class IslandInPlane {
 public:
  /// `beams` has the beam of the plane at each row. Fluxes count in the beam `unit`.
  IslandInPlane(std::span<const ComponentRow> rows, std::span<const PixelBeam> beams, const PixelBeam& unit)
      : rows_(rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const ComponentRow& row = rows[i];
      const GaussianShape beam = shape_of(beams[i]), seen = seen_through(row.shape, shape_of(row.beam), beam);
      const Gaussian one = gaussian_of(1, row.x + row.held.x, row.y + row.held.y, seen);
      all_.push_back({one, one, false});
      of_beam_.push_back(std::sqrt(beam.determinant()) / beam_unit(beams[i], unit));
    }
  }

  /// Fits the peaks of all Gaussians to the plane's pixels. Returns false if there are fewer pixels than Gaussians, the
  /// noise is not above 0, or the equations are singular.
  bool fit(const FitMap& map, const FitIsland& island, double radius, const NoiseCorrelation& correlation) {
    FitPixels pixels;
    choose_pixels(map, island, all_, radius, pixels);
    noise_ = island.noise();
    const std::size_t size = all_.size();
    if (pixels.size() < size || !(noise_ > 0)) return false;
    std::vector<double> j(pixels.size() * size);
    factor_.reset(size);
    peak_.assign(size, 0);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      double* const row = j.data() + i * size;
      for (std::size_t k = 0; k < size; ++k) row[k] = all_[k].now.at(pixels.x[i], pixels.y[i]);
      for (std::size_t k = 0; k < size; ++k) {
        peak_[k] += row[k] * pixels.value[i];
        for (std::size_t l = 0; l <= k; ++l) factor_.at(k, l) += row[k] * row[l];
      }
    }
    if (!factorise(factor_)) return false;
    solve(factor_, peak_.data());
    find_slopes(pixels, j);
    for (std::size_t i = 0; i < pixels.size(); ++i)
      for (std::size_t k = 0; k < size; ++k) j[i * size + k] *= map.noise(pixels.x[i], pixels.y[i]) / noise_;
    covariance_ = sandwich(factor_, noise_of_sums(pixels.x, pixels.y, j, size, correlation));
    return true;
  }

  /// Returns the total flux of the Gaussians with the indices `members`, with errors. `shared` is as in
  /// measure_plane().
  PlaneFlux sum_of(std::span<const std::size_t> members, bool shared) const {
    double total = 0, of_noise = 0, of_shape = 0;
    for (const std::size_t i : members) {
      total += peak_[i] * extent(i);
      for (const std::size_t k : members) of_noise += covariance_.at(i, k) * extent(i) * extent(k);
    }
    for (std::size_t k = 0; k < all_.size(); ++k) {
      const ByShape slope = slope_by(members, k);
      of_shape += variance_by(slope, k);
      if (shared && std::ranges::count(members, k) > 0) of_shape += 2 * covariance_with(slope, k);
    }
    const double all = std::max(of_noise + of_shape, of_noise);
    return {noise_ * total, noise_ * std::sqrt(all), noise_ * std::sqrt(of_noise)};
  }

 private:
  /// Returns the integral over Gaussian i if its peak were 1, in units of the beam's area.
  double extent(std::size_t i) const { return all_[i].now.extent() / of_beam_[i]; }

  /// Computes the derivatives of all fitted peaks by position and shape of each Gaussian, if the peak of this Gaussian
  /// is 1: -N^-1 J' dg, where dg are the derivatives of the Gaussian itself.
  void find_slopes(const FitPixels& pixels, const std::vector<double>& j) {
    const std::size_t size = all_.size();
    slopes_.assign(size * shape_values, std::vector<double>(size, 0.0));
    for (std::size_t k = 0; k < size; ++k) {
      const GaussianShape spread = all_[k].now.spread();
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        const double* const row = j.data() + i * size;
        if (row[k] == 0) continue;
        const ByShape by = derivatives(spread, pixels.x[i] - all_[k].now.x, pixels.y[i] - all_[k].now.y, row[k]);
        for (std::size_t p = 0; p < shape_values; ++p)
          for (std::size_t l = 0; l < size; ++l) slopes_[k * shape_values + p][l] -= by[p] * row[l];
      }
      for (std::size_t p = 0; p < shape_values; ++p) solve(factor_, slopes_[k * shape_values + p].data());
    }
  }

  /// Returns the derivatives of the total flux of `members` by position and shape of Gaussian k.
  ByShape slope_by(std::span<const std::size_t> members, std::size_t k) const {
    const ByShape grows = growth(all_[k].now.spread());
    ByShape slope = {};
    for (std::size_t p = 0; p < shape_values; ++p)
      for (const std::size_t i : members)
        slope[p] += extent(i) * peak_[k] * (slopes_[k * shape_values + p][i] + (i == k ? grows[p] : 0));
    return slope;
  }

  double variance_by(const ByShape& slope, std::size_t k) const {
    double variance = 0;
    for (std::size_t p = 0; p < shape_values; ++p)
      for (std::size_t q = 0; q < shape_values; ++q)
        variance += slope[p] * rows_[k].covariance[of_x + p][of_x + q] * slope[q];
    return std::max(variance, 0.0);
  }

  /// Returns the covariance of two errors of the flux: the error due to position and shape of Gaussian k, and the error
  /// due to the noise of its peak in the plane. The covariance with the peak in the plane is taken as that with the
  /// fitted peak, without the part due to errors of position and shape. Reason: if the fitted image is a mean of planes
  /// with the weights 1 / variance, the covariance of a plane's noise and the mean's noise is the variance of the
  /// mean's noise.
  double covariance_with(const ByShape& slope, std::size_t k) const {
    const ComponentRow& row = rows_[k];
    double covariance = 0;
    for (std::size_t p = 0; p < shape_values; ++p) {
      double of_peak = row.covariance[of_peak_flux][of_x + p];
      for (std::size_t q = 0; q < shape_values; ++q)
        of_peak -= row.peak * slopes_[k * shape_values + q][k] * row.covariance[of_x + q][of_x + p];
      covariance += slope[p] * extent(k) * of_peak / noise_;
    }
    return covariance;
  }

  std::span<const ComponentRow> rows_;
  std::vector<double> of_beam_;  ///< per Gaussian: square root of the determinant of its beam, in the unit of fluxes
  double noise_ = 0;
  std::vector<Fitted> all_;
  SymmetricMatrix factor_, covariance_;
  std::vector<double> peak_;  ///< fitted peaks in units of noise_
  /// Per Gaussian and quantity: derivatives of all peaks, if the Gaussian's peak is 1.
  std::vector<std::vector<double>> slopes_;
};

/// Returns the sum of the plane's pixels over an island. All members of the result are NaN if a pixel is masked, since
/// the flux of this pixel is unknown.
PlaneFlux sum_over_island(const FitMap& map, std::span<const std::int32_t> runs, double beam_pixels,
                          const NoiseCorrelation& correlation) {
  std::vector<std::int32_t> px, py;
  std::vector<double> noise;
  double sum = 0;
  for (const std::int32_t number : runs) {
    const Run& run = map.runs.runs[number];
    for (std::int32_t x = run.begin; x < run.end; ++x) {
      sum += static_cast<double>(map.at(x, run.y)) / beam_pixels;
      px.push_back(x);
      py.push_back(run.y);
      noise.push_back(map.noise(x, run.y) / beam_pixels);
    }
  }
  if (std::isnan(sum)) return {};
  const double error = std::sqrt(noise_of_sums(px, py, noise, 1, correlation).at(0, 0));
  return {sum, error, error};
}

/// Returns the beam of a plane at each row: `beam`, or that of the place if `beams_at` is not empty.
std::vector<PixelBeam> beams_of(const std::vector<ComponentRow>& rows, const PixelBeam& beam, const BeamsAt& beams_at) {
  if (!beams_at) return std::vector<PixelBeam>(rows.size(), beam);
  std::vector<double> x, y;
  for (const ComponentRow& row : rows) {
    x.push_back(row.x);
    y.push_back(row.y);
  }
  return beams_at(x, y);
}

/// Returns the index of each island's first row; the last element is the number of rows. Rows must be in the order of
/// islands.
std::vector<std::size_t> begins_of(const std::vector<ComponentRow>& rows, std::size_t islands) {
  std::vector<std::size_t> begin(islands + 1, rows.size());
  for (std::size_t i = rows.size(); i-- > 0;) begin[static_cast<std::size_t>(rows[i].island) - 1] = i;
  for (std::size_t i = islands; i-- > 0;) begin[i] = std::min(begin[i], begin[i + 1]);
  return begin;
}

}  // namespace

FluxesOfPlane measure_plane(const FitMap& plane, const FittedIslands& fitted, const PixelBeam& beam,
                            const BeamsAt& beams_at, const FitConfig& config, bool shared, const Cpu& where) {
  FluxesOfPlane out;
  const GaussianShape of_plane = shape_of(beam);
  out.noise_area = config.noise_area == 0 ? measure_noise_area(plane, of_plane, beams_at, where) : config.noise_area;
  const NoiseCorrelation common(of_plane, out.noise_area);
  out.gaussians.resize(fitted.gaussians.size());
  out.sources.resize(fitted.sources.size());
  if (fitted.sources.empty()) return out;
  const auto islands = static_cast<std::size_t>(fitted.sources.back().island);
  const std::vector<std::size_t> gaussians = begins_of(fitted.gaussians, islands),
                                 sources = begins_of(fitted.sources, islands);
  const std::vector<PixelBeam> of_gaussians = beams_of(fitted.gaussians, beam, beams_at),
                               of_sources = beams_of(fitted.sources, beam, beams_at);
  const RunsBySource runs = group_runs(plane.label, static_cast<std::int64_t>(islands), where);
  parallel_for(static_cast<std::int64_t>(islands), 4, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const std::size_t first = gaussians[at], count = gaussians[at + 1] - first;
      std::optional<NoiseCorrelation> own;
      if (beams_at) own.emplace(shape_of(bounded(of_sources[sources[at]], beam)), out.noise_area);
      const NoiseCorrelation& correlation = own ? *own : common;
      if (count == 0) {
        for (std::size_t s = sources[at]; s < sources[at + 1]; ++s)
          out.sources[s] = sum_over_island(plane, runs.members(i),
                                           of_sources[s].area() / beam_unit(of_sources[s], beam), correlation);
        continue;
      }
      const FitIsland island(plane, static_cast<std::int32_t>(i + 1), runs.members(i));
      IslandInPlane in_plane(std::span(fitted.gaussians).subspan(first, count),
                             std::span(of_gaussians).subspan(first, count), beam);
      if (!in_plane.fit(plane, island, config.radius, correlation)) continue;
      std::vector<std::size_t> members;
      for (std::size_t g = 0; g < count; ++g) {
        members.assign(1, g);
        out.gaussians[first + g] = in_plane.sum_of(members, shared);
      }
      for (std::size_t s = sources[at]; s < sources[at + 1]; ++s) {
        members.clear();
        for (std::size_t g = 0; g < count; ++g)
          if (fitted.gaussians[first + g].source == fitted.sources[s].source) members.push_back(g);
        out.sources[s] = in_plane.sum_of(members, shared);
      }
    }
  });
  return out;
}

}  // namespace srcextract
