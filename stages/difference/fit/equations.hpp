#pragma once

#include <cstddef>
#include <vector>

namespace srcextract {

/// A symmetric system of linear equations, matrix * unknowns = right. Only the lower triangle of the matrix is set, row
/// by row.
struct Equations {
  int size;
  std::vector<double> matrix, right;

  /// Sets all coefficients to 0.
  explicit Equations(int unknowns)
      : size(unknowns),
        matrix(static_cast<std::size_t>(unknowns) * static_cast<std::size_t>(unknowns), 0),
        right(static_cast<std::size_t>(unknowns), 0) {}

  double* row(int i) { return matrix.data() + static_cast<std::ptrdiff_t>(i) * size; }
  double& diagonal(int i) { return row(i)[i]; }

  /// Adds a weighted observation to the normal equations: `value` was observed for the sum over i of terms[i] * unknown
  /// i.
  void add(const double* terms, double value, double weight);
};

/// Replaces the matrix by its Cholesky factor. Returns the squared ratio of the largest to the least pivot, or 0 if a
/// pivot is not above 0; the matrix is then undefined.
double factorise(Equations& equations);

/// Solves the equations after factorise(). The solution replaces `right`.
void substitute(Equations& equations);

}  // namespace srcextract
