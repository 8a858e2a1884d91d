#include "io/files/base64.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
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

}  // namespace
}  // namespace srcextract
