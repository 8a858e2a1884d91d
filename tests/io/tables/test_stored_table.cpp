#include "io/tables/stored_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stages/core/error.hpp"
#include "tests/support/fits_writer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

using testing::Cards;
using ::testing::ElementsAre;
using testing::fits_data;
using testing::fits_header;
using ::testing::HasSubstr;
using testing::image_hdu;
using testing::TemporaryFolder;

/// A table of X (D) and N (J) whose rows are zeros.
std::string table(std::int64_t rows, const std::string& unit = "'pixel'", const Cards& more = {}) {
  Cards cards = {{"XTENSION", "'BINTABLE'"},
                 {"BITPIX", "8"},
                 {"NAXIS", "2"},
                 {"NAXIS1", "12"},
                 {"NAXIS2", std::to_string(rows)},
                 {"PCOUNT", "0"},
                 {"GCOUNT", "1"},
                 {"TFIELDS", "2"},
                 {"TTYPE1", "'X'"},
                 {"TFORM1", "'D'"},
                 {"TUNIT1", unit},
                 {"TUCD1", "'pos'"},
                 {"TTYPE2", "'N'"},
                 {"TFORM2", "'1J'"},
                 {"TCOMM2", "'number'"}};
  cards.insert(cards.end(), more.begin(), more.end());
  return fits_header(cards) + fits_data(std::string(static_cast<std::size_t>(12 * rows), '\0'));
}

std::string file_with(const std::string& hdu) {
  return image_hdu(8, {}, "", {{"EXTEND", "T"}}) + hdu;
}

std::string failure(const std::string& path) {
  StoredTableReader reader;
  try {
    reader.read(InputFile(path));
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "";
}

TEST(StoredTable, SaysWhatTheHeaderSays) {
  const TemporaryFolder folder;
  StoredTableReader reader;
  const StoredTable read = reader.read(InputFile(folder.write("a.fits", file_with(table(3)))));
  const StoredColumn x{"X", "D", "pixel", "pos", "", std::nullopt, 8}, n{"N", "1J", "", "", "number", std::nullopt, 4};
  EXPECT_THAT(read.columns, ElementsAre(x, n));
  EXPECT_EQ(read.rows, 3);
  EXPECT_EQ(read.row_bytes, 12);
  EXPECT_EQ(read.data_begin, 2 * 2880);
}

// A header that is like the last one is compared alone.
TEST(StoredTable, IsTheSameWhateverWasReadBefore) {
  const TemporaryFolder folder;
  std::vector<std::string> paths;
  const Cards sky = {{"SKYLEVEL", "1.5"}, {"SKYSIGMA", "0.5"}};
  Cards named = sky, many = sky;
  named.push_back({"OBJECT", "'M 31'"});
  many.insert(many.end(), 40, {"FILLER", "1"});
  const std::vector<std::string> hdus = {table(3),
                                         table(0),
                                         table(3, "'deg'"),
                                         table(100'000),
                                         table(7),
                                         table(7, "'pixel'", Cards(40, {"FILLER", "1"})),
                                         table(8),
                                         table(9, "'pixel'", sky),
                                         table(9, "'pixel'", named),
                                         table(10, "'pixel'", many),
                                         table(11, "'pixel'", sky),
                                         table(12)};
  for (std::size_t i = 0; i < hdus.size(); ++i) paths.push_back(folder.write(std::to_string(i), file_with(hdus[i])));
  StoredTableReader reader;
  for (const std::string& path : paths) {
    const InputFile file(path);
    const StoredTable& after_others = reader.read(file);
    StoredTableReader alone;
    const StoredTable& truth = alone.read(file);
    EXPECT_EQ(after_others.columns, truth.columns);
    EXPECT_EQ(after_others.rows, truth.rows);
    EXPECT_EQ(after_others.data_begin, truth.data_begin);
    EXPECT_EQ(after_others.image, truth.image);
  }
}

TEST(StoredTable, HasWhatTheHeaderSaysOfTheImage) {
  const TemporaryFolder folder;
  const std::string hdu =
      table(3, "'pixel'", {{"SKYLEVEL", "1.5"}, {"SKYSIGMA", "0.5"}, {"IMGEXT", "'SCI'"}, {"CCD", "7"}});
  StoredTableReader reader;
  const StoredTable& read = reader.read(InputFile(folder.write("a.fits", file_with(hdu))));
  EXPECT_EQ(read.image, (ImageFacts{SkyFacts{1.5, 0.5}, {{"EXTNAME", "SCI"}, {"CCD", std::int64_t{7}}}}));
}

TEST(StoredTable, IsNotReadFromWhatIsNoCatalog) {
  const TemporaryFolder folder;
  const auto failure_of = [&](const std::string& bytes) { return failure(folder.write("a.fits", bytes)); };
  EXPECT_THAT(failure_of("SIMPLE"), HasSubstr("not a FITS file"));
  EXPECT_THAT(failure_of(file_with("")), HasSubstr("no extension"));
  EXPECT_THAT(failure_of(file_with(image_hdu(8, {1}, "x", {}, testing::Place::extension))), HasSubstr("no catalogue"));
  EXPECT_THAT(failure_of(file_with(table(300)).substr(0, 2 * 2880 + 3599)),
              HasSubstr("before the last of its 300 rows"));
  EXPECT_EQ(failure_of(file_with(table(300)).substr(0, 2 * 2880 + 3600)), "");
  std::string bits = table(1);
  bits.replace(bits.find("'1J' "), 5, "'32X'");
  EXPECT_THAT(failure_of(file_with(bits)), HasSubstr("not those of a catalogue"));
  const std::string no_columns = fits_header({{"XTENSION", "'BINTABLE'"},
                                              {"BITPIX", "8"},
                                              {"NAXIS", "2"},
                                              {"NAXIS1", "0"},
                                              {"NAXIS2", "5"},
                                              {"PCOUNT", "0"},
                                              {"GCOUNT", "1"},
                                              {"TFIELDS", "0"}});
  EXPECT_THAT(failure_of(file_with(no_columns)), HasSubstr("not those of a catalogue"));
}

// With nothing parsed, a number of rows that is none must not pass.
TEST(StoredTable, DamagedNumberOfRowsIsSeenAfterAnAlikeHeader) {
  const TemporaryFolder folder;
  const std::string whole = file_with(table(5));
  for (const std::string rows : {"-5", "5.5", "99999999999999999999", "1e9", "      "}) {
    std::string damaged = whole;
    const std::size_t value = damaged.find("NAXIS2  =") + 10;
    damaged.replace(value, 20, std::string(20 - rows.size(), ' ') + rows);
    StoredTableReader reader;
    reader.read(InputFile(folder.write("whole", whole)));
    EXPECT_THROW(reader.read(InputFile(folder.write("damaged", damaged))), Error) << rows;
  }
}

}  // namespace
}  // namespace srcextract
