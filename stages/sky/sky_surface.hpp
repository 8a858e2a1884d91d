#pragma once

#include <cmath>
#include <cstdint>

#include "stages/core/host_device.hpp"
#include "stages/sky/mesh_nodes.hpp"

// The level of the sky as a smooth surface through the levels of many meshes (BackgroundSurface::quadric). At a node it
// is the value of a quadric, a polynomial of the second degree in x and y, that has the least sum of absolute
// deviations from the good nodes around. Neither single meshes with light in them nor the noise of a mesh move it much:
// in simulated deep fields its error is a third of that of a median filter of 3 x 3 meshes (docs/testing.md). Where the
// sky has structure that the surface does not follow, as a step between amplifiers, nodes keep their own level. CPU and
// GPU share this code.

namespace srcextract {

/// Good nodes at most this far away in x and y enter the surface at a node: 13 x 13 meshes.
inline constexpr std::int64_t surface_reach = 6;

/// Sums over the good nodes of a window, weighted by powers of x and y: the normal equations of a quadric.
class SurfaceSums {
 public:
  static constexpr int most_terms = 6;

  /// Adds a row of nodes at `y`. `powers` are the sums of w x^k, `levels` those of w z x^k.
  SRCEXTRACT_HOST_DEVICE void add_row(double y, const double (&powers)[5], const double (&levels)[3]) {
    const double of_y[5] = {1, y, y * y, y * y * y, y * y * y * y};
    for (int i = 0; i < most_terms; ++i) {
      for (int k = 0; k <= i; ++k)
        matrix_[i][k] += of_y[power_of_y(i) + power_of_y(k)] * powers[power_of_x(i) + power_of_x(k)];
      right_[i] += of_y[power_of_y(i)] * levels[power_of_x(i)];
    }
  }

  /// Solves for the first `terms` coefficients by Cholesky's decomposition. A term that the nodes do not tell from
  /// those before it, such as x where all nodes are in one column, gets 0.
  SRCEXTRACT_HOST_DEVICE void solve(int terms, double (&out)[most_terms]) {
    constexpr double least_pivot = 1e-9;  // as a part of the term's own sum
    for (int i = 0; i < terms; ++i) {
      const double own = matrix_[i][i];
      for (int k = 0; k <= i; ++k) {
        double rest = matrix_[i][k];
        for (int j = 0; j < k; ++j) rest -= matrix_[i][j] * matrix_[k][j];
        if (k < i)
          matrix_[i][k] = matrix_[k][k] > 0 ? rest / matrix_[k][k] : 0;
        else
          matrix_[i][i] = rest > least_pivot * own ? std::sqrt(rest) : 0;
      }
      double rest = right_[i];
      for (int j = 0; j < i; ++j) rest -= matrix_[i][j] * right_[j];
      right_[i] = matrix_[i][i] > 0 ? rest / matrix_[i][i] : 0;
    }
    for (int i = terms - 1; i >= 0; --i) {
      double rest = right_[i];
      for (int j = i + 1; j < terms; ++j) rest -= matrix_[j][i] * out[j];
      out[i] = matrix_[i][i] > 0 ? rest / matrix_[i][i] : 0;
    }
  }

 private:
  // The terms in order: 1, x, y, x^2, xy, y^2.
  SRCEXTRACT_HOST_DEVICE static constexpr int power_of_x(int term) { return term == 3 ? 2 : term == 1 || term == 4; }
  SRCEXTRACT_HOST_DEVICE static constexpr int power_of_y(int term) { return term == 5 ? 2 : term == 2 || term == 4; }

  double matrix_[most_terms][most_terms]{}, right_[most_terms]{};
};

/// Fits the surface at a node.
class SurfaceAtNode {
 public:
  SRCEXTRACT_HOST_DEVICE SurfaceAtNode(const NodeView& nodes, std::int64_t x, std::int64_t y)
      : nodes_(nodes), x_(x), y_(y) {
    constexpr std::int64_t least_good = 6;
    constexpr int most_doublings = 2;
    look();
    for (int doubling = 0; good_ < least_good && doubling < most_doublings; ++doubling) {
      reach_ *= 2;
      look();
    }
  }

  /// Returns the level; NaN if no node within four times the usual reach is good. A quadric needs 30 good nodes, a
  /// plane 4; of fewer the level is a weighted mean. Least absolute deviations are least squares with weights 1 /
  /// |residual|, repeated; a residual counts as at least a thousandth of `rms`, the noise of a pixel. The level is at
  /// most the range of the nodes' levels beyond them: a surface is not followed far into a gap.
  SRCEXTRACT_HOST_DEVICE float level(float rms) const {
    constexpr int rounds = 10;
    if (good_ == 0 || least_ == most_) return least_;
    const int terms = good_ >= 30 ? SurfaceSums::most_terms : good_ >= 4 ? 3 : 1;
    const double range = static_cast<double>(most_) - static_cast<double>(least_);
    const double closest = 1e-3 * (rms > 0 ? static_cast<double>(rms) : range);
    double fit[SurfaceSums::most_terms]{};
    for (int round = 0; round < rounds; ++round) sums(fit, round > 0, closest).solve(terms, fit);
    const double lowest = static_cast<double>(least_) - range, highest = static_cast<double>(most_) + range;
    return static_cast<float>(fit[0] < lowest ? lowest : fit[0] > highest ? highest : fit[0]);
  }

 private:
  struct Window {
    std::int64_t first_x, last_x, first_y, last_y;
  };

  SRCEXTRACT_HOST_DEVICE Window window() const {
    return {x_ > reach_ ? x_ - reach_ : 0, x_ + reach_ < nodes_.width ? x_ + reach_ : nodes_.width - 1,
            y_ > reach_ ? y_ - reach_ : 0, y_ + reach_ < nodes_.height ? y_ + reach_ : nodes_.height - 1};
  }

  /// Counts the good nodes within reach, and finds their range.
  SRCEXTRACT_HOST_DEVICE void look() {
    const Window of = window();
    good_ = 0;
    least_ = most_ = nodes_.level[y_ * nodes_.width + x_];
    for (std::int64_t y = of.first_y; y <= of.last_y; ++y) {
      for (std::int64_t x = of.first_x; x <= of.last_x; ++x) {
        const float level = nodes_.level[y * nodes_.width + x];
        if (level != level) continue;
        ++good_;
        if (!(least_ <= level)) least_ = level;
        if (!(most_ >= level)) most_ = level;
      }
    }
  }

  /// The sums over the good nodes. If `weighted`, a node has the weight 1 / |its level - fit|, at most 1 / `closest`.
  SRCEXTRACT_HOST_DEVICE SurfaceSums sums(const double (&fit)[SurfaceSums::most_terms], bool weighted,
                                          double closest) const {
    const Window of = window();
    const double scale = 1 / static_cast<double>(reach_);
    SurfaceSums out;
    for (std::int64_t row = of.first_y; row <= of.last_y; ++row) {
      const double y = static_cast<double>(row - y_) * scale;
      const double at_row = fit[0] + y * (fit[2] + y * fit[5]), slope = fit[1] + y * fit[4];
      double powers[5]{}, levels[3]{};
      for (std::int64_t column = of.first_x; column <= of.last_x; ++column) {
        const auto level = static_cast<double>(nodes_.level[row * nodes_.width + column]);
        if (level != level) continue;
        const double x = static_cast<double>(column - x_) * scale;
        double weight = 1;
        if (weighted) {
          const double off = std::fabs(level - (at_row + x * (slope + x * fit[3])));
          weight = 1 / (off > closest ? off : closest);
        }
        double term = weight;
        for (int k = 0; k < 5; ++k) {
          powers[k] += term;
          if (k < 3) levels[k] += term * level;
          term *= x;
        }
      }
      out.add_row(y, powers, levels);
    }
    return out;
  }

  const NodeView& nodes_;
  std::int64_t x_, y_, reach_ = surface_reach, good_ = 0;
  float least_ = 0, most_ = 0;
};

/// Returns `node` with the level of the surface through `estimates`, in which bad nodes are NaN. The node itself is
/// returned if no estimate near it is good, or if its own is good and the surface does not follow the sky there: it is
/// more than 0.3 of the noise above that estimate, or more than 1 below. A mesh of 64 x 64 pixels knows its level to
/// 0.03 of the noise, and light can raise it, but not lower it.
SRCEXTRACT_HOST_DEVICE inline MeshNode on_surface(const MeshNode& node, const NodeView& estimates, std::int64_t x,
                                                  std::int64_t y) {
  constexpr double most_above = 0.3, most_below = 1;
  const float level = SurfaceAtNode(estimates, x, y).level(node.rms);
  if (level != level) return node;
  const double own = static_cast<double>(estimates.at(x, y).level), rms = static_cast<double>(node.rms);
  const double above = static_cast<double>(level) - own;
  if (above > most_above * rms || above < -most_below * rms) return node;
  return {level, node.rms};
}

}  // namespace srcextract
