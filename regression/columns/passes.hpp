#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regression/columns/catalog.hpp"

namespace srcextract {

/// What is read of both sides at once: some of the shared columns, by their index among them, in ascending order.
struct ColumnPass {
  std::vector<std::size_t> compared;  ///< in this pass
  std::vector<std::size_t> read;      ///< these, and those that they need: errors, the other coordinate
};

/// Divides the columns that the rules compare into passes of about `columns_at_once`. The first also reads `first`, the
/// positions and the brightness.
std::vector<ColumnPass> plan_passes(const std::vector<SharedColumn>& shared, const CompareRules& rules,
                                    const std::vector<std::size_t>& first, std::size_t columns_at_once);

/// Columns of both sides, while they are in memory.
class LoadedColumns {
 public:
  /// Reads the pass from both catalogues, side by side if there are threads for it.
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
