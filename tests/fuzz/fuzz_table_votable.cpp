#include "tests/fuzz/table_support.hpp"

/// A VOTable, of whichever serialisation.
int fuzz_table_votable(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  return testing::read_table_input(testing::as_text(data, size), TableFormat::votable, votable_columns);
}
