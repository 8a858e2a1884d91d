#pragma once

#include <cstdint>
#include <vector>

#include "stages/crowd/crowd_field.hpp"
#include "stages/crowd/equations_view.hpp"

namespace srcextract {

/// The normal equations of the steps of all stars and of the sky: N z = r.
///
/// Unknowns are, for each star, the changes of flux, flux times shift in x and flux times shift in y; then the change
/// of each node of the sky. An element of N is the sum of weight times column times column over the pixels of both.
/// Sums are in double: eight lanes by column from the first common one, row by row, then `folded`.
struct CrowdEquations {
  static constexpr int unknowns = 3;  ///< of a star

  std::int64_t stars = 0, nodes = 0;
  std::vector<std::int64_t> row;      ///< where the partners of each star begin
  std::vector<std::int32_t> partner;  ///< ascending, the star itself among them
  Buffer<double, Cpu> block;          ///< nine numbers a partner: [of the star][of the partner]
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
  EquationsView view() const;
};

/// The equations of all stars with their stamps, and of the sky, for the residual of the field.
CrowdEquations make_equations(const CrowdField& field, const std::vector<CrowdStar>& stars);

/// How the equations are solved.
struct CrowdSolution {
  std::vector<double> z;
  int rounds = 0;
};

/// Conjugate gradients, preconditioned by the diagonal, from no change at all. `prior` is added to the diagonal. Ends
/// where the mean square of the preconditioned residual is below `tolerance` squared, in units of the error of an
/// unknown that is alone, or after `most` rounds.
CrowdSolution solve_equations(const CrowdEquations& equations, const std::vector<double>& prior, CrowdFree free,
                              double tolerance, int most, const Cpu& where);

}  // namespace srcextract
