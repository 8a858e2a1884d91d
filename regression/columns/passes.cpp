#include "regression/columns/passes.hpp"

#include <algorithm>

#include "stages/core/parallel.hpp"

namespace srcextract {
namespace {

void add_needed(std::vector<std::size_t>& read, std::size_t column, const std::vector<SharedColumn>& shared) {
  read.push_back(column);
  for (const auto& other : {shared[column].error, shared[column].partner}) {
    if (other) read.push_back(*other);
  }
}

}  // namespace

std::vector<ColumnPass> plan_passes(const std::vector<SharedColumn>& shared, const CompareRules& rules,
                                    const std::vector<std::size_t>& first, std::size_t columns_at_once) {
  std::vector<ColumnPass> passes(1);
  passes.back().read = first;
  for (std::size_t i = 0; i < shared.size(); ++i) {
    if (rule_of(rules, shared[i].name).difference == Difference::ignore) continue;
    if (passes.back().compared.size() >= columns_at_once) passes.emplace_back();
    passes.back().compared.push_back(i);
    add_needed(passes.back().read, i, shared);
  }
  for (ColumnPass& pass : passes) {
    std::sort(pass.read.begin(), pass.read.end());
    pass.read.erase(std::unique(pass.read.begin(), pass.read.end()), pass.read.end());
  }
  return passes;
}

LoadedColumns::LoadedColumns(const Catalog& reference, const Catalog& other, const std::vector<SharedColumn>& shared,
                             const ColumnPass& pass, int threads)
    : reference_(reference), new_(other), shared_(shared), pass_(pass), threads_(threads) {
  parallel_for(2, 1, Cpu{threads}, [&](std::int64_t side, std::int64_t) {
    std::vector<std::size_t> columns;
    for (std::size_t i : pass.read) columns.push_back(side == 0 ? shared[i].in_reference : shared[i].in_new);
    (side == 0 ? reference_table_ : new_table_) = (side == 0 ? reference : other).read(columns);
  });
}

std::size_t LoadedColumns::place(std::size_t column) const {
  return static_cast<std::size_t>(std::lower_bound(pass_.read.begin(), pass_.read.end(), column) - pass_.read.begin());
}

std::vector<double> LoadedColumns::of_reference(std::size_t column) const {
  return values_in_report(raw_reference(column), reference_.meanings[shared_[column].in_reference], 1, threads_);
}
std::vector<double> LoadedColumns::of_new(std::size_t column) const {
  return values_in_report(raw_new(column), new_.meanings[shared_[column].in_new], shared_[column].new_factor, threads_);
}
std::vector<double> LoadedColumns::of_reference(std::size_t column, std::span<const std::int64_t> rows) const {
  return values_in_report(raw_reference(column), reference_.meanings[shared_[column].in_reference], 1, rows, threads_);
}
std::vector<double> LoadedColumns::of_new(std::size_t column, std::span<const std::int64_t> rows) const {
  return values_in_report(raw_new(column), new_.meanings[shared_[column].in_new], shared_[column].new_factor, rows,
                          threads_);
}

}  // namespace srcextract
