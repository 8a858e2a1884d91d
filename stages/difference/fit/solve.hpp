#pragma once

#include <vector>

#include "stages/core/exec.hpp"
#include "stages/difference/fit/stamp_sums.hpp"
#include "stages/math/field_terms.hpp"

namespace srcextract {

/// Orders of the polynomials over the field, for the kernel's shape, its sum, and the background.
struct FieldOrders {
  int kernel = 2, flux = 1, background = 2;

  /// Returns the polynomial order for a column of StampSums. `sky` is the index of the background's column. Column 0
  /// has the order `flux`, since only the first basis function changes the kernel's sum.
  int of_column(int column, int sky) const { return column == 0 ? flux : (column == sky ? background : kernel); }
};

/// Coefficients of the polynomials over the field, for one column of StampSums after another.
struct FieldCoefficients {
  FieldOrders orders;
  std::vector<double> values;
  std::vector<int> first;  ///< index of each column's first coefficient; the last element is the number of coefficients
  double condition = 0;    ///< squared ratio of the largest to the least pivot after scaling; 0 if there is no solution
  std::vector<double> pivots = {};  ///< squares of the pivots before scaling

  const double* of_column(int column) const { return values.data() + first[static_cast<std::size_t>(column)]; }
  int terms(int column) const {
    return first[static_cast<std::size_t>(column) + 1] - first[static_cast<std::size_t>(column)];
  }
};

/// Returns the least-squares solution over the stamps (squares of pixels around stars) with the indices `used` (Alard
/// 2000, section 2). Within a stamp the polynomials are taken as constant. `terms` has the values of the polynomials'
/// terms at the middle of each stamp. Stamps are added in the order of `used`. The unknowns are scaled so that the
/// diagonal is 1, and the equations are solved by Cholesky decomposition in double.
FieldCoefficients solve_over_field(const std::vector<StampSums>& sums, const std::vector<FieldTerms>& terms,
                                   const std::vector<std::size_t>& used, const FieldOrders& orders, const Cpu& where);

struct StampFit {
  double chi = 0;    ///< mean of (other frame - model)^2 / variance; infinite if no pixel is usable
  double light = 0;  ///< sum of (model without the background)^2 / variance
};
StampFit fit_of_stamp(const StampSums& sums, const FieldTerms& terms, const FieldCoefficients& solution);

}  // namespace srcextract
