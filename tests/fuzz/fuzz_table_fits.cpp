#include "tests/fuzz/table_support.hpp"

/// A file of any format of tables, told by its first bytes, as a user gives it; the seeds are FITS.
int fuzz_table_fits(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  const std::string path = testing::input_file(testing::as_text(data, size), "table.fits");
  testing::read_or_refused({ErrorKind::input}, [&] { testing::read_columns_of(open_table(path)); });
  return 0;
}
