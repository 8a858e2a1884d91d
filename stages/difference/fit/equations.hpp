#pragma once

#include <cstddef>
#include <vector>

namespace srcextract {

/// Symmetric equations; only the lower triangle is set.
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

  /// Adds what says that the sum of unknowns times `terms` is `value`.
  void add(const double* terms, double value, double weight);
};

/// Replaces the matrix by its Cholesky factor. Every element gets its updates in the order of k, whatever the threads.
/// Returns the ratio of the largest and the least pivot, squared, or 0 if there is none above 0.
double factorise(Equations& equations);

/// Solves the factorised equations in place of their right side.
void substitute(Equations& equations);

}  // namespace srcextract
