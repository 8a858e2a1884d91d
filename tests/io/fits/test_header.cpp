#include "io/fits/header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "stages/core/error.hpp"
#include "stages/core/shortest_number.hpp"
#include "tests/io/support/header_cards.hpp"
#include "tests/io/support/io_test_support.hpp"

namespace srcextract {
namespace {

using testing::card;
using ::testing::HasSubstr;

KeywordValue text(const char* value) {
  return std::string(value);
}

/// Cards of appendix A and section 4 of the FITS Standard 4.0, and what they say there.
TEST(CardTest, TheStandardsOwnExamples) {
  const std::pair<const char*, KeywordValue> examples[] = {
      {"KEYWORD1= 'This Is A String'", text("This Is A String")},
      {"KEYWORD1= 'O''HARA'", text("O'HARA")},
      {"KEYWORD1= ''                / null string keyword", text("")},
      {"KEYWORD2= '     '           / empty string keyword", text("")},
      {"SIMPLE  =                    T / file does conform to FITS standard", true},
      {"NAXIS   =                    2 / number of data axes", std::int64_t{2}},
      {"CRVAL1  =   0.0000000000000E+00", 0.0},
      {"CDELT1  =  -8.3333299999999D-03", -8.3333299999999e-3},
      {"DATE    = '2008-10-22'", text("2008-10-22")},
      {"WEIRD   =  'leading blanks count, and a / is no comment'", text("leading blanks count, and a / is no comment")},
      {"FREE    = +0042/no blank before the comment", std::int64_t{42}},
      {"FREE    = 1.", 1.0},
      {"FREE    =   -.5e+1", -5.0},
      {"FREE    =  '  leading'", text("  leading")}};
  for (const auto& [line, value] : examples) {
    const CardValue read = read_value(card(line));
    EXPECT_EQ(read.value, value) << line;
    EXPECT_EQ(read.problem, "") << line;
  }
}

TEST(CardTest, WhatIsNoValueSaysWhy) {
  const std::pair<const char*, const char*> cards[] = {{"K       = 'open", "not closed"},
                                                       {"K       = 'a''", "not closed"},
                                                       {"K       = 'a' b", "more than a comment"},
                                                       {"K       = (1, 2)", "no logical, number, or text"},
                                                       {"K       = 300 s", "no logical, number, or text"},
                                                       {"K       = TRUE", "no logical, number, or text"},
                                                       {"K       = nan", "no logical, number, or text"},
                                                       {"K       = inf", "no logical, number, or text"},
                                                       {"K       = 0x10", "no logical, number, or text"},
                                                       {"K       = 1E", "no logical, number, or text"},
                                                       {"K       = +-1", "no logical, number, or text"},
                                                       {"K       = 1E999", "too large"},
                                                       {"K       = \xb5", "ASCII"},
                                                       {"K       = '\xb5Jy'", "ASCII"}};
  for (const auto& [line, reason] : cards) {
    EXPECT_FALSE(read_value(card(line)).readable()) << line;
    EXPECT_THAT(read_value(card(line)).problem, HasSubstr(reason)) << line;
  }
  for (const char* line : {"K       =", "K       = ", "K       = / a comment"}) {
    EXPECT_EQ(read_value(card(line)).value, std::nullopt);
    EXPECT_EQ(read_value(card(line)).problem, "");
  }
}

TEST(CardTest, ManyDigitsAreARealNumber) {
  EXPECT_EQ(read_value(card("K       =" + std::string(51, '3'))).value, KeywordValue(std::stod(std::string(51, '3'))));
  EXPECT_EQ(read_value(card("K       = 9223372036854775807")).value, KeywordValue(std::int64_t{9223372036854775807}));
  EXPECT_EQ(read_value(card("K       = 9223372036854775808")).value, KeywordValue(0x1p63));
  EXPECT_EQ(read_value(card("K       = 1.0E-999")).value, KeywordValue(0.0));
}

TEST(CardTest, OnlyStandardKeywordsHaveValues) {
  EXPECT_EQ(keyword_of(card("BSCALE  = 2.0")), "BSCALE");
  EXPECT_EQ(keyword_of(card("A_1-B   =2.0")), "A_1-B");
  for (const char* line :
       {"HIERARCH BSCALE = 2.0", "HIERARCH= 2.0", "COMMENT = 2.0", "HISTORY = 2.0", "CONTINUE= 'x'", "END     = 2.0",
        "        = 2.0", "bscale  = 2.0", "BSCALE    2.0", "B SCALE = 2.0", "BSCAL\xc9 = 2.0", "BSCALE", ""})
    EXPECT_EQ(keyword_of(card(line)), "") << line;
}

TEST(CardTest, WhatACardMeansThatIsNotAsTheStandardHasIt) {
  for (const char* line : {"bscale  = 2.0", "Bscale  = 2.0", "BSCALE= 2.0", "BSCALE=2.0", "BSCALE = 2.0",
                           "BSCALE   = 2.0", " BSCALE = 2.0", "BSCALE\t = 2.0", "BSCALE   \t= 2.0", "BSCALE    2.0",
                           "bscale=2.0", "BSCALE  : 2.0", "bscale =", "BSCALE"})
    EXPECT_EQ(meant_keyword(card(line)), "BSCALE") << line;
  for (const char* line :
       {"BSCALE  = 2.0", "BSCALE  =2.0", "BSCALE  =", "        BSCALE = 2.0", "COMMENT", "", "bscale 2",
        "HIERARCH BSCALE = 2.0", "COMMENT BSCALE= 2.0", "BSCALEFACTOR = 2.0", "the BSCALE = 2.0"})
    EXPECT_NE(meant_keyword(card(line)), "BSCALE") << line;
}

TEST(HeaderTest, FindsTheFirstCardAndAll) {
  const std::string cards = card("HIERARCH A = 9") + card("COMMENT A = 8") + card("A       = 1") + card("B       = 5") +
                            card("A       = 2") + card("U       =") + card("END") + card("C       = 3");
  const Header header(cards);
  EXPECT_EQ(header.find("A").value, KeywordValue(std::int64_t{1}));
  ASSERT_EQ(header.find_all("A").size(), 2u);
  EXPECT_EQ(header.find_all("A")[0].value, KeywordValue(std::int64_t{1}));
  EXPECT_EQ(header.find_all("A")[1].value, KeywordValue(std::int64_t{2}));
  EXPECT_EQ(header.find_all("C").size(), 0u);
  EXPECT_TRUE(header.has("U"));
  EXPECT_EQ(header.find("U").value, std::nullopt);
  for (const char* absent : {"C", "END", "AA", "", "HIERARCH", "COMMENT", "A        "})
    EXPECT_FALSE(header.has(absent));
  EXPECT_EQ(header.cards().size(), 7 * card_length);
  EXPECT_EQ(header.keywords(), (std::vector<std::string_view>{"A", "B", "A", "U"}));
  EXPECT_EQ(cards_to_end(cards), header.cards());
  EXPECT_EQ(cards_to_end(std::string_view(cards).substr(0, 500)), std::nullopt);
}

TEST(HeaderTest, ALongTextGoesOn) {
  const std::string cards = card("A       = 'one &'") + card("CONTINUE  'two&' / comment") + card("CONTINUE  '&'") +
                            card("CONTINUE  ' three'") + card("B       = 'alone &'") + card("C       = 'x&'") +
                            card("CONTINUE  no quote") + card("D       = 'last&'");
  const Header header(cards);
  EXPECT_EQ(header.text("A"), "one two three");
  EXPECT_EQ(header.text("B"), "alone &");
  EXPECT_THAT(header.find("C").problem, HasSubstr("continued"));
  EXPECT_EQ(header.text("D"), "last&");
  std::string endless = card("A       = '&'");
  for (int i = 0; i < 2000; ++i) endless += card("CONTINUE  '" + std::string(60, 'x') + "&'");
  EXPECT_THAT(Header(endless).find("A").problem, HasSubstr("65536"));
}

TEST(HeaderTest, TypedValues) {
  const std::string cards = card("L       = F") + card("I       = 7") + card("W       = -7.0D2") +
                            card("R       = 0.5") + card("Q       = ' 12'") + card("T       = 'x'") +
                            card("U       =") + card("S       = 3") + card("S       = 3.0") + card("E       = 4") +
                            card("E       =   4 / x");
  const Header header(cards);
  EXPECT_EQ(header.logical("L"), false);
  EXPECT_EQ(header.integer("I"), 7);
  EXPECT_EQ(header.integer("W"), -700);
  EXPECT_EQ(header.integer("Q"), 12);
  EXPECT_EQ(header.integer("E"), 4);
  EXPECT_EQ(header.real("I"), 7.0);
  EXPECT_EQ(header.real("R"), 0.5);
  EXPECT_EQ(header.real("Q"), 12.0);
  EXPECT_EQ(header.text("T"), "x");
  for (const char* none : {"U", "ABSENT"}) {
    EXPECT_EQ(header.logical(none), std::nullopt);
    EXPECT_EQ(header.integer(none), std::nullopt);
    EXPECT_EQ(header.real(none), std::nullopt);
    EXPECT_EQ(header.text(none), std::nullopt);
  }
}

template <class Read>
std::string refusal(Read read) {
  try {
    read();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "read";
}

TEST(HeaderTest, RefusesWhatIsOfAnotherTypeAndNamesTheCard) {
  const std::string cards = card("BLANK   = 'this text is longer than thirty characters'") + card("L       = T") +
                            card("R       = 1.5") + card("B       = 1E300") + card("N       = -1") +
                            card("X       = \xff") + card("D       = 1") + card("D       = 2") + card("P       = 1") +
                            card("P       = 'x");
  const Header header(cards, "HDU 0 of x.fits");
  EXPECT_THAT(refusal([&] { header.integer("BLANK"); }),
              HasSubstr("HDU 0 of x.fits: BLANK is not an integer of 64 bits: 'BLANK   = 'this text is longer"));
  EXPECT_THAT(refusal([&] { header.real("BLANK"); }), HasSubstr("is not a number"));
  EXPECT_THAT(refusal([&] { header.integer("L"); }), HasSubstr("is not an integer"));
  EXPECT_THAT(refusal([&] { header.integer("R"); }), HasSubstr("is not an integer"));
  EXPECT_THAT(refusal([&] { header.integer("B"); }), HasSubstr("is not an integer"));
  EXPECT_THAT(refusal([&] { header.text("L"); }), HasSubstr("is not a text"));
  EXPECT_THAT(refusal([&] { header.logical("N"); }), HasSubstr("is not T or F"));
  EXPECT_THAT(refusal([&] { header.integer("N", 0); }), HasSubstr("less than 0"));
  EXPECT_THAT(refusal([&] { header.integer("D", 0, 0); }), HasSubstr("more than once"));
  EXPECT_THAT(refusal([&] { header.integer("P"); }), HasSubstr("more than once"));
  EXPECT_THAT(refusal([&] { header.integer("X"); }), HasSubstr("ASCII: 'X       = ?'"));
  EXPECT_EQ(header.integer("N", -1, -1), -1);
}

TEST(HeaderTest, AnyBytesAreAHeader) {
  std::mt19937 random(5);
  const std::string seeds = card("A       = 'one &'") + card("CONTINUE  'two'") + card("B       =      1.5D-3 / c") +
                            card("HIERARCH X = 4") + card("C       = T") + card("END");
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string cards = seeds.substr(0, random() % seeds.size());
    for (int n = 0; n < 6 && !cards.empty(); ++n) cards[random() % cards.size()] = static_cast<char>(random());
    const Header header(cards);
    for (const std::string_view keyword : header.keywords()) {
      EXPECT_TRUE(header.has(keyword));
      const CardValue found = header.find(keyword);
      read += found.readable();
      EXPECT_TRUE(found.value || !found.problem.empty() || header.find(keyword).value == std::nullopt);
    }
  }
  EXPECT_GT(read, 1000);
}

/// Prints what astropy.io.fits makes of each card that it finds valid: type and value.
constexpr const char* read_with_astropy = R"(
import sys
from astropy.io import fits
for line in open(sys.argv[1], encoding='latin-1'):
    try: value = fits.Card.fromstring(line.rstrip('\n').ljust(80)).value
    except Exception: value = fits.card.UNDEFINED
    if isinstance(value, fits.card.Undefined): print('read none')
    elif isinstance(value, str): print('read text', value)
    elif isinstance(value, bool): print('read logical', int(value))
    elif isinstance(value, int) and abs(value) < 2**63: print('read integer', value)
    elif isinstance(value, (int, float)): print('read real', repr(float(value)))
    else: print('read none')
)";

std::string said(const CardValue& read) {
  if (!read.readable()) return "none";
  if (const auto* logical = std::get_if<bool>(&*read.value)) return std::string("logical ") + (*logical ? "1" : "0");
  if (const auto* whole = std::get_if<std::int64_t>(&*read.value)) return "integer " + std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&*read.value)) return "real " + shortest(*real);
  return "text " + std::get<std::string>(*read.value);
}

TEST(CardTest, AstropyReadsTheSame) {
  SRCEXTRACT_NEEDS_PEER(testing::have_astropy(), "no astropy");
  std::vector<std::string> fields = {"T",
                                     "F",
                                     "TRUE",
                                     "3",
                                     "-3",
                                     "+3",
                                     "007",
                                     "3.",
                                     ".5",
                                     "-.5",
                                     "1e5",
                                     "1D5",
                                     "1.5d-3",
                                     "1E+05",
                                     "3 / c",
                                     "3/c",
                                     "'a'",
                                     "'a''b'",
                                     "'a' b",
                                     "'a' / b",
                                     "'a'/b",
                                     "'/'",
                                     "'  a '",
                                     "'a",
                                     "",
                                     "/ c",
                                     "3 s",
                                     "1 000",
                                     "nan",
                                     "inf",
                                     "0x10",
                                     "1E",
                                     "E5",
                                     "1.2.3",
                                     "--3",
                                     "(1,2)",
                                     "''''",
                                     "'a'''",
                                     "1.5E-400",
                                     "12345678901234567890",
                                     "0.1",
                                     "2.2250738585072014E-308",
                                     "1.7976931348623157E308"};
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string number = std::to_string(random()) + (i % 2 ? "." + std::to_string(random()) : "");
    fields.push_back((i % 3 ? "-" : "") + number +
                     (i % 5 ? "E" + std::to_string(static_cast<int>(random() % 40) - 20) : ""));
  }
  const testing::TemporaryFolder folder;
  std::ofstream list(folder / "cards");
  for (const std::string& field : fields) list << "K       = " << field << '\n';
  list.close();
  const auto [status, output] = testing::run_python(folder, read_with_astropy, folder / "cards");
  ASSERT_EQ(status, 0) << output;
  std::istringstream lines(output);
  for (const std::string& field : fields) {
    std::string line;
    do {
      ASSERT_TRUE(std::getline(lines, line)) << output;
    } while (!line.starts_with("read "));
    const CardValue read = read_value(card("K       = " + field));
    std::string expected = line.substr(5);
    if (expected.starts_with("real ")) expected = "real " + shortest(std::stod(expected.substr(5)));
    EXPECT_EQ(said(read), expected) << field;
  }
}

}  // namespace
}  // namespace srcextract
