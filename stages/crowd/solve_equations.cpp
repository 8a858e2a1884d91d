#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stages/core/parallel.hpp"
#include "stages/crowd/crowd_equations.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t together = 64;  ///< stars, or nodes, whose part of a scalar product is one sum

/// A piece of a vector: the unknowns of some stars, or of some nodes.
struct Piece {
  std::size_t begin, end;
};

/// Vectors of all unknowns, in pieces, so that sums do not depend on the number of threads.
class Pieces {
 public:
  Pieces(const CrowdEquations& equations, const Cpu& where) : of_(equations), where_(where) {
    of_stars_ = (of_.stars + together - 1) / together;
    count_ = of_stars_ + (of_.nodes + together - 1) / together;
    sums_.resize(static_cast<std::size_t>(count_));
  }

  /// Calls f(piece, which) for each piece, and returns the sum of the results, added in order.
  template <class F>
  double each(const F& f) {
    constexpr std::int64_t grain = 8;
    parallel_for(count_, grain, where_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) sums_[static_cast<std::size_t>(i)] = f(piece(i));
    });
    double sum = 0;
    for (const double one : sums_) sum += one;
    return sum;
  }

 private:
  Piece piece(std::int64_t i) const {
    const bool stars = i < of_stars_;
    const std::int64_t first = together * (stars ? i : i - of_stars_);
    const std::int64_t last = std::min(first + together, stars ? of_.stars : of_.nodes);
    const std::int64_t each = stars ? CrowdEquations::unknowns : 1;
    const std::int64_t before = stars ? 0 : CrowdEquations::unknowns * of_.stars;
    return {static_cast<std::size_t>(before + each * first), static_cast<std::size_t>(before + each * last)};
  }

  const CrowdEquations& of_;
  const Cpu& where_;
  std::int64_t of_stars_, count_;
  std::vector<double> sums_;
};

/// out = N z of one star, without the prior.
void multiply_star(const CrowdEquations& of, std::size_t i, const double* z, double* out) {
  double s0 = 0, s1 = 0, s2 = 0;
  for (std::int64_t k = of.row[i]; k < of.row[i + 1]; ++k) {
    const double* const b = of.block.data() + 9 * k;
    const double* const other = z + 3 * static_cast<std::int64_t>(of.partner[static_cast<std::size_t>(k)]);
    s0 += b[0] * other[0] + b[1] * other[1] + b[2] * other[2];
    s1 += b[3] * other[0] + b[4] * other[1] + b[5] * other[2];
    s2 += b[6] * other[0] + b[7] * other[1] + b[8] * other[2];
  }
  const double* const sky = z + 3 * of.stars;
  for (std::int64_t k = of.node_row[i]; k < of.node_row[i + 1]; ++k) {
    const double* const b = of.of_node.data() + 3 * k;
    const double level = sky[of.node[static_cast<std::size_t>(k)]];
    s0 += b[0] * level;
    s1 += b[1] * level;
    s2 += b[2] * level;
  }
  out[0] = s0;
  out[1] = s1;
  out[2] = s2;
}

double multiply_node(const CrowdEquations& of, std::size_t i, const double* z) {
  double sum = 0;
  for (auto k = static_cast<std::size_t>(of.star_row[i]); k < static_cast<std::size_t>(of.star_row[i + 1]); ++k) {
    const double* const b = of.of_node.data() + 3 * of.entry[k];
    const double* const star = z + 3 * static_cast<std::int64_t>(of.star[k]);
    sum += b[0] * star[0] + b[1] * star[1] + b[2] * star[2];
  }
  const double* const sky = z + 3 * of.stars;
  for (std::size_t k = 9 * i; k < 9 * i + 9; ++k)
    if (of.sky_columns[k] >= 0) sum += of.sky[k] * sky[of.sky_columns[k]];
  return sum;
}

/// out = (N + prior) z for a piece.
void multiply(const CrowdEquations& of, const std::vector<double>& prior, const Piece& piece,
              const std::vector<double>& z, std::vector<double>& out) {
  const auto of_stars = static_cast<std::size_t>(3 * of.stars);
  if (piece.begin >= of_stars) {
    for (std::size_t i = piece.begin; i < piece.end; ++i) out[i] = multiply_node(of, i - of_stars, z.data());
    return;
  }
  for (std::size_t i = piece.begin; i < piece.end; i += 3) multiply_star(of, i / 3, z.data(), out.data() + i);
  for (std::size_t i = piece.begin; i < piece.end; ++i) out[i] += prior[i] * z[i];
}

/// The inverse of the diagonal; 0 for what is not to change, or is on no good pixel.
std::vector<double> inverse_diagonal(const CrowdEquations& of, const std::vector<double>& prior, CrowdFree free) {
  std::vector<double> inverse(static_cast<std::size_t>(of.size()), 0.0);
  const auto put = [&](std::size_t i, double value) { inverse[i] = value > 0 ? 1 / value : 0; };
  for (std::int64_t star = 0; star < of.stars; ++star) {
    const double* const own = of.own(star);
    for (std::size_t p = 0; p < (free == CrowdFree::all ? 3U : 1U); ++p) {
      const std::size_t i = static_cast<std::size_t>(3 * star) + p;
      put(i, own[4 * p] + prior[i]);
    }
  }
  if (free != CrowdFree::fluxes)
    for (std::int64_t node = 0; node < of.nodes; ++node)
      put(static_cast<std::size_t>(3 * of.stars + node), of.sky[static_cast<std::size_t>(9 * node + 4)]);
  return inverse;
}

}  // namespace

CrowdSolution solve_equations(const CrowdEquations& equations, const std::vector<double>& prior, CrowdFree free,
                              double tolerance, int most, const Cpu& where) {
  const auto size = static_cast<std::size_t>(equations.size());
  CrowdSolution out{std::vector<double>(size), 0};
  const std::vector<double> inverse = inverse_diagonal(equations, prior, free);
  std::vector<double>& z = out.z;
  std::vector<double> r = equations.right, d(size), q(size);
  Pieces pieces(equations, where);
  double rho = pieces.each([&](const Piece& piece) {
    double sum = 0;
    for (std::size_t i = piece.begin; i < piece.end; ++i) {
      d[i] = inverse[i] * r[i];
      sum += r[i] * d[i];
    }
    return sum;
  });
  const double stop = tolerance * tolerance * static_cast<double>(equations.size());
  for (; out.rounds < most && rho > stop; ++out.rounds) {
    const double curvature = pieces.each([&](const Piece& piece) {
      multiply(equations, prior, piece, d, q);
      double sum = 0;
      for (std::size_t i = piece.begin; i < piece.end; ++i) sum += d[i] * q[i];
      return sum;
    });
    if (!(curvature > 0)) break;
    const double alpha = rho / curvature;
    const double next = pieces.each([&](const Piece& piece) {
      double sum = 0;
      for (std::size_t i = piece.begin; i < piece.end; ++i) {
        z[i] += alpha * d[i];
        r[i] -= alpha * q[i];
        sum += r[i] * inverse[i] * r[i];
      }
      return sum;
    });
    const double beta = next / rho;
    rho = next;
    pieces.each([&](const Piece& piece) {
      for (std::size_t i = piece.begin; i < piece.end; ++i) d[i] = inverse[i] * r[i] + beta * d[i];
      return 0.0;
    });
  }
  return out;
}

}  // namespace srcextract
