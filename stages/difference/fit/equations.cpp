#include "stages/difference/fit/equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stages/core/vector_clones.hpp"

namespace srcextract {
namespace {

/// Computes row[j] -= factor * column[j] for all j from begin to end, `end` included.
SRCEXTRACT_VECTOR_CLONES
void subtract_scaled(const double* column, double factor, int begin, int end, double* row) {
  for (int j = begin; j <= end; ++j) row[j] -= factor * column[j];
}

}  // namespace

void Equations::add(const double* terms, double value, double weight) {
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k <= i; ++k) row(i)[k] += weight * terms[i] * terms[k];
    right[static_cast<std::size_t>(i)] += weight * terms[i] * value;
  }
}

double factorise(Equations& equations) {
  const int size = equations.size;
  std::vector<double> column(static_cast<std::size_t>(size));
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (int k = 0; k < size; ++k) {
    const double square = equations.diagonal(k);
    if (!(square > 0)) return 0;
    const double pivot = std::sqrt(square);
    least = std::min(least, pivot);
    most = std::max(most, pivot);
    equations.diagonal(k) = pivot;
    for (int i = k + 1; i < size; ++i) {
      equations.row(i)[k] /= pivot;
      column[static_cast<std::size_t>(i)] = equations.row(i)[k];
    }
    for (int i = k + 1; i < size; ++i)
      subtract_scaled(column.data(), column[static_cast<std::size_t>(i)], k + 1, i, equations.row(i));
  }
  return most / least * (most / least);
}

void substitute(Equations& equations) {
  std::vector<double>& x = equations.right;
  for (int i = 0; i < equations.size; ++i) {
    const double* const row = equations.row(i);
    for (int k = 0; k < i; ++k) x[static_cast<std::size_t>(i)] -= row[k] * x[static_cast<std::size_t>(k)];
    x[static_cast<std::size_t>(i)] /= row[i];
  }
  for (int i = equations.size - 1; i >= 0; --i) {
    for (int k = i + 1; k < equations.size; ++k)
      x[static_cast<std::size_t>(i)] -= equations.row(k)[i] * x[static_cast<std::size_t>(k)];
    x[static_cast<std::size_t>(i)] /= equations.diagonal(i);
  }
}

}  // namespace srcextract
