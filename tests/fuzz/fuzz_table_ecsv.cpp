#include "tests/fuzz/table_support.hpp"

/// A table in ECSV.
int fuzz_table_ecsv(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  return testing::read_table_input(testing::as_text(data, size), TableFormat::ecsv, ecsv_columns);
}
