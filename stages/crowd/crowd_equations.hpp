#pragma once

#include <cstdint>
#include <vector>

#include "stages/crowd/crowd_field.hpp"

namespace srcextract {

/// The normal equations of the steps of all stars and of the sky: N z = r.
///
/// Unknowns are, for each star, the changes of flux, flux times shift in x and flux times shift in y; then the change
/// of each node of the sky. An element of N is the sum of weight times column times column over the pixels of both.
/// Sums are in double: eight lanes by column from the first common one, row by row, then lanes l and l + 4, l and
/// l + 2, and the last two.
struct CrowdEquations {
  static constexpr int unknowns = 3;  ///< of a star

  std::int64_t stars = 0, nodes = 0;
  std::vector<std::int64_t> row;      ///< where the partners of each star begin
  std::vector<std::int32_t> partner;  ///< ascending, the star itself among them
  std::vector<double> block;          ///< nine numbers a partner: [of the star][of the partner]
  std::vector<std::int64_t> node_row;
  std::vector<std::int32_t> node;  ///< the nodes whose sky is in the stamp of each star
  std::vector<double> of_node;     ///< three numbers each
  std::vector<std::int64_t> star_row;
  std::vector<std::int32_t> star;         ///< the stars of each node, ascending
  std::vector<std::int64_t> entry;        ///< and their places in `node`
  std::vector<std::int32_t> sky_columns;  ///< numbers of neighbouring nodes, nine each; -1: none
  std::vector<double> sky;
  std::vector<double> right;

  std::int64_t size() const { return unknowns * stars + nodes; }
  const double* own(std::int64_t of_star) const;
};

/// The equations of all stars with their stamps, and of the sky, for the residual of the field.
CrowdEquations make_equations(const CrowdField& field, const std::vector<CrowdStar>& stars);

/// What holds a step of a star's place back, as a term of the diagonal: the knowledge that it is of 0.3 pixels.
inline double held_step(double flux) {
  constexpr double pixels = 0.3;
  const double scaled = (flux > 1 ? flux : 1) * pixels;
  return 1 / (scaled * scaled);
}

/// How the equations are solved.
struct CrowdSolution {
  std::vector<double> z;
  int rounds = 0;
};

/// What may change: all unknowns, all but places, or fluxes alone.
enum class CrowdFree { all, fluxes_and_sky, fluxes };

/// Conjugate gradients, preconditioned by the diagonal, from no change at all. `prior` is added to the diagonal. Ends
/// where the mean square of the preconditioned residual is below `tolerance` squared, in units of the error of an
/// unknown that is alone, or after `most` rounds.
CrowdSolution solve_equations(const CrowdEquations& equations, const std::vector<double>& prior, CrowdFree free,
                              double tolerance, int most, const Cpu& where);

}  // namespace srcextract
