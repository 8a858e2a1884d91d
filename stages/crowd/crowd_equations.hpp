#pragma once

#include <cstdint>
#include <vector>

#include "stages/crowd/crowd_field.hpp"
#include "stages/crowd/equations_view.hpp"

namespace srcextract {

/// The normal equations N z = r of one step of the fit, for all stars and the sky.
///
/// Unknowns are, for each star, the changes of flux, flux times shift in x and flux times shift in y; then the change
/// of each node of the sky. An element of N is a sum over pixels: weight times the derivatives of the model by the two
/// unknowns. Sums are in double: eight lanes by column from the first common one, row by row, then `folded`.
struct CrowdEquations {
  static constexpr int unknowns = 3;  ///< number of unknowns of a star

  std::int64_t stars = 0, nodes = 0;
  std::vector<std::int64_t> row;      ///< per star: where its partners begin in `partner`; and the end
  std::vector<std::int32_t> partner;  ///< partners of each star, ascending, the star itself among them
  Buffer<double, Cpu> block;  ///< elements of N, nine per partner: [unknown of the star][unknown of the partner]
  std::vector<std::int64_t> node_row;     ///< per star: where its nodes begin in `node`; and the end
  std::vector<std::int32_t> node;         ///< nodes of each star: those between which the pixels of its stamp lie
  std::vector<double> of_node;            ///< elements of N, three per element of `node`: one per unknown of the star
  std::vector<std::int64_t> star_row;     ///< per node: where its stars begin in `star`; and the end
  std::vector<std::int32_t> star;         ///< the stars of each node, ascending
  std::vector<std::int64_t> entry;        ///< per element of `star`: the place in `node` of this star and node
  std::vector<std::int32_t> sky_columns;  ///< nine per node: numbers of the node and its neighbours; -1: none
  std::vector<double> sky;                ///< elements of N for these nodes, nine per node
  std::vector<double> right;              ///< r, one number per unknown

  std::int64_t size() const { return unknowns * stars + nodes; }
  EquationsView view() const;
};

/// Makes the equations of all stars and the sky from the stamps, weights and residual of the field.
CrowdEquations make_equations(const CrowdField& field, const std::vector<CrowdStar>& stars);

/// The solution of the equations, and the rounds of conjugate gradients that it took.
struct CrowdSolution {
  std::vector<double> z;
  int rounds = 0;
};

/// Solves by conjugate gradients, preconditioned by the diagonal, from z = 0. `prior` is added to the diagonal of the
/// stars' unknowns. Unknowns that are not `free` stay 0. Ends after `most` rounds, or where the mean square of the
/// preconditioned residual is below `tolerance` squared. The unit is the error of an unknown that is alone.
CrowdSolution solve_equations(const CrowdEquations& equations, const std::vector<double>& prior, CrowdFree free,
                              double tolerance, int most, const Cpu& where);

}  // namespace srcextract
