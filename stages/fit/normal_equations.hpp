#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace srcextract {

/// A symmetric matrix of any size. Only the lower triangle is stored, row by row.
class SymmetricMatrix {
 public:
  SymmetricMatrix() = default;
  explicit SymmetricMatrix(std::size_t size) { reset(size); }

  void reset(std::size_t size) {
    size_ = size;
    of_.assign(size * (size + 1) / 2, 0);
  }
  std::size_t size() const { return size_; }
  double& at(std::size_t row, std::size_t column) { return of_[place(row, column)]; }
  double at(std::size_t row, std::size_t column) const { return of_[place(row, column)]; }
  /// Returns a pointer to the first element of row i. The other elements of the row follow, up to the diagonal.
  double* row(std::size_t i) { return of_.data() + i * (i + 1) / 2; }
  const double* row(std::size_t i) const { return of_.data() + i * (i + 1) / 2; }

 private:
  static std::size_t place(std::size_t row, std::size_t column) {
    return row >= column ? row * (row + 1) / 2 + column : column * (column + 1) / 2 + row;
  }

  std::size_t size_ = 0;
  std::vector<double> of_;
};

/// Replaces a matrix by its Cholesky factor L. Returns false if the matrix is not positive definite, or so nearly
/// singular that rounding errors matter: if a pivot is not above `least` of the diagonal. The matrix is then undefined.
inline bool factorise(SymmetricMatrix& matrix, double least = 1e-13) {
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    double* const row = matrix.row(i);
    const double before = row[i];
    for (std::size_t j = 0; j <= i; ++j) {
      const double* const other = matrix.row(j);
      double sum = row[j];
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (j < i) {
        row[j] = sum / other[j];
      } else {
        if (!(sum > least * before)) return false;
        row[i] = std::sqrt(sum);
      }
    }
  }
  return true;
}

/// Solves L L' x = b, where `factor` is L. `x` must contain b, and is replaced by the solution.
inline void solve(const SymmetricMatrix& factor, double* x) {
  for (std::size_t i = 0; i < factor.size(); ++i) {
    const double* const row = factor.row(i);
    for (std::size_t k = 0; k < i; ++k) x[i] -= row[k] * x[k];
    x[i] /= row[i];
  }
  for (std::size_t i = factor.size(); i-- > 0;) {
    for (std::size_t k = i + 1; k < factor.size(); ++k) x[i] -= factor.at(k, i) * x[k];
    x[i] /= factor.at(i, i);
  }
}

/// Returns N^-1 S N^-1, where S is `sums` and `factor` is the Cholesky factor of N.
inline SymmetricMatrix sandwich(const SymmetricMatrix& factor, const SymmetricMatrix& sums) {
  const std::size_t size = factor.size();
  SymmetricMatrix out(size);
  // First computes H = N^-1 S column by column, then N^-1 H' row by row.
  std::vector<double> half(size * size), column(size);
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = 0; i < size; ++i) column[i] = sums.at(i, k);
    solve(factor, column.data());
    for (std::size_t i = 0; i < size; ++i) half[i * size + k] = column[i];
  }
  for (std::size_t i = 0; i < size; ++i) {
    std::copy_n(half.begin() + static_cast<std::ptrdiff_t>(i * size), size, column.begin());
    solve(factor, column.data());
    for (std::size_t k = 0; k <= i; ++k) out.at(i, k) = column[k];
  }
  return out;
}

}  // namespace srcextract
