#include "stages/fit/island_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace srcextract {
namespace {

/// For each measured quantity (FittedValue), its derivatives by all parameters of the island's Gaussians.
using Gradient = std::array<std::vector<double>, fitted_values>;

FittedCovariance covariance_of(const Gradient& gradient, const SymmetricMatrix& parameters) {
  FittedCovariance out = {};
  std::vector<double> turned(parameters.size());
  for (std::size_t a = 0; a < fitted_values; ++a) {
    for (std::size_t i = 0; i < turned.size(); ++i) {
      turned[i] = 0;
      for (std::size_t k = 0; k < turned.size(); ++k) turned[i] += parameters.at(i, k) * gradient[a][k];
    }
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < turned.size(); ++i) sum += gradient[b][i] * turned[i];
      out[a][b] = out[b][a] = sum;
    }
  }
  return out;
}

/// Computes the measured quantities of an island's Gaussians, and their derivatives by the fit's parameters.
class Quantities {
 public:
  Quantities(const FitIsland& island, const IslandGaussians& gaussians)
      : island_(island), noise_(island.noise()), gaussians_(gaussians) {
    std::size_t first = 0;
    for (const PixelBeam& beam : gaussians.beams) of_beam_.push_back(std::sqrt(shape_of(beam).determinant()));
    for (const Fitted& one : gaussians.of) {
      first_.push_back(first);
      first += one.parameters();
    }
  }

  double total(std::size_t i) const { return noise_ * now(i).peak * now(i).extent() / of_beam_[i]; }

  /// The add functions add `factor` times the derivatives of a quantity of Gaussian i to `to`.
  void add_peak(std::size_t i, double factor, std::vector<double>& to) const { to[first_[i]] += factor * noise_; }
  void add_total(std::size_t i, double factor, std::vector<double>& to) const {
    to[first_[i]] += factor * total(i) / now(i).peak;
    if (!gaussians_.of[i].free_shape) return;
    to[first_[i] + 3] += factor * total(i);
    to[first_[i] + 5] += factor * total(i);
  }
  void add_x(std::size_t i, double factor, std::vector<double>& to) const { to[first_[i] + 1] += factor; }
  void add_y(std::size_t i, double factor, std::vector<double>& to) const { to[first_[i] + 2] += factor; }
  void add_spread(std::size_t i, double factor, Gradient& to) const {
    if (!gaussians_.of[i].free_shape) return;
    const Gaussian& g = now(i);
    const std::size_t at = first_[i] + 3;
    to[of_xx][at] += factor * 2 * g.l11 * g.l11;
    to[of_xy][at] += factor * g.l11 * g.l21;
    to[of_xy][at + 1] += factor * g.l11;
    to[of_yy][at + 1] += factor * 2 * g.l21;
    to[of_yy][at + 2] += factor * 2 * g.l22 * g.l22;
  }
  Gradient no_gradient() const {
    Gradient none;
    none.fill(std::vector<double>(gaussians_.covariance.size(), 0.0));
    return none;
  }

  ComponentRow row_of(std::size_t i) const {
    const Gaussian& g = now(i);
    ComponentRow row;
    row.beam = gaussians_.beams[i];
    row.peak = noise_ * g.peak;
    row.total = total(i);
    row.x = row.xmax = g.x;
    row.y = row.ymax = g.y;
    if (!island_.has_centre(g)) hold(g, row);
    row.shape = g.spread();
    row.flags = gaussians_.of[i].flags;
    row.reliability = gaussians_.of[i].reliable ? 1 : 0;
    Gradient gradient = no_gradient();
    add_peak(i, row.held.part, gradient[of_peak_flux]);
    const auto [along_x, along_y] = g.slope(row.x, row.y);
    add_x(i, row.peak * along_x, gradient[of_peak_flux]);
    add_y(i, row.peak * along_y, gradient[of_peak_flux]);
    add_total(i, 1, gradient[of_total_flux]);
    add_x(i, 1, gradient[of_x]);
    add_y(i, 1, gradient[of_y]);
    add_spread(i, 1, gradient);
    row.covariance = covariance_of(gradient, gaussians_.covariance);
    add_uncertain(i, row, 1, row.covariance);
    row.xmax_error = std::sqrt(row.covariance[of_x][of_x]);
    row.ymax_error = std::sqrt(row.covariance[of_y][of_y]);
    row.xymax_covariance = row.covariance[of_x][of_y];
    return row;
  }

  /// Makes the row of a source of several Gaussians, from the sum of their fluxes and the moments of their summed
  /// light. `members` are their indices in `rows`.
  ComponentRow joined(const std::vector<ComponentRow>& rows, const std::vector<std::size_t>& members) const {
    const std::size_t brightest = *std::ranges::max_element(members, {}, [&](std::size_t i) { return rows[i].peak; });
    ComponentRow sum = rows[brightest];
    sum.code = SourceCode::multiple;
    sum.total = sum.x = sum.y = 0;
    sum.shape = {0, 0, 0};
    const auto total_of = [&](std::size_t i) { return rows[i].total * beam_unit(rows[i].beam, sum.beam); };
    for (const std::size_t i : members) {
      sum.total += total_of(i);
      sum.x += total_of(i) * rows[i].x;
      sum.y += total_of(i) * rows[i].y;
      sum.flags |= rows[i].flags;
    }
    sum.x /= sum.total;
    sum.y /= sum.total;
    for (const std::size_t i : members) {
      const double share = total_of(i) / sum.total, dx = rows[i].x - sum.x, dy = rows[i].y - sum.y;
      sum.shape.xx += share * (rows[i].shape.xx + dx * dx);
      sum.shape.xy += share * (rows[i].shape.xy + dx * dy);
      sum.shape.yy += share * (rows[i].shape.yy + dy * dy);
    }
    Gradient gradient = no_gradient();
    sum.peak = 0;
    for (const std::size_t i : members) {
      const Gaussian unit = gaussian_of(1, now(i).x, now(i).y, now(i).spread());
      const double share = unit.at(sum.xmax, sum.ymax);
      sum.peak += share * rows[i].fitted().peak;
      add_peak(i, share, gradient[of_peak_flux]);
      add_member(i, rows[i], sum, gradient);
    }
    sum.covariance = covariance_of(gradient, gaussians_.covariance);
    for (const std::size_t i : members) add_uncertain(i, rows[i], total_of(i) / sum.total, sum.covariance);
    return sum;
  }

 private:
  const Gaussian& now(std::size_t i) const { return gaussians_.of[i].now; }

  /// Puts a row whose centre is beyond the island on the nearest pixel, with the peak that the Gaussian has there.
  void hold(const Gaussian& g, ComponentRow& row) const {
    const auto [x, y] = island_.nearest_pixel(g);
    row.x = row.xmax = x;
    row.y = row.ymax = y;
    row.held = {g.x - row.x, g.y - row.y, g.at(row.x, row.y) / g.peak};
    row.peak *= row.held.part;
    row.flags |= fit_flag::centre_held;
  }

  /// Adds the uncertainty of Gaussian i at masked pixels to a covariance: the difference of its totals with and without
  /// a free shape, and the distance from its centre to the pixel where it is held. `share` is its part of the total.
  void add_uncertain(std::size_t i, const ComponentRow& row, double share, FittedCovariance& to) const {
    const Fitted& one = gaussians_.of[i];
    const double apart = one.free_integral > 0 ? noise_ * (one.free_integral - one.integral()) / of_beam_[i] : 0;
    const double dx = share * row.held.x, dy = share * row.held.y;
    to[of_total_flux][of_total_flux] += apart * apart;
    to[of_x][of_x] += dx * dx;
    to[of_x][of_y] += dx * dy;
    to[of_y][of_x] += dx * dy;
    to[of_y][of_y] += dy * dy;
  }

  void add_member(std::size_t i, const ComponentRow& row, const ComponentRow& sum, Gradient& to) const {
    const double unit = beam_unit(row.beam, sum.beam);
    const double share = unit * row.total / sum.total, dx = row.x - sum.x, dy = row.y - sum.y;
    add_total(i, unit, to[of_total_flux]);
    add_x(i, share, to[of_x]);
    add_total(i, unit * dx / sum.total, to[of_x]);
    add_y(i, share, to[of_y]);
    add_total(i, unit * dy / sum.total, to[of_y]);
    add_spread(i, share, to);
    add_total(i, unit * (row.shape.xx + dx * dx - sum.shape.xx) / sum.total, to[of_xx]);
    add_total(i, unit * (row.shape.xy + dx * dy - sum.shape.xy) / sum.total, to[of_xy]);
    add_total(i, unit * (row.shape.yy + dy * dy - sum.shape.yy) / sum.total, to[of_yy]);
    add_x(i, 2 * share * dx, to[of_xx]);
    add_x(i, share * dy, to[of_xy]);
    add_y(i, share * dx, to[of_xy]);
    add_y(i, 2 * share * dy, to[of_yy]);
  }

  const FitIsland& island_;
  double noise_;
  std::vector<double> of_beam_;  ///< per Gaussian: square root of the determinant of its beam
  const IslandGaussians& gaussians_;
  std::vector<std::size_t> first_;
};

/// Groups Gaussians into sources. group_ has for each Gaussian the index of the first Gaussian of its source.
class Groups {
 public:
  Groups(const std::vector<Fitted>& of, const FitRule& rule) : of_(of), rule_(rule), group_(of.size()) {
    for (std::size_t i = 0; i < of.size(); ++i) group_[i] = i;
    for (std::size_t i = 0; i < of.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (group_[i] != group_[k] && belong_together(of[i].now, of[k].now)) join(group_[i], group_[k]);
  }

  std::vector<std::vector<std::size_t>> members() const {
    std::vector<std::vector<std::size_t>> groups;
    for (std::size_t first = 0; first < group_.size(); ++first) {
      std::vector<std::size_t> members;
      for (std::size_t i = 0; i < group_.size(); ++i)
        if (group_[i] == first) members.push_back(i);
      if (!members.empty()) groups.push_back(std::move(members));
    }
    return groups;
  }

 private:
  void join(std::size_t one, std::size_t other) {
    const auto [to, from] = std::minmax(one, other);
    std::ranges::replace(group_, from, to);
  }

  bool belong_together(const Gaussian& one, const Gaussian& other) const {
    const double dx = other.x - one.x, dy = other.y - one.y, distance = length_of(dx, dy);
    const auto width = [&](const Gaussian& g) {
      return distance * std::sqrt(fwhm_squared / g.distance(g.x + dx, g.y + dy));
    };
    if (distance > 0 && distance > (width(one) + width(other)) / 2) return false;
    constexpr int steps = 20;
    const auto at = [&](int step) {
      const double part = static_cast<double>(step) / steps;
      return model_at(of_, one.x + part * dx, one.y + part * dy);
    };
    double least = at(0);
    for (int step = 1; step <= steps; ++step) least = std::min(least, at(step));
    return least >= std::min(at(0), at(steps)) - rule_.config.group_tolerance * rule_.seeds.threshold;
  }

  const std::vector<Fitted>& of_;
  const FitRule& rule_;
  std::vector<std::size_t> group_;
};

IslandFacts facts_of(const FitMap& map, const FitIsland& island, const FitRule& rule, const std::vector<Fitted>& of) {
  IslandFacts facts;
  std::vector<std::int32_t> x, y;
  std::vector<double> noise;
  double sum = 0, residuals = 0, squares = 0;
  island.for_each_pixel([&](std::int32_t px, std::int32_t py) {
    const auto value = static_cast<double>(map.at(px, py));
    const double residual = value - island.noise() * model_at(of, px, py);
    sum += value;
    residuals += residual;
    squares += residual * residual;
    x.push_back(px);
    y.push_back(py);
    noise.push_back(map.noise(px, py) / rule.beam_pixels);
  });
  const auto size = static_cast<double>(island.size());
  facts.total = sum / rule.beam_pixels;
  facts.total_error = std::sqrt(noise_of_sums(x, y, noise, 1, rule.correlation).at(0, 0));
  facts.rms = island.noise();
  facts.residual_mean = residuals / size;
  facts.residual_rms = std::sqrt(squares / size);
  return facts;
}

/// Whether all pixels of an island are above 0. If the island was found in another image, pixels may be below.
bool is_bright(const FitMap& map, const FitIsland& island) {
  bool bright = true;
  island.for_each_pixel([&](std::int32_t x, std::int32_t y) { bright = bright && map.at(x, y) > 0; });
  return bright;
}

/// Returns how much light of an island without a fit may be beyond its pixels; 0 if the island's brightest pixel is
/// inside. Else the island is part of a source. Its total is at least the brightest pixel, as of a point there, or that
/// of a Gaussian beyond (IslandGaussians::beyond).
double unseen_light(const FitMap& map, const FitIsland& island, const FitRule& rule, double total, double integral) {
  bool inside = true;
  for (std::int64_t y = island.ypeak() - 1; y <= island.ypeak() + 1; ++y)
    for (std::int64_t x = island.xpeak() - 1; x <= island.xpeak() + 1; ++x) inside = inside && map.is_good(x, y);
  if (inside) return 0;
  return std::max({island.peak() - total, island.noise() * integral / std::sqrt(rule.beam.determinant()) - total, 0.0});
}

/// Makes the row of a source without a fit, from moments of the island's pixels. If a pixel is not above 0, moments
/// weighted by light could be meaningless. The moments are then those of the island's area, and their errors are NaN.
ComponentRow row_of_moments(const FitMap& map, const FitIsland& island, const FitRule& rule, double integral) {
  ComponentRow row;
  row.beam = rule.pixel_beam;
  row.code = SourceCode::multiple;
  row.flags = fit_flag::moments;
  row.peak = island.peak();
  row.xmax = island.xpeak();
  row.ymax = island.ypeak();
  const bool bright = is_bright(map, island);
  const auto weight = [&](std::int32_t x, std::int32_t y) { return bright ? static_cast<double>(map.at(x, y)) : 1; };
  double total = 0, sum = 0;
  island.for_each_pixel([&](std::int32_t x, std::int32_t y) {
    total += static_cast<double>(map.at(x, y));
    sum += weight(x, y);
    row.x += weight(x, y) * x;
    row.y += weight(x, y) * y;
  });
  row.total = total / rule.beam_pixels;
  row.x /= sum;
  row.y /= sum;
  row.shape = {0, 0, 0};
  island.for_each_pixel([&](std::int32_t x, std::int32_t y) {
    const double share = weight(x, y) / sum, dx = x - row.x, dy = y - row.y;
    row.shape.xx += share * dx * dx;
    row.shape.xy += share * dx * dy;
    row.shape.yy += share * dy * dy;
  });
  const double by = bright ? 1 / sum : std::numeric_limits<double>::quiet_NaN();
  std::vector<std::int32_t> px, py;
  std::vector<double> j;
  island.for_each_pixel([&](std::int32_t x, std::int32_t y) {
    px.push_back(x);
    py.push_back(y);
    const double noise = map.noise(x, y), dx = x - row.x, dy = y - row.y;
    const double one[] = {noise / rule.beam_pixels,
                          noise * dx * by,
                          noise * dy * by,
                          noise * (dx * dx - row.shape.xx) * by,
                          noise * (dx * dy - row.shape.xy) * by,
                          noise * (dy * dy - row.shape.yy) * by};
    j.insert(j.end(), std::begin(one), std::end(one));
  });
  const SymmetricMatrix sums = noise_of_sums(px, py, j, fitted_values - 1, rule.correlation);
  for (std::size_t a = of_total_flux; a < fitted_values; ++a)
    for (std::size_t b = of_total_flux; b < fitted_values; ++b) row.covariance[a][b] = sums.at(a - 1, b - 1);
  row.covariance[of_peak_flux][of_peak_flux] = island.noise() * island.noise();
  const double unseen = unseen_light(map, island, rule, row.total, integral);
  row.covariance[of_total_flux][of_total_flux] += unseen * unseen;
  row.xmax_error = std::sqrt(row.covariance[of_x][of_x]);
  row.ymax_error = std::sqrt(row.covariance[of_y][of_y]);
  row.xymax_covariance = row.covariance[of_x][of_y];
  row.pixels = static_cast<std::int32_t>(std::min<std::int64_t>(island.size(), INT32_MAX));
  return row;
}

}  // namespace

SymmetricMatrix noise_of_sums(const std::vector<std::int32_t>& x, const std::vector<std::int32_t>& y,
                              const std::vector<double>& j, std::size_t columns, const NoiseCorrelation& correlation) {
  constexpr std::size_t few = 20000;
  SymmetricMatrix sums(columns);
  if (x.size() <= few) {
    add_correlated(x, y, j, columns, correlation, sums);
    return sums;
  }
  // In an island of so many pixels, J hardly changes within the reach of the correlation.
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t a = 0; a < columns; ++a)
      for (std::size_t b = 0; b <= a; ++b) sums.at(a, b) += correlation.sum() * j[i * columns + a] * j[i * columns + b];
  return sums;
}

IslandRows rows_of_island(const FitMap& map, const FitIsland& island, const FitRule& rule,
                          const IslandGaussians& gaussians) {
  IslandRows out;
  if (gaussians.of.empty()) {
    out.sources.push_back(row_of_moments(map, island, rule, gaussians.beyond));
    out.sources.back().source = 1;
  } else {
    const Quantities quantities(island, gaussians);
    for (std::size_t i = 0; i < gaussians.of.size(); ++i) {
      out.gaussians.push_back(quantities.row_of(i));
      ComponentRow& row = out.gaussians.back();
      row.chi2 = gaussians.chi2;
      row.rounds = static_cast<std::int32_t>(gaussians.rounds);
      row.pixels = static_cast<std::int32_t>(gaussians.pixels);
      row.code = gaussians.of.size() == 1 ? SourceCode::single : SourceCode::companion;
    }
    for (const std::vector<std::size_t>& members : Groups(gaussians.of, rule).members()) {
      for (const std::size_t i : members) out.gaussians[i].source = static_cast<std::int32_t>(out.sources.size()) + 1;
      if (members.size() > 1)
        for (const std::size_t i : members) out.gaussians[i].code = SourceCode::multiple;
      out.sources.push_back(members.size() == 1 ? out.gaussians[members[0]]
                                                : quantities.joined(out.gaussians, members));
      out.sources.back().source = static_cast<std::int32_t>(out.sources.size());
    }
  }
  const IslandFacts facts = facts_of(map, island, rule, gaussians.of);
  const auto common =
      static_cast<std::int16_t>(gaussians.flags | (island.at_edge() ? fit_flag::at_edge : std::int16_t{0}));
  for (std::vector<ComponentRow>* rows : {&out.gaussians, &out.sources})
    for (ComponentRow& row : *rows) {
      row.island = island.number();
      row.flags |= common;
      row.of_island = facts;
      const double unit = beam_unit(rule.pixel_beam, row.beam);
      row.of_island.total *= unit;
      row.of_island.total_error *= unit;
    }
  return out;
}

}  // namespace srcextract
