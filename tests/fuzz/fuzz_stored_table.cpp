#include "io/tables/stored_table.hpp"

#include "io/files/input_file.hpp"
#include "tests/fuzz/fuzz_support.hpp"

/// A catalogue of another run, as merge reads it: the second time it may know the header from the first, and must find
/// the same.
int fuzz_stored_table(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  const std::string path = testing::input_file(testing::as_text(data, size), "catalogue.fits");
  testing::read_or_refused({ErrorKind::input}, [&] {
    const InputFile file(path);
    StoredTableReader reader;
    const StoredTable first = reader.read(file);
    const StoredTable& second = reader.read(file);
    testing::require(first.columns == second.columns && first.row_bytes == second.row_bytes, "other columns");
    testing::require(first.history == second.history, "another history");
    // As they would be written again: a sky that is undefined is NaN, which does not equal itself.
    testing::require(with_image_cards("END", first.image) == with_image_cards("END", second.image), "another image");
    testing::require(first.rows == second.rows && first.data_begin == second.data_begin, "other rows");
    testing::require(first.rows == 0 || first.row_bytes <= (file.size() - first.data_begin) / first.rows,
                     "rows beyond the end of the file");
  });
  return 0;
}
