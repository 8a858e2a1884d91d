#include <gmock/gmock.h>
#include <sys/stat.h>

#include "io/image/fits_image.hpp"
#include "stages/core/error.hpp"
#include "tests/io/support/gzip_member.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/support/fits_writer.hpp"

namespace srcextract::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class FitsBadInput : public ::testing::Test {
 protected:
  /// The message with which the file is refused.
  std::string refusal(const std::string& path, const std::string& hdu = "auto") {
    try {
      open_fits_images(path, hdu);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), HasSubstr(path));
      return error.what();
    }
    ADD_FAILURE() << "not refused: " << path;
    return "";
  }

  std::string refusal_of_bytes(const std::string& bytes, const std::string& hdu = "auto") {
    write_file(directory / "bad.fits", bytes);
    return refusal(directory / "bad.fits", hdu);
  }

  /// A primary image with one card of its header replaced.
  std::string refusal_of_card(const std::string& keyword, const std::string& value) {
    Cards cards = image_cards(16, {4, 4}, {{"BSCALE", "1"}, {"BZERO", "0"}, {"BLANK", "0"}});
    bool replaced = false;
    for (auto& [name, text] : cards) {
      if (name != keyword) continue;
      text = value;
      replaced = true;
    }
    EXPECT_TRUE(replaced);
    return refusal_of_bytes(fits_header(cards) + fits_data(std::string(32, 'x')));
  }

  TemporaryFolder directory;
};

TEST_F(FitsBadInput, NoSuchFile) {
  EXPECT_THAT(refusal(directory / "absent.fits"), HasSubstr("No such file or directory"));
}

TEST_F(FitsBadInput, NotAFile) {
  EXPECT_THAT(refusal(directory.string()), HasSubstr("a directory"));
  EXPECT_THAT(refusal("/dev/null"), HasSubstr("a device"));
  ASSERT_EQ(mkfifo((directory / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal(directory / "pipe"), HasSubstr("a pipe"));
}

TEST_F(FitsBadInput, Empty) {
  EXPECT_THAT(refusal_of_bytes(""), HasSubstr("empty"));
}

TEST_F(FitsBadInput, NotFits) {
  EXPECT_THAT(refusal_of_bytes("hello"), HasSubstr("not a FITS file"));
  EXPECT_THAT(refusal_of_bytes(std::string(10000, '\0')), HasSubstr("not a FITS file"));
  EXPECT_THAT(refusal_of_bytes(table_hdu("FIRST")), HasSubstr("not a FITS file"));
}

TEST_F(FitsBadInput, HeaderWithoutEnd) {
  const std::string header = fits_header(image_cards(8, {1}));
  EXPECT_THAT(refusal_of_bytes(header.substr(0, 240)), HasSubstr("no END card"));
  const std::string endless = header.substr(0, 240) + std::string(std::size_t{17} << 20, ' ');
  EXPECT_THAT(refusal_of_bytes(endless), HasSubstr("no END card in its first 16 MiB"));
}

TEST_F(FitsBadInput, HeaderThatIsNotValid) {
  EXPECT_THAT(refusal_of_card("BITPIX", "17"), AllOf(HasSubstr("HDU 0"), HasSubstr("BITPIX = 17")));
  EXPECT_THAT(refusal_of_card("BITPIX", "'sixteen'"), HasSubstr("BITPIX"));
  EXPECT_LT(refusal_of_card("BITPIX", "'sixteen'").size(), 400 + directory.string().size());
  EXPECT_THAT(refusal_of_card("BITPIX", "-9223372036854775808"), HasSubstr("BITPIX"));
  EXPECT_THAT(refusal_of_card("NAXIS", "-1"), HasSubstr("NAXIS"));
  EXPECT_THAT(refusal_of_card("NAXIS", "3"), HasSubstr("NAXIS3"));
  EXPECT_THAT(refusal_of_card("NAXIS", "1000"), HasSubstr("NAXIS"));
  EXPECT_THAT(refusal_of_card("NAXIS2", "-4"), HasSubstr("NAXIS2"));
}

TEST_F(FitsBadInput, MoreAxesThanFitsHas) {
  EXPECT_THAT(refusal_of_bytes(image_hdu(8, std::vector<std::int64_t>(1000, 1), "x")), HasSubstr("NAXIS"));
}

TEST_F(FitsBadInput, AbsurdSizes) {
  EXPECT_THAT(refusal_of_card("NAXIS1", "4000000000"), HasSubstr("NAXIS1 = 4000000000"));
  EXPECT_THAT(refusal_of_card("NAXIS2", "3000000000"), HasSubstr("NAXIS2 = 3000000000"));
  EXPECT_THAT(refusal_of_bytes(image_hdu(64, {2000000000, 2000000000, 2000000000}, "x")), HasSubstr("damaged"));
  EXPECT_THAT(refusal_of_bytes(image_hdu(64, {2147483647, 2147483647}, "x")), HasSubstr("no file can have"));
  // The product wraps to exactly 0 in 64 bits.
  EXPECT_THAT(refusal_of_bytes(image_hdu(8, {4294967296, 4294967296}, "x")), HasSubstr("no file can have"));
}

TEST_F(FitsBadInput, TruncatedData) {
  const std::string whole = image_hdu(16, {100, 50}, std::string(10000, 'x'));
  EXPECT_THAT(refusal_of_bytes(whole.substr(0, 2880 + 9999)),
              AllOf(HasSubstr("truncated"), HasSubstr("10000 bytes"), HasSubstr("holds 9999 of them")));
  EXPECT_THAT(refusal_of_bytes(whole.substr(0, 2880)), HasSubstr("holds 0 of them"));
  const std::string second = image_hdu(8, {1}, "x") + fits_header(image_cards(16, {5}, {}, Place::extension)) + "y";
  EXPECT_THAT(refusal_of_bytes(second, "1"), AllOf(HasSubstr("HDU 1"), HasSubstr("holds 1 of them")));
  EXPECT_THAT(refusal_of_bytes(whole.substr(0, 5000), "1"), HasSubstr("truncated"));
}

TEST_F(FitsBadInput, NoPixels) {
  EXPECT_THAT(refusal_of_bytes(fits_header(image_cards(8, {})), "0"),
              AllOf(HasSubstr("no pixels"), HasSubstr("NAXIS = 0")));
  EXPECT_THAT(refusal_of_bytes(fits_header(image_cards(8, {5, 0})), "0"), HasSubstr("no pixels"));
}

TEST_F(FitsBadInput, NoImageSaysWhatThereIs) {
  const std::string bytes = fits_header(image_cards(8, {})) + table_hdu("CAT") + table_hdu("GTI");
  EXPECT_THAT(refusal_of_bytes(bytes),
              AllOf(HasSubstr("no image"), HasSubstr("2 binary tables, 1 image without pixels")));
  EXPECT_THAT(refusal_of_bytes(bytes, "all"), HasSubstr("2 binary tables"));
  EXPECT_THAT(refusal_of_bytes(bytes, "1"),
              AllOf(HasSubstr("'CAT'"), HasSubstr("not an image"), HasSubstr("binary table")));
  EXPECT_THAT(refusal_of_bytes(bytes, "gti"), AllOf(HasSubstr("HDU 2"), HasSubstr("not an image")));
}

TEST_F(FitsBadInput, NoSuchHdu) {
  const std::string bytes = image_hdu(8, {1}, "x") + image_hdu(8, {1}, "y", {{"EXTNAME", "'SCI'"}}, Place::extension);
  EXPECT_THAT(refusal_of_bytes(bytes, "2"), AllOf(HasSubstr("no HDU 2"), HasSubstr("1 'SCI'")));
  EXPECT_THAT(refusal_of_bytes(bytes, "WHT"), AllOf(HasSubstr("'WHT'"), HasSubstr("1 'SCI'")));
  EXPECT_THAT(refusal_of_bytes(bytes, "99999999999"), HasSubstr("'99999999999'"));
  EXPECT_THAT(refusal_of_bytes(bytes, "-1"), HasSubstr("'-1'"));
}

TEST_F(FitsBadInput, NoSuchPlane) {
  write_file(directory / "cube.fits", image_hdu(8, {1, 1, 3}, "xyz"));
  const std::vector<FitsImage> images = open_fits_images(directory / "cube.fits", "auto");
  for (std::int64_t plane : {std::int64_t{0}, std::int64_t{4}, INT64_MIN, INT64_MAX}) {
    try {
      images[0].plane(plane);
      ADD_FAILURE() << plane;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      EXPECT_THAT(error.what(), AllOf(HasSubstr("plane"), HasSubstr("1 to 3"), HasSubstr("input.plane")));
    }
  }
}

TEST_F(FitsBadInput, RandomGroups) {
  const std::string bytes =
      fits_header(image_cards(16, {0, 3, 2}, {{"GROUPS", "T"}, {"PCOUNT", "1"}, {"GCOUNT", "2"}})) +
      fits_data(std::string(28, 'x'));
  EXPECT_THAT(refusal_of_bytes(bytes), HasSubstr("1 random-groups array"));
  EXPECT_THAT(refusal_of_bytes(bytes, "0"), AllOf(HasSubstr("not an image"), HasSubstr("random-groups")));
}

// With no groups the data unit would be empty, and with parameters longer than its pixels.
TEST_F(FitsBadInput, GroupsOfAnImage) {
  for (const auto& [keyword, value] : Cards{{"GCOUNT", "0"}, {"GCOUNT", "2"}, {"PCOUNT", "3"}}) {
    for (const Place place : {Place::primary, Place::extension}) {
      const std::string before = place == Place::primary ? "" : fits_header(image_cards(8, {}));
      Cards cards = image_cards(-32, {1000, 1000}, {}, place);
      std::erase_if(cards, [&name = keyword](const auto& card) { return card.first == name; });
      cards.emplace_back(keyword, value);
      const std::string bytes = before + fits_header(cards) + std::string(2880, 'x');
      EXPECT_THAT(refusal_of_bytes(bytes, before.empty() ? "0" : "1"), HasSubstr(keyword + " is"));
      EXPECT_THAT(refusal_of_bytes(gzip_member(bytes), before.empty() ? "0" : "1"), HasSubstr(keyword + " is"));
    }
  }
}

TEST_F(FitsBadInput, EndWithMoreThanBlanks) {
  const std::string header = fits_header(image_cards(8, {4, 4})).substr(0, 5 * 80);
  for (const char* text : {"END     = 3", "END     / of it", "END                  x"}) {
    std::string card = text;
    card.resize(80, ' ');
    const std::string bytes = fits_data(header + card) + std::string(2880, 'x');
    EXPECT_THAT(refusal_of_bytes(bytes), AllOf(HasSubstr("HDU 0"), HasSubstr("follows END"), HasSubstr(text)));
    EXPECT_THAT(refusal_of_bytes(gzip_member(bytes)), HasSubstr("follows END"));
  }
}

TEST_F(FitsBadInput, ScalingThatGivesNoValue) {
  EXPECT_THAT(refusal_of_card("BSCALE", "0.0"), HasSubstr("BSCALE = 0, BZERO = 0 "));
  EXPECT_THAT(refusal_of_card("BSCALE", "1E999"), HasSubstr("BSCALE"));
  EXPECT_THAT(refusal_of_card("BZERO", "NaN"), HasSubstr("BZERO"));
  EXPECT_THAT(refusal_of_card("BLANK", "'none'"), HasSubstr("BLANK"));
}

// Read over, they would give every pixel another value.
TEST_F(FitsBadInput, ScalingThatIsNoCardOfFits) {
  const std::string header = fits_header(image_cards(16, {4, 4})).substr(0, 5 * 80);
  for (const char* text : {"bscale  = 2.0", "Bzero   = 32768", "BZERO= 32768", "blank   = 0", " BSCALE = 2"}) {
    std::string card = text;
    card.resize(80, ' ');
    const std::string bytes = fits_data(header + card + "END" + std::string(2000, ' ')) + fits_data("x");
    EXPECT_THAT(refusal_of_bytes(bytes), AllOf(HasSubstr("HDU 0"), HasSubstr(text), HasSubstr("capital letters")));
  }
}

TEST_F(FitsBadInput, ALongListOfNames) {
  std::string bytes = image_hdu(8, {1}, "x");
  for (int i = 1; i <= 100; ++i)
    bytes += image_hdu(8, {1}, "y", {{"EXTNAME", "'" + std::string(60, 'E') + "'"}}, Place::extension);
  EXPECT_THAT(refusal_of_bytes(bytes, "999"), HasSubstr("and 91 more"));
  EXPECT_LT(refusal_of_bytes(bytes, "999").size(), 1000 + directory.string().size());
}

TEST_F(FitsBadInput, DamagedGzip) {
  std::string gzip("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  EXPECT_THAT(refusal_of_bytes(gzip), HasSubstr("truncated"));
  EXPECT_THAT(refusal_of_bytes(gzip + std::string(50, '\xff')), HasSubstr("damaged"));
  EXPECT_THAT(refusal_of_bytes("\x1f\x8b"), HasSubstr("truncated"));
  // `printf '' | gzip`: no byte in it.
  EXPECT_THAT(refusal_of_bytes(gzip + std::string("\x03\0\0\0\0\0\0\0\0\0", 10)), HasSubstr("empty"));
}

}  // namespace
}  // namespace srcextract::testing
