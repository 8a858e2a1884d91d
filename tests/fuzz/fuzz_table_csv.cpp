#include "tests/fuzz/table_support.hpp"

/// A table in CSV.
int fuzz_table_csv(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  return testing::read_table_input(testing::as_text(data, size), TableFormat::csv, csv_columns);
}
