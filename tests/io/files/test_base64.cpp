#include "io/files/base64.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace srcextract {
namespace {

struct Decoded {
  bool valid, complete;
  std::string bytes;
};

/// In pieces of at most so many characters.
Decoded decode(std::string_view text, std::size_t piece) {
  Base64Decoder decoder;
  std::vector<std::byte> out;
  for (std::size_t i = 0; i < text.size(); i += piece) {
    if (!decoder.decode(text.substr(i, piece), out)) return {false, false, ""};
  }
  return {true, decoder.complete(), {reinterpret_cast<const char*>(out.data()), out.size()}};
}

TEST(Base64Test, DecodesTheVectorsOfRfc4648HoweverTheyAreCut) {
  const std::vector<std::pair<std::string, std::string>> vectors = {{"", ""},
                                                                    {"Zg==", "f"},
                                                                    {"Zm8=", "fo"},
                                                                    {"Zm9v", "foo"},
                                                                    {"Zm9vYg==", "foob"},
                                                                    {"Zm9vYmE=", "fooba"},
                                                                    {"Zm9vYmFy", "foobar"},
                                                                    {" Zm9v\r\n\tYm Fy\n", "foobar"},
                                                                    {"+/+/", "\xfb\xff\xbf"}};
  for (const auto& [text, bytes] : vectors) {
    for (const std::size_t piece : {1, 2, 3, 4, 5, 7, 100}) {
      const Decoded decoded = decode(text, piece);
      EXPECT_TRUE(decoded.valid && decoded.complete) << text << " in pieces of " << piece;
      EXPECT_EQ(decoded.bytes, bytes) << text << " in pieces of " << piece;
    }
  }
}

TEST(Base64Test, RefusesWhatIsNoBase64HoweverItIsCut) {
  for (const std::string text :
       {"Zm9v!", "Zm-v", "Zm9\xc3\xa9", "Zm9vYg==Zm9v", "Zg=a", "=Zg=", "Z===", "Zg===", "Zm9v="}) {
    for (const std::size_t piece : {1, 3, 100}) EXPECT_FALSE(decode(text, piece).valid) << text << " in " << piece;
  }
}

TEST(Base64Test, KnowsThatAGroupIsNotComplete) {
  for (const std::string text : {"Z", "Zg", "Zg=", "Zm9vY", "Zm9vYmE"}) {
    const Decoded decoded = decode(text, 100);
    EXPECT_TRUE(decoded.valid && !decoded.complete) << text;
  }
}

std::string encode(std::string_view bytes, std::size_t piece) {
  Base64Encoder encoder;
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += piece) {
    const std::string_view some = bytes.substr(i, piece);
    encoder.encode(std::as_bytes(std::span(some.data(), some.size())), out);
  }
  encoder.finish(out);
  return out;
}

TEST(Base64Test, EncodesTheVectorsOfRfc4648HoweverTheyAreCut) {
  for (const auto& [bytes, text] :
       {std::pair("", ""), std::pair("f", "Zg==\n"), std::pair("fo", "Zm8=\n"), std::pair("foo", "Zm9v\n"),
        std::pair("foob", "Zm9vYg==\n"), std::pair("fooba", "Zm9vYmE=\n"), std::pair("foobar", "Zm9vYmFy\n"),
        std::pair("\xfb\xff\xbf", "+/+/\n")}) {
    for (const std::size_t piece : {1, 2, 3, 4, 5, 7, 100}) EXPECT_EQ(encode(bytes, piece), text) << piece;
  }
}

TEST(Base64Test, LinesOf76CharactersDecodeToWhatWasEncoded) {
  for (std::size_t size = 50; size < 120; ++size) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(37 * i * i + size);
    const std::string whole = encode(bytes, 1000);
    for (const std::size_t piece : {1, 2, 5, 57, 58}) EXPECT_EQ(encode(bytes, piece), whole) << size;
    const Decoded decoded = decode(whole, 9);
    EXPECT_TRUE(decoded.valid && decoded.complete);
    EXPECT_EQ(decoded.bytes, bytes);
    std::istringstream lines(whole);
    std::string line;
    for (std::size_t left = (size + 2) / 3 * 4; left > 0; left -= line.size()) {
      ASSERT_TRUE(std::getline(lines, line));
      EXPECT_EQ(line.size(), std::min<std::size_t>(left, 76)) << size;
      ASSERT_FALSE(line.empty());
    }
    EXPECT_FALSE(std::getline(lines, line)) << size;
  }
}

}  // namespace
}  // namespace srcextract
