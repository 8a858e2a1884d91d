#include "tests/fuzz/table_support.hpp"

/// A Parquet file.
int fuzz_table_parquet(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  return testing::read_table_input(testing::as_text(data, size), TableFormat::parquet, parquet_columns);
}
