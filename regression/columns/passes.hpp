#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regression/columns/catalog.hpp"

namespace srcextract {

/// A pass over both files: columns that are in memory at the same time, as ascending indices of shared columns.
struct ColumnPass {
  std::vector<std::size_t> compared;  ///< columns compared in this pass
  /// columns to read: the compared columns, and the columns with their errors and other coordinates
  std::vector<std::size_t> read;
};

/// Divides the columns to compare into passes of at most `columns_at_once` compared columns. The first pass also reads
/// `first`, the columns of positions and brightness.
std::vector<ColumnPass> plan_passes(const std::vector<SharedColumn>& shared, const CompareRules& rules,
                                    const std::vector<std::size_t>& first, std::size_t columns_at_once);

/// The columns of one pass from both catalogues, in memory.
class LoadedColumns {
 public:
  /// Reads the columns of `pass` from both catalogues, in parallel if there are two threads. The arguments must outlive
  /// this object.
  LoadedColumns(const Catalog& reference, const Catalog& other, const std::vector<SharedColumn>& shared,
                const ColumnPass& pass, int threads);

  const std::string& name(std::size_t column) const { return shared_[column].name; }
  int threads() const { return threads_; }

  const ColumnValues& raw_reference(std::size_t column) const { return reference_table_.columns[place(column)].values; }
  const ColumnValues& raw_new(std::size_t column) const { return new_table_.columns[place(column)].values; }

  std::vector<double> of_reference(std::size_t column) const;
  std::vector<double> of_new(std::size_t column) const;
  std::vector<double> of_reference(std::size_t column, std::span<const std::int64_t> rows) const;
  std::vector<double> of_new(std::size_t column, std::span<const std::int64_t> rows) const;

 private:
  std::size_t place(std::size_t column) const;

  const Catalog& reference_;
  const Catalog& new_;
  const std::vector<SharedColumn>& shared_;
  const ColumnPass& pass_;
  int threads_;
  Table reference_table_, new_table_;
};

}  // namespace srcextract
