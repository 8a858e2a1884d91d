#include <algorithm>
#include <cstddef>

#include "stages/core/parallel.hpp"
#include "stages/crowd/crowd_equations.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t unknowns_at_a_time = 1536;

/// The sum of 32 lanes, in the order that UnknownPieces describes. Overwrites the lanes.
double fold(double* lane) {
  for (int half = UnknownPieces::lanes / 2; half > 0; half /= 2)
    for (int l = 0; l < half; ++l) lane[l] += lane[l + half];
  return lane[0];
}

/// The sum of f(i) over [begin, end), in 32 lanes that fold() adds.
template <class F>
double sum_in_lanes(std::int64_t begin, std::int64_t end, const F& f) {
  double lane[UnknownPieces::lanes] = {};
  for (; begin < end; begin += UnknownPieces::lanes) {
    const std::int64_t count = std::min<std::int64_t>(UnknownPieces::lanes, end - begin);
    for (std::int64_t l = 0; l < count; ++l) lane[l] += f(begin + l);
  }
  return fold(lane);
}

/// The sum of f(i) over all unknowns. Before the terms of a piece are computed, before(begin, end) is called for the
/// piece.
template <class Before, class F>
double sum_pieces(const UnknownPieces& pieces, const Cpu& where, const Before& before, const F& f) {
  constexpr std::int64_t grain = 8;
  std::vector<double> sums(static_cast<std::size_t>(pieces.count()));
  parallel_for(pieces.count(), grain, where, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) {
      before(pieces.begin(i), pieces.end(i));
      sums[static_cast<std::size_t>(i)] = sum_in_lanes(pieces.begin(i), pieces.end(i), f);
    }
  });
  return sum_in_lanes(0, pieces.count(), [&](std::int64_t i) { return sums[static_cast<std::size_t>(i)]; });
}

/// Calls f(k, lane) for all k of a range; the lane is 0, 1, ... 7, 0, 1, ...
template <class F>
void go_round(std::int64_t begin, std::int64_t end, const F& f) {
  for (std::int64_t k = begin; k < end; ++k) f(k, (k - begin) % EquationsView::lanes);
}

/// out = (N + prior) z for the unknowns `begin` to end - 1, which belong to one piece.
void multiply(const EquationsView& of, const std::vector<double>& prior, std::int64_t begin, std::int64_t end,
              const double* z, double* out) {
  constexpr int lanes = EquationsView::lanes;
  if (begin >= 3 * of.stars) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t node = i - 3 * of.stars;
      double lane[lanes] = {};
      go_round(of.star_row[node], of.star_row[node + 1],
               [&](std::int64_t k, std::int64_t l) { lane[l] += of.of_star(k, z); });
      go_round(9 * node, 9 * node + 9, [&](std::int64_t k, std::int64_t l) { lane[l] += of.of_neighbour(k, z); });
      out[i] = folded(lane);
    }
    return;
  }
  for (std::int64_t i = begin; i < end; i += 3) {
    double lane[lanes][3] = {};
    go_round(of.row[i / 3], of.row[i / 3 + 1], [&](std::int64_t k, std::int64_t l) { of.add_partner(k, z, lane[l]); });
    go_round(of.node_row[i / 3], of.node_row[i / 3 + 1],
             [&](std::int64_t k, std::int64_t l) { of.add_level(k, z, lane[l]); });
    for (int p = 0; p < 3; ++p) {
      double sum[lanes];
      for (int l = 0; l < lanes; ++l) sum[l] = lane[l][p];
      out[i + p] = folded(sum) + prior[static_cast<std::size_t>(i + p)] * z[i + p];
    }
  }
}

std::vector<double> inverse_diagonal(const EquationsView& of, const std::vector<double>& prior, CrowdFree free) {
  std::vector<double> inverse(static_cast<std::size_t>(of.size()), 0.0);
  for (std::int64_t i = 0; i < of.size(); ++i)
    inverse[static_cast<std::size_t>(i)] = inverse_of_unknown(of, i, prior[static_cast<std::size_t>(i)], free);
  return inverse;
}

}  // namespace

CrowdSolution solve_equations(const CrowdEquations& equations, const std::vector<double>& prior, CrowdFree free,
                              double tolerance, int most, const Cpu& where) {
  const auto size = static_cast<std::size_t>(equations.size());
  const EquationsView of = equations.view();
  CrowdSolution out{std::vector<double>(size), 0};
  const std::vector<double> inverse = inverse_diagonal(of, prior, free);
  std::vector<double> right = equations.right, direction(size), product(size);
  double *const z = out.z.data(), *const r = right.data(), *const d = direction.data(), *const q = product.data();
  const double* const m = inverse.data();
  const UnknownPieces pieces{of.stars, of.nodes};
  const auto nothing = [](std::int64_t, std::int64_t) {};
  double rho = sum_pieces(pieces, where, nothing, [&](std::int64_t i) {
    d[i] = m[i] * r[i];
    return r[i] * d[i];
  });
  const double stop = tolerance * tolerance * static_cast<double>(equations.size());
  for (; out.rounds < most && rho > stop; ++out.rounds) {
    const auto multiply_piece = [&](std::int64_t begin, std::int64_t end) { multiply(of, prior, begin, end, d, q); };
    const double curvature = sum_pieces(pieces, where, multiply_piece, [&](std::int64_t i) { return d[i] * q[i]; });
    if (!(curvature > 0)) break;
    const double alpha = rho / curvature;
    const double next = sum_pieces(pieces, where, nothing, [&](std::int64_t i) {
      z[i] += alpha * d[i];
      r[i] -= alpha * q[i];
      return r[i] * m[i] * r[i];
    });
    const double beta = next / rho;
    rho = next;
    parallel_for(equations.size(), unknowns_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) d[i] = m[i] * r[i] + beta * d[i];
    });
  }
  return out;
}

}  // namespace srcextract
