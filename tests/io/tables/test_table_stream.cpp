#include "io/tables/table_stream.hpp"

#include <fitsio.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

using testing::TemporaryFolder;

TableHead head(const std::string& name, std::int64_t rows) {
  return {name,
          {{"A", "1J", "m", "meta.id", std::string(200, 'd'), -1, 4}, {"B", "3A", "", "", "", {}, 3}},
          rows,
          "test",
          {"a line", "CHECKSUM= '0000000000000000'"}};
}

std::vector<std::byte> rows_of(std::int64_t rows) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(7 * rows));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 7 < 4 ? 255 - i % 251 : 'x');
  return bytes;
}

TEST(TableStream, WritesTablesWhoseChecksumsCfitsioConfirms) {
  const TemporaryFolder folder;
  const std::string path = folder / "t.fits";
  TableStream out(path);
  for (const std::int64_t rows : {0, 1, 5000}) {
    out.begin(head("T" + std::to_string(rows), rows));
    const std::vector<std::byte> bytes = rows_of(rows);
    const std::size_t first = bytes.size() / 7 / 3 * 7;  // pieces that are no whole words
    out.write(std::span(bytes).first(first));
    out.write(std::span(bytes).subspan(first));
  }
  out.commit({});
  fitsfile* file = nullptr;
  int status = 0, hdus = 0;
  fits_open_diskfile(&file, path.c_str(), READONLY, &status);
  fits_get_num_hdus(file, &hdus, &status);
  EXPECT_EQ(hdus, 4);
  for (const LONGLONG rows : {0, 1, 5000}) {
    int of_data = 0, of_hdu = 0;
    LONGLONG there = -1;
    fits_movrel_hdu(file, 1, nullptr, &status);
    fits_get_num_rowsll(file, &there, &status);
    fits_verify_chksum(file, &of_data, &of_hdu, &status);
    EXPECT_EQ(there, rows);
    EXPECT_EQ(of_data, 1) << rows;
    EXPECT_EQ(of_hdu, 1) << rows;
  }
  fits_close_file(file, &status);
  EXPECT_EQ(status, 0);
}

TEST(TableStream, ATableWithoutAllOfItsRowsIsNotWritten) {
  const TemporaryFolder folder;
  TableStream out(folder / "t.fits");
  out.begin(head("T", 2));
  out.write(rows_of(1));
  EXPECT_THROW(out.commit({}), Error);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace
}  // namespace srcextract
