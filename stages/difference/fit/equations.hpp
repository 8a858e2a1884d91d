#pragma once

#include <cstddef>
#include <vector>

namespace srcextract {

/// A symmetric system of linear equations, matrix * unknowns = right; only the lower triangle of the matrix is set.
struct Equations {
  int size;
  std::vector<double> matrix, right;

  /// Equations of nothing but zeros.
  explicit Equations(int unknowns)
      : size(unknowns),
        matrix(static_cast<std::size_t>(unknowns) * static_cast<std::size_t>(unknowns), 0),
        right(static_cast<std::size_t>(unknowns), 0) {}

  double* row(int i) { return matrix.data() + static_cast<std::ptrdiff_t>(i) * size; }
  double& diagonal(int i) { return row(i)[i]; }

  /// Adds one weighted observation to the normal equations: the sum of terms[i] * unknown i is `value`.
  void add(const double* terms, double value, double weight);
};

/// Replaces the matrix by its Cholesky factor. Every element is updated in the order of columns, whatever the number of
/// threads. Returns the squared ratio of the largest to the least pivot, or 0 if some pivot is not above 0.
double factorise(Equations& equations);

/// Solves the equations after factorise(). The solution replaces `right`.
void substitute(Equations& equations);

}  // namespace srcextract
