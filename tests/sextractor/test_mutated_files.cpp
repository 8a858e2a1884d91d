#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "tests/sextractor/request_support.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract::testing {
namespace {

constexpr const char* sex =
    "# a configuration\nDETECT_THRESH 1.5,25   # sigma\nANALYSIS_THRESH 1.5\nTHRESH_TYPE RELATIVE\nFILTER "
    "Y\nFILTER_NAME "
    "x.conv\nWEIGHT_TYPE MAP_RMS,MAP_WEIGHT\nWEIGHT_IMAGE a.fits, b.fits\nWEIGHT_THRESH\nBACK_SIZE 64,32\nBACK_TYPE "
    "MANUAL\nBACK_VALUE 10\nPHOT_APERTURES 3,5 9\nPHOT_AUTOPARAMS 2.5, 3.5\nSTARNNW_NAME x.nnw\nPARAMETERS_NAME "
    "x.param\nCHECKIMAGE_TYPE -BACKGROUND,SEGMENTATION\nDEBLEND_NTHRESH 32\nGAIN_KEY GAIN\nCATALOG_TYPE ASCII_HEAD\n";
constexpr const char* param =
    "NUMBER  # a number\nX_IMAGE_DBL\nFLUX_APER(3)\nVIGNET(5,5)\n#MAG_PSF\nCLASS_STAR\nFLUX_BEST\n";
constexpr const char* conv = "CONV NORM\n# 3x3\n1 2 1\n2 4 2\n1 2 1\n";

/// A byte, a line or a piece of a text is changed, doubled or taken away.
std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  constexpr std::string_view odd = "#$,;=\"'(){}[]:- \t\n\r0159.eENYx_/\\%&*!?\x01\x7f\xff";
  for (std::size_t changes = 1 + below(4); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = below(text.size());
    const std::size_t length = std::min(text.size() - at, 1 + below(20));
    switch (below(5)) {
      case 0:
        text[at] = odd[below(odd.size())];
        break;
      case 1:
        text.insert(at, 1, odd[below(odd.size())]);
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(below(text.size()), text.substr(at, length));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

/// Whether a message begins with one of the files, and a line unless it is about the file as a whole.
bool has_place(const std::string& message, const TemporaryFolder& folder) {
  for (const char* name : {"x.sex", "x.param"}) {
    const std::string path = folder / name;
    if (!message.starts_with(path + ":")) continue;
    const char next = message[path.size() + 1];
    return std::isdigit(static_cast<unsigned char>(next)) != 0 || next == ' ';
  }
  return false;
}

TEST(SextractorFiles, MutatedFilesAreReadOrAnsweredWithAPlace) {
  const TemporaryFolder folder;
  const std::array<std::string, 4> names = {"x.sex", "x.param", "x.conv", "x.nnw"};
  const std::array<std::string, 4> texts = {sex, param, conv, network_text()};
  for (std::size_t i = 0; i < names.size(); ++i) folder.write(names[i], texts[i]);
  std::mt19937 random(18);
  int read = 0, refused = 0;
  for (std::size_t which = 0; which < names.size(); ++which) {
    for (int round = 0; round < rounds(2500) && !::testing::Test::HasFailure(); ++round) {
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
    folder.write(names[which], texts[which]);
  }
  EXPECT_GT(read, 10);
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace srcextract::testing
