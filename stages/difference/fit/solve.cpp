#include "stages/difference/fit/solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/difference/fit/equations.hpp"

namespace srcextract {
namespace {

/// Added to the diagonal, which is scaled to 1 (ridge regression). Coefficients that the stamps (squares of pixels
/// around stars) do not determine then stay small. Without the ridge, polynomials would grow without limit between the
/// outermost stamps and the frame's edges.
constexpr double ridge = 1e-5;

std::vector<int> first_of_columns(const FieldOrders& orders, int columns, int sky) {
  std::vector<int> first{0};
  for (int column = 0; column < columns; ++column)
    first.push_back(first.back() + field_terms(orders.of_column(column, sky)));
  return first;
}

SRCEXTRACT_VECTOR_CLONES
void add_scaled(const double* terms, double product, int count, double* sum) {
  for (int k = 0; k < count; ++k) sum[k] += product * terms[k];
}

/// Makes the normal equations. The element for the columns i, j of StampSums and the polynomial terms P_a, P_b is the
/// sum over the stamps of product(i, j) P_a P_b.
class Assembly {
 public:
  Assembly(const std::vector<StampSums>& sums, const std::vector<FieldTerms>& terms,
           const std::vector<std::size_t>& used, const std::vector<int>& first)
      : sums_(sums), used_(used), first_(first) {
    for (std::size_t column = 0; column + 1 < first.size(); ++column)
      terms_ = std::max(terms_, first[column + 1] - first[column]);
    for (const std::size_t s : used)
      for (int a = 0; a < terms_; ++a)
        for (int b = 0; b < terms_; ++b) pairs_.push_back(terms[s].value[a] * terms[s].value[b]);
  }

  /// Sets the matrix elements for a column with itself and with all later columns, and the right side for the column.
  void fill(int column, Equations& equations) const {
    const int data = sums_.front().data(), pairs = terms_ * terms_, columns = data - column + 1;
    std::vector<double> sums(static_cast<std::size_t>(std::int64_t{columns} * pairs), 0);
    for (std::size_t k = 0; k < used_.size(); ++k) {
      const double* const products = sums_[used_[k]].products_from(column);
      for (int other = 0; other < columns; ++other)
        add_scaled(pairs_.data() + k * static_cast<std::size_t>(pairs), products[other], pairs,
                   sums.data() + std::ptrdiff_t{other} * pairs);
    }
    const int first = first_[static_cast<std::size_t>(column)];
    for (int other = column; other < data; ++other) {
      const double* const sum = sums.data() + std::ptrdiff_t{other - column} * pairs;
      for (int b = 0; b < count(other); ++b)
        for (int a = 0; a < count(column); ++a)
          equations.row(first_[static_cast<std::size_t>(other)] + b)[first + a] = sum[std::ptrdiff_t{a} * terms_ + b];
    }
    for (int a = 0; a < count(column); ++a)
      equations.right[static_cast<std::size_t>(std::int64_t{first} + a)] =
          sums[static_cast<std::size_t>(std::int64_t{columns - 1} * pairs + std::int64_t{a} * terms_)];
  }

 private:
  int count(int column) const {
    return first_[static_cast<std::size_t>(column) + 1] - first_[static_cast<std::size_t>(column)];
  }

  const std::vector<StampSums>& sums_;
  const std::vector<std::size_t>& used_;
  const std::vector<int>& first_;
  int terms_ = 0;
  std::vector<double> pairs_;
};

/// Scales the unknowns so that the diagonal is 1, and adds `ridge`. Returns the factors by which the solution must be
/// multiplied to undo the scaling.
std::vector<double> scale_unknowns(Equations& equations) {
  std::vector<double> scale;
  for (int i = 0; i < equations.size; ++i) {
    const double square = equations.diagonal(i);
    scale.push_back(square > 0 ? 1 / std::sqrt(square) : 0);
  }
  for (int i = 0; i < equations.size; ++i) {
    const double own = scale[static_cast<std::size_t>(i)];
    for (int j = 0; j < i; ++j) equations.row(i)[j] *= own * scale[static_cast<std::size_t>(j)];
    equations.diagonal(i) = 1 + ridge;
    equations.right[static_cast<std::size_t>(i)] *= own;
  }
  return scale;
}

}  // namespace

FieldCoefficients solve_over_field(const std::vector<StampSums>& sums, const std::vector<FieldTerms>& terms,
                                   const std::vector<std::size_t>& used, const FieldOrders& orders, const Cpu& where) {
  const int columns = sums.front().data();
  FieldCoefficients solution{orders, {}, first_of_columns(orders, columns, sums.front().sky()), 0, {}};
  Equations equations(solution.first.back());
  const Assembly assembly(sums, terms, used, solution.first);
  parallel_for(columns, 1, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t column = begin; column < end; ++column) assembly.fill(static_cast<int>(column), equations);
  });
  const std::vector<double> scale = scale_unknowns(equations);
  solution.condition = factorise(equations);
  if (solution.condition == 0) return solution;
  for (int i = 0; i < equations.size; ++i) {
    const double pivot = equations.diagonal(i) / scale[static_cast<std::size_t>(i)];
    solution.pivots.push_back(pivot * pivot);
  }
  substitute(equations);
  for (std::size_t i = 0; i < scale.size(); ++i) solution.values.push_back(equations.right[i] * scale[i]);
  return solution;
}

StampFit fit_of_stamp(const StampSums& sums, const FieldTerms& terms, const FieldCoefficients& solution) {
  if (!(sums.pixels > 0)) return {std::numeric_limits<double>::infinity(), 0};
  const int data = sums.data(), sky = sums.sky();
  std::vector<double> weight;
  for (int column = 0; column < data; ++column)
    weight.push_back(terms.sum(solution.of_column(column), solution.terms(column)));
  double square = 0, light = 0, with_data = 0;
  for (int i = 0; i < data; ++i) {
    double row = 0;
    for (int j = 0; j < sky; ++j) row += weight[static_cast<std::size_t>(j)] * sums.product(i, j);
    if (i < sky) light += weight[static_cast<std::size_t>(i)] * row;
    row += weight[static_cast<std::size_t>(sky)] * sums.product(i, sky);
    square += weight[static_cast<std::size_t>(i)] * row;
    with_data += weight[static_cast<std::size_t>(i)] * sums.product(i, data);
  }
  return {(sums.product(data, data) - 2 * with_data + square) / sums.pixels, light};
}

}  // namespace srcextract
