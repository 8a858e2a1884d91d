#include "io/fits/header_values.hpp"

#include <fitsio.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "io/fits/image_cards.hpp"
#include "tests/io/support/header_cards.hpp"

namespace srcextract {
namespace {

using testing::card;

std::vector<HeaderValue> values(const std::string& header, const std::string& primary = "",
                                const std::vector<std::string>& more = {}) {
  return header_values(header, primary, more);
}

using List = std::vector<HeaderValue>;

TEST(HeaderValues, AreTextsNumbersAndLogicals) {
  const std::string header = card("OBJECT  = 'Barnard''s star  '   / it''s / quoted") +
                             card("EXPTIME =                300.0 / seconds") + card("CCD     =                   -7") +
                             card("GAIN    =              1.5D+00") + card("SHUT    = T / open");
  EXPECT_EQ(
      values(header, "", {"SHUT"}),
      (List{
          {"OBJECT", "Barnard's star"}, {"EXPTIME", 300.0}, {"GAIN", 1.5}, {"CCD", std::int64_t{-7}}, {"SHUT", true}}));
}

TEST(HeaderValues, WhatHasNoValueIsLeftOut) {
  for (const char* text : {"OBJECT  =", "OBJECT  = / none", "OBJECT  = 'open", "OBJECT    'x'", "OBJECT  = (1, 2)",
                           "OBJECTS = 'x'", "COMMENT OBJECT  = 'x'", "OBJECT  =                 1E999",
                           "HIERARCH OBJECT = 'x'", "OBJECT  = 'a 'quoted' name'", "OBJECT  = 300 s", "object  = 'x'"})
    EXPECT_EQ(values(card(text)), List{}) << text;
}

TEST(HeaderValues, ALongTextGoesOn) {
  const std::string header =
      card("OBJECT  = 'one &'") + card("CONTINUE  'two &'") + card("CONTINUE  'three'") + card("FILTER  = 'g &'");
  EXPECT_EQ(values(header), (List{{"OBJECT", "one two three"}, {"FILTER", "g &"}}));
}

TEST(HeaderValues, ExtensionsInheritUnlessTheySayNo) {
  const std::string primary = card("OBJECT  = 'M 31'") + card("FILTER  = 'g'") + card("EXTNAME = 'PRIMARY'");
  const std::string extension = card("FILTER  = 'r'");
  EXPECT_EQ(values(extension, primary), (List{{"OBJECT", "M 31"}, {"FILTER", "r"}}));
  EXPECT_EQ(values(extension + card("INHERIT =                    T"), primary).size(), 2u);
  EXPECT_EQ(values(extension + card("INHERIT =                    F"), primary), (List{{"FILTER", "r"}}));
  // A card without a value is the extension's own word: it does not know.
  EXPECT_EQ(values(card("EXPTIME ="), card("EXPTIME = 5.0")), List{});
  EXPECT_EQ(values(card("EXPTIME = "), card("EXPTIME = 5.0")), List{});
  EXPECT_EQ(values(card("EXPTIMES= 3"), card("EXPTIME = 5.0")), (List{{"EXPTIME", 5.0}}));
}

TEST(HeaderValues, ATextThatIsNoAsciiIsReplaced) {
  EXPECT_EQ(values(card("OBJECT  = 'a\xe9\x01z'")), (List{{"OBJECT", "a??z"}}));
}

// CFITSIO reads what format_card writes.
TEST(HeaderCards, AreReadBack) {
  const List written = {{"A", "it's"},
                        {"B", ""},
                        {"C", std::int64_t{-9223372036854775807}},
                        {"D", 0.1},
                        {"E", 1e-300},
                        {"F", 851.0},
                        {"MJD-OBS", 58849.123456789},
                        {"H", true},
                        {"I", std::string(100, '\'')}};
  for (const HeaderValue& value : written) {
    std::string text = format_card(value, "what it is");
    ASSERT_EQ(text.size(), 80u);
    char field[FLEN_VALUE] = "", comment[FLEN_COMMENT] = "", type = 0;
    int status = 0;
    fits_parse_value(text.data(), field, comment, &status);
    fits_get_keytype(field, &type, &status);
    EXPECT_EQ(status, 0) << text;
    EXPECT_EQ(type, "LIFC"[value.value.index()]) << text;
    if (const auto* real = std::get_if<double>(&value.value)) {
      EXPECT_EQ(std::strtod(field, nullptr), *real) << text;
    }
    EXPECT_EQ(keyword_of(text), value.keyword);
    if (value.keyword != "I") {
      EXPECT_EQ(read_value(text).value, value.value);
    }
  }
  EXPECT_EQ(read_value(format_card({"I", std::string(100, '\'')})).value, KeywordValue(std::string(34, '\'')));
  EXPECT_EQ(read_value(format_card({"X", std::numeric_limits<double>::infinity()})).value, std::nullopt);
}

TEST(ImageCards, StandAtTheEndOfAHeaderAndAreReadBack) {
  const std::string header =
      card("XTENSION= 'BINTABLE'") + card("HISTORY  SKYLEVEL= 3") + card("END") + std::string(2880 - 240, ' ');
  ImageFacts facts{SkyFacts{851, 21.05}, {{"EXTNAME", "SCI"}, {"AIRMASS", 1.2}}};
  for (int i = 0; i < 40; ++i) facts.header.push_back({"K" + std::to_string(i), std::int64_t{i}});
  const std::string longer = with_image_cards(header, facts);
  EXPECT_EQ(longer.size(), 2 * 2880u);
  const std::size_t begin = image_cards_begin(longer);
  EXPECT_EQ(longer.substr(begin, 30), "SKYLEVEL=                851.0");
  const auto read = read_image_cards(std::string_view(longer).substr(begin));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->facts, facts);
  EXPECT_EQ(begin + read->bytes, 160 + 80 * (2 + 42 + 1u));
  EXPECT_EQ(with_image_cards(header, {}), header);
  EXPECT_EQ(read_image_cards(header.substr(160))->facts, ImageFacts{});
  EXPECT_FALSE(read_image_cards(header));
  EXPECT_FALSE(read_image_cards(longer.substr(begin, 800)));
}

}  // namespace
}  // namespace srcextract
