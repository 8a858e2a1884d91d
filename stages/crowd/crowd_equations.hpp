#pragma once

#include <cstdint>
#include <vector>

#include "stages/crowd/crowd_field.hpp"
#include "stages/crowd/equations_view.hpp"

namespace srcextract {

/// The normal equations N z = r of one iteration of the fit, for all stars and the sky.
///
/// Each star has three unknowns: the change of the flux, and the flux times the shift in x and in y. Each sky node has
/// one unknown: the change of its level. The elements of N are sums over pixels of the weight times the derivatives of
/// the model with respect to two unknowns.
///
/// Sums are in double and in a fixed order, so that host and device agree. For the elements of two stars, eight partial
/// sums (lanes) take every eighth column from the first common column, row after row. folded() adds the lanes.
struct CrowdEquations {
  static constexpr int unknowns = 3;  ///< number of unknowns of a star

  std::int64_t stars = 0, nodes = 0;
  std::vector<std::int64_t> row;  ///< per star: index in `partner` of its first partner; one more element is the end
  /// per star, in ascending order: the stars whose stamps overlap its own stamp, including the star itself
  std::vector<std::int32_t> partner;
  Buffer<double, Cpu> block;  ///< nine elements of N per partner: [unknown of the star][unknown of the partner]
  std::vector<std::int64_t> node_row;  ///< per star: index in `node` of its first node; one more element is the end
  std::vector<std::int32_t> node;      ///< per star: the sky nodes around the pixels of its stamp
  std::vector<double> of_node;         ///< three elements of N per element of `node`: one for each unknown of the star
  std::vector<std::int64_t> star_row;  ///< per node: index in `star` of its first star; one more element is the end
  std::vector<std::int32_t> star;      ///< per node, in ascending order: the stars that have this node in `node`
  std::vector<std::int64_t> entry;  ///< per element of `star`: the index in `node` that belongs to this star and node
  std::vector<std::int32_t> sky_columns;  ///< nine per node: numbers of the node and its neighbours; -1: no such node
  std::vector<double> sky;                ///< nine elements of N per node, for the nodes in `sky_columns`
  std::vector<double> right;              ///< r, one element per unknown

  std::int64_t size() const { return unknowns * stars + nodes; }
  EquationsView view() const;
};

/// Computes the equations of all stars and the sky from the stamps, weights and residual of the field.
CrowdEquations make_equations(const CrowdField& field, const std::vector<CrowdStar>& stars);

/// The solution of the equations, and the number of iterations (rounds) of conjugate gradients.
struct CrowdSolution {
  std::vector<double> z;
  int rounds = 0;
};

/// Solves the equations by conjugate gradients, preconditioned with the diagonal of N, starting from z = 0. `prior` is
/// added to the diagonal, for the unknowns of stars only. Unknowns that `free` excludes stay 0.
///
/// The iteration ends after `most` rounds, or earlier if the mean of (residual)^2 / (diagonal element) is below
/// tolerance^2. `tolerance` is thus in units of the standard error that an unknown would have if all others were fixed.
CrowdSolution solve_equations(const CrowdEquations& equations, const std::vector<double>& prior, CrowdFree free,
                              double tolerance, int most, const Cpu& where);

}  // namespace srcextract
