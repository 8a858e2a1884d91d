// Tables of numbers in files put together byte by byte, so that they can also be wrong.
#include "io/fits/read_number_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/core/error.hpp"
#include "tests/support/fits_writer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

using testing::big_endian;
using ::testing::ElementsAre;
using testing::fits_data;
using testing::fits_header;
using ::testing::HasSubstr;

std::string primary() {
  return fits_header({{"SIMPLE", "T"}, {"BITPIX", "8"}, {"NAXIS", "0"}});
}

/// A table of one row: six floats, an integer and a text.
testing::Cards cards(const std::string& rows = "1") {
  return {{"XTENSION", "'BINTABLE'"}, {"BITPIX", "8"},        {"NAXIS", "2"},       {"NAXIS1", "32"},
          {"NAXIS2", rows},           {"PCOUNT", "0"},        {"GCOUNT", "1"},      {"TFIELDS", "3"},
          {"EXTNAME", "'PSF_DATA'"},  {"PSF_SAMP", "1.5E-1"}, {"PSFAXIS1", "3"},    {"POLNAME1", "'X_IMAGE'"},
          {"TTYPE1", "'PSF_MASK'"},   {"TFORM1", "'6E'"},     {"TDIM1", "'(3,2)'"}, {"TTYPE2", "'COUNT'"},
          {"TFORM2", "'1J'"},         {"TTYPE3", "'REMARK'"}, {"TFORM3", "'4A'"}};
}

std::string row() {
  return big_endian(std::vector<float>{1, 2, 3, 4, 5, -6.5F}) + big_endian(std::vector<std::int32_t>{-7}) + "text";
}

class NumberTables : public ::testing::Test {
 protected:
  std::vector<NumberTable> read(const std::string& bytes) {
    testing::write_file(folder / "x.psf", bytes);
    return read_number_tables(folder / "x.psf");
  }
  std::string refusal(const std::string& bytes) {
    try {
      read(bytes);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config);
      return error.what();
    }
    return "";
  }
  testing::TemporaryFolder folder;
};

TEST_F(NumberTables, HaveCardsAndNumbers) {
  const std::vector<NumberTable> tables = read(primary() + fits_header(cards()) + fits_data(row()));
  ASSERT_EQ(tables.size(), 1U);
  const NumberTable& table = tables.front();
  EXPECT_EQ(table.name, "PSF_DATA");
  EXPECT_EQ(table.rows, 1);
  EXPECT_EQ(std::get<double>(table.cards.at("PSF_SAMP")), 0.15);
  EXPECT_EQ(std::get<double>(table.cards.at("PSFAXIS1")), 3);
  EXPECT_EQ(std::get<std::string>(table.cards.at("POLNAME1")), "X_IMAGE");
  EXPECT_THAT(table.columns.at("PSF_MASK"), ElementsAre(1, 2, 3, 4, 5, -6.5));
  EXPECT_THAT(table.columns.at("COUNT"), ElementsAre(-7));
  EXPECT_FALSE(table.columns.contains("REMARK"));
}

TEST_F(NumberTables, MayBeEmpty) {
  EXPECT_TRUE(read(primary() + fits_header(cards("0"))).front().columns.empty());
  EXPECT_TRUE(read(primary()).empty());
}

TEST_F(NumberTables, OfDamagedFilesAreRefused) {
  EXPECT_THAT(refusal(""), HasSubstr("x.psf"));
  EXPECT_THAT(refusal("PSF of stars\n"), HasSubstr("x.psf"));
  EXPECT_THAT(refusal(primary() + fits_header(cards()) + row().substr(0, 9)), HasSubstr("x.psf"));
  testing::Cards wide = cards();
  wide[13].second = "'600E'";
  EXPECT_THAT(refusal(primary() + fits_header(wide) + fits_data(row())), HasSubstr("x.psf"));
  EXPECT_THAT(refusal(primary() + fits_header(cards("99999999999999")) + fits_data(row())), HasSubstr("x.psf"));
  testing::write_file(folder / "x.psf", "");
  try {
    read_number_tables(folder / "nowhere.psf");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::config);
  }
}

}  // namespace
}  // namespace srcextract
