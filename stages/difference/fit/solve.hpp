#pragma once

#include <vector>

#include "stages/core/exec.hpp"
#include "stages/difference/fit/stamp_sums.hpp"
#include "stages/math/field_terms.hpp"

namespace srcextract {

/// Orders of the polynomials over the field.
struct FieldOrders {
  int kernel = 2, flux = 1, background = 2;

  /// The polynomial order for a column of StampSums. The first function alone changes the kernel's sum, so column 0 has
  /// the flux's order.
  int of_column(int column, int sky) const { return column == 0 ? flux : (column == sky ? background : kernel); }
};

/// Coefficients of the polynomials over the field of all columns, one column after the other.
struct FieldCoefficients {
  FieldOrders orders;
  std::vector<double> values;
  std::vector<int> first;           ///< index of each column's first coefficient; one more element is the end
  double condition = 0;             ///< squared ratio of largest to least pivot after scaling; 0: no solution
  std::vector<double> pivots = {};  ///< squares of the pivots before scaling

  const double* of_column(int column) const { return values.data() + first[static_cast<std::size_t>(column)]; }
  int terms(int column) const {
    return first[static_cast<std::size_t>(column) + 1] - first[static_cast<std::size_t>(column)];
  }
};

/// Returns the least-squares solution over the stamps `used` (Alard 2000, section 2). Within a stamp the polynomials
/// count as constant. `terms` has the polynomials' terms at the middle of each stamp. Stamps are added in the order of
/// `used`. The equations are solved by Cholesky in double, after scaling every unknown to a diagonal of 1.
FieldCoefficients solve_over_field(const std::vector<StampSums>& sums, const std::vector<FieldTerms>& terms,
                                   const std::vector<std::size_t>& used, const FieldOrders& orders, const Cpu& where);

/// How well a solution fits a stamp.
struct StampFit {
  double chi = 0;    ///< mean of (other frame - model)^2 / variance; infinite if no pixel is usable
  double light = 0;  ///< sum of (model above the sky)^2 / variance
};
StampFit fit_of_stamp(const StampSums& sums, const FieldTerms& terms, const FieldCoefficients& solution);

}  // namespace srcextract
