#pragma once

#include <vector>

#include "stages/core/exec.hpp"
#include "stages/difference/fit/stamp_sums.hpp"
#include "stages/math/field_terms.hpp"

namespace srcextract {

/// Orders of the polynomials over the field.
struct FieldOrders {
  int kernel = 2, flux = 1, background = 2;

  /// The order for a column of StampSums. Only the first function changes the kernel's sum, so it has the flux's order.
  int of_column(int column, int sky) const { return column == 0 ? flux : (column == sky ? background : kernel); }
};

/// Coefficients of the polynomials of all columns, one column after the other.
struct FieldCoefficients {
  FieldOrders orders;
  std::vector<double> values;
  std::vector<int> first;  ///< of each column; one more is the end
  double condition = 0;    ///< largest over least pivot after scaling, squared; 0: the equations have no solution
  std::vector<double> pivots = {};  ///< squares of the pivots before scaling

  const double* of_column(int column) const { return values.data() + first[static_cast<std::size_t>(column)]; }
  int terms(int column) const {
    return first[static_cast<std::size_t>(column) + 1] - first[static_cast<std::size_t>(column)];
  }
};

/// The least-squares solution over these stamps (Alard 2000, section 2), with the polynomials constant within a stamp.
/// `terms` has the values of the terms at the middle of each stamp, `used` the numbers of the stamps, which are added
/// in this order. Cholesky in double, after every unknown was scaled to a diagonal of 1.
FieldCoefficients solve_over_field(const std::vector<StampSums>& sums, const std::vector<FieldTerms>& terms,
                                   const std::vector<std::size_t>& used, const FieldOrders& orders, const Cpu& where);

/// How well a solution fits a stamp.
struct StampFit {
  double chi = 0;    ///< mean of (other frame - model)^2 / variance; infinite without usable pixels
  double light = 0;  ///< sum of (model above the sky)^2 / variance
};
StampFit fit_of_stamp(const StampSums& sums, const FieldTerms& terms, const FieldCoefficients& solution);

}  // namespace srcextract
