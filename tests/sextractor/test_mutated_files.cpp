#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sextractor/request_support.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract::testing {
namespace {

using namespace std::string_view_literals;

constexpr const char* sex =
    "# a configuration\nDETECT_THRESH 1.5,25   # sigma\nANALYSIS_THRESH 1.5\nTHRESH_TYPE RELATIVE\nFILTER "
    "Y\nFILTER_NAME "
    "x.conv\nWEIGHT_TYPE MAP_RMS,MAP_WEIGHT\nWEIGHT_IMAGE a.fits, b.fits\nWEIGHT_THRESH\nBACK_SIZE 64,32\nBACK_TYPE "
    "MANUAL\nBACK_VALUE 10\nPHOT_APERTURES 3,5 9\nPHOT_AUTOPARAMS 2.5, 3.5\nSTARNNW_NAME x.nnw\nPARAMETERS_NAME "
    "x.param\nCHECKIMAGE_TYPE -BACKGROUND,SEGMENTATION\nDEBLEND_NTHRESH 32\nGAIN_KEY GAIN\nCATALOG_TYPE ASCII_HEAD\n";
constexpr const char* param =
    "NUMBER  # a number\nX_IMAGE_DBL\nFLUX_APER(3)\nVIGNET(5,5)\n#MAG_PSF\nCLASS_STAR\nFLUX_BEST\n";
constexpr const char* conv = "CONV NORM\n# 3x3\n1 2 1\n2 4 2\n1 2 1\n";

constexpr std::array<const char*, 4> names = {"x.sex", "x.param", "x.conv", "x.nnw"};

using Random = std::mt19937;

std::size_t below(std::size_t n, Random& random) {
  return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
}

/// A piece of a text begins and ends at blanks or lines' ends.
struct Piece {
  std::size_t begin, length;
};

std::vector<Piece> pieces(const std::string& text, std::string_view between) {
  std::vector<Piece> found;
  for (std::size_t begin = 0; (begin = text.find_first_not_of(between, begin)) != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(between, begin), text.size());
    found.push_back({begin, end - begin});
    begin = end;
  }
  return found;
}

/// One of two pieces of a text takes the place of the other, or they change places.
void exchange(std::string& text, std::string_view between, bool both, Random& random) {
  const std::vector<Piece> found = pieces(text, between);
  if (found.size() < 2) return;
  const std::size_t i = below(found.size() - 1, random);
  const Piece first = found[i], second = found[i + 1 + below(found.size() - i - 1, random)];
  const std::string one = text.substr(first.begin, first.length), other = text.substr(second.begin, second.length);
  if (both) text.replace(second.begin, second.length, one);
  text.replace(first.begin, first.length, other);
}

/// A value becomes one that nothing has room for, or that is no value.
void exaggerate(std::string& text, Random& random) {
  static const std::vector<std::string> odd = {"1e400",
                                               "-1e400",
                                               "1e-400",
                                               "99999999999999999999",
                                               "-2147483649",
                                               "nan",
                                               "inf",
                                               "0x10",
                                               "1.5.5",
                                               "-0",
                                               "1e",
                                               "+-3",
                                               "$",
                                               "${",
                                               "${HOME",
                                               "(-1)",
                                               "(0,)",
                                               "()",
                                               std::string(5000, '9'),
                                               std::string(70000, 'x'),
                                               "\"\"",
                                               "''",
                                               "#",
                                               std::string(300, ','),
                                               std::string(3000, '(')};
  const std::vector<Piece> found = pieces(text, " \n\t,");
  if (found.empty()) return;
  const Piece piece = found[below(found.size(), random)];
  text.replace(piece.begin, piece.length, odd[below(odd.size(), random)]);
}

/// A line is doubled, a thousand times over, or left out.
void repeat_line(std::string& text, Random& random) {
  const std::vector<Piece> lines = pieces(text, "\n");
  if (lines.empty()) return;
  const Piece line = lines[below(lines.size(), random)];
  const std::string one = text.substr(line.begin, line.length);
  constexpr std::size_t times[] = {0, 2, 1000};
  std::string many;
  for (std::size_t left = times[below(3, random)]; left > 0; --left) many += one + (left > 1 ? "\n" : "");
  text.replace(line.begin, line.length, many);
}

/// The text as another program would have saved it.
void encode(std::string& text, Random& random) {
  std::string other;
  switch (below(4, random)) {
    case 0:
      other = "\xef\xbb\xbf" + text;
      break;
    case 1:
      for (const char c : text) other += c == '\n' ? "\r\n" : std::string(1, c);
      break;
    case 2:
      for (const char c : text) other += c == '\n' ? "\r" : std::string(1, c);
      break;
    default:
      other = "\xff\xfe";
      for (const char c : text) other += std::string{c, '\0'};
  }
  text = other;
}

/// Bytes, values, lines or the whole of a text are changed, doubled, exchanged or taken away.
std::string mutated(std::string text, Random& random) {
  constexpr std::string_view odd = "#$,;=\"'(){}[]:- \t\n\r0159.eENYx_/\\%&*!?\x01\x7f\x80\xe4\xff\0"sv;
  const auto odd_byte = [&] { return odd[below(odd.size(), random)]; };
  for (std::size_t changes = 1 + below(4, random); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = below(text.size(), random);
    const std::size_t length = std::min(text.size() - at, 1 + below(20, random));
    switch (below(11, random)) {
      case 0:
        text[at] = odd_byte();
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1 << below(8, random)));
        break;
      case 2:
        text.insert(at, 1, odd_byte());
        break;
      case 3:
        text.erase(at, length);
        break;
      case 4:
        text.insert(below(text.size(), random), text.substr(at, length));
        break;
      case 5:
        text.resize(at);
        break;
      case 6:
        exchange(text, "\n", true, random);
        break;
      case 7:
        exchange(text, " \n\t,", below(2, random) == 0, random);
        break;
      case 8:
        exaggerate(text, random);
        break;
      case 9:
        repeat_line(text, random);
        break;
      default:
        encode(text, random);
    }
  }
  return text;
}

/// Whether a message begins with one of the files, and a line unless it is about the file as a whole.
bool has_place(const std::string& message, const TemporaryFolder& folder) {
  for (const char* name : names) {  // one may be named in the place of another
    const std::string path = folder / name;
    if (!message.starts_with(path + ":")) continue;
    const char next = message[path.size() + 1];
    return std::isdigit(static_cast<unsigned char>(next)) != 0 || next == ' ';
  }
  return false;
}

/// One of the four files is mutated, the others are as they should be.
class SextractorFiles : public ::testing::TestWithParam<std::size_t> {};

TEST_P(SextractorFiles, MutatedOnesAreReadOrAnsweredWithAPlace) {
  const TemporaryFolder folder;
  const std::array<std::string, 4> texts = {sex, param, conv, network_text()};
  for (std::size_t i = 0; i < names.size(); ++i) folder.write(names[i], texts[i]);
  const std::size_t which = GetParam();
  const int files = sanitized ? rounds(1000) : 2500;
  Random random(18 + static_cast<unsigned>(which));
  int read = 0, refused = 0;
  for (int round = 0; round < files && !::testing::Test::HasFailure(); ++round) {
    const std::string text = mutated(texts[which], random);
    folder.write(names[which], text);
    try {
      const sextractor::Request request = sextractor::read_request(folder / "x.sex", "");
      parse_config(sextractor::as_yaml(request, sextractor::translate(request)), "converted.yaml");
      ++read;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::config) << text;
      EXPECT_TRUE(has_place(error.what(), folder)) << error.what() << '\n' << text;
      ++refused;
    }
  }
  EXPECT_GT(read, files / 100);
  EXPECT_GT(refused, files / 10);
}

INSTANTIATE_TEST_SUITE_P(EveryFile, SextractorFiles, ::testing::Range(std::size_t{0}, names.size()));

}  // namespace
}  // namespace srcextract::testing
