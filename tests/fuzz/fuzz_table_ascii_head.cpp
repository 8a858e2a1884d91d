#include "tests/fuzz/table_support.hpp"

/// A table in SExtractor's ASCII_HEAD.
int fuzz_table_ascii_head(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  return testing::read_table_input(testing::as_text(data, size), TableFormat::ascii_head, ascii_head_columns);
}
