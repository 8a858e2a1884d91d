#include "io/tiles/plio.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

// CFITSIO has these for itself, and exports them.
extern "C" {
int pl_p2li(int* pxsrc, int xs, short* lldst, int npix);
int pl_l2pi(short* ll_src, int xs, int* px_dst, int npix);
}

namespace srcextract::testing {
namespace {

using Bytes = std::vector<std::byte>;
using Integers = std::vector<std::int32_t>;

Bytes bytes_of(const std::vector<int>& words) {
  Bytes bytes;
  for (int word : words) {
    bytes.push_back(static_cast<std::byte>(word >> 8));
    bytes.push_back(static_cast<std::byte>(word));
  }
  return bytes;
}

/// A list with the head that IRAF writes: of 7 words, the length in the fourth and fifth.
Bytes list(std::vector<int> instructions) {
  std::vector<int> words{0, 7, -100, 7 + static_cast<int>(instructions.size()), 0, 0, 0};
  words.insert(words.end(), instructions.begin(), instructions.end());
  return bytes_of(words);
}

Integers decoded(const Bytes& stream, std::size_t pixels) {
  Integers out(pixels, -1);
  EXPECT_TRUE(decode_plio(stream, out));
  return out;
}

bool refused(const Bytes& stream, std::size_t pixels) {
  Integers out(pixels);
  return !decode_plio(stream, out);
}

// CFITSIO writes zeros at the end of a list as well: as IRAF has it no list is shorter than that of an empty tile.
TEST(Plio, ListsOfZerosAreNotTakenForTooShort) {
  for (const int pixels : {1, 4094, 4095, 4096, 30000, 1 << 20}) {
    std::vector<int> zeros(static_cast<std::size_t>(pixels), 0);
    std::vector<short> words(1000);
    const int count = pl_p2li(zeros.data(), 1, words.data(), pixels);
    const Bytes stream = bytes_of({words.begin(), words.begin() + count});
    EXPECT_TRUE(can_be_plio(stream, pixels)) << pixels;
    EXPECT_EQ(decoded(stream, zeros.size()), Integers(zeros.begin(), zeros.end()));
  }
  EXPECT_FALSE(can_be_plio(list({}), 64'000'000));
  EXPECT_FALSE(can_be_plio({}, 4095));
}

// The table of instructions in FITS Standard 4.0, 10.4.3: ZN 0, SH 1, IH 2, DH 3, HN 4, PN 5, IS 6, DS 7.
TEST(Plio, EveryInstruction) {
  EXPECT_EQ(decoded(list({0x0002, 0x4001}), 3), (Integers{0, 0, 1}));
  EXPECT_EQ(decoded(list({0x1005, 0x0001, 0x4002}), 2), (Integers{4101, 4101}));
  EXPECT_EQ(decoded(list({0x2009, 0x4001, 0x3004, 0x4001}), 2), (Integers{10, 6}));
  EXPECT_EQ(decoded(list({0x5003, 0x6002, 0x7001}), 5), (Integers{0, 0, 1, 3, 2}));
  EXPECT_EQ(decoded(list({0x4001}), 4), (Integers{1, 0, 0, 0})) << "zeros behind the list";
  EXPECT_EQ(decoded(bytes_of({0, 0, 4, 0x4002}), 2), (Integers{1, 1})) << "the head of the first files";
}

TEST(Plio, ListsThatCannotBe) {
  EXPECT_TRUE(refused({}, 2));
  EXPECT_TRUE(refused(list({0x4003}), 2)) << "more pixels than the tile";
  EXPECT_TRUE(refused(list({0x6000, 0x6000, 0x6000}), 2));
  EXPECT_TRUE(refused(list({0x1005}), 2)) << "ends within an instruction";
  EXPECT_TRUE(refused(list({0x5000}), 2)) << "the last of no pixels";
  EXPECT_TRUE(refused(list({0x8001}), 2)) << "no instruction";
  Bytes cut = list({0x4002});
  cut.pop_back();
  EXPECT_TRUE(refused(cut, 2)) << "longer than the stream";
  EXPECT_TRUE(refused(bytes_of({0, 2, -100, 7, 0, 0, 0}), 2)) << "a head of two words";
}

TEST(Plio, AsCfitsio) {
  std::mt19937 random(1);
  for (int image = 0; image < 400; ++image) {
    Integers pixels(1 + random() % 300);
    const std::uint32_t range = 1u << random() % 24;
    for (std::size_t i = 0; i < pixels.size(); ++i)
      pixels[i] = i > 0 && random() % 3 != 0 ? pixels[i - 1] : random() % 2 ? 0 : static_cast<int>(random() % range);
    std::vector<short> words(pixels.size() * 4 + 100);
    Integers source = pixels;
    const int count = pl_p2li(source.data(), 1, words.data(), static_cast<int>(pixels.size()));
    const Bytes stream = bytes_of({words.begin(), words.begin() + count});
    Integers peers(pixels.size());
    pl_l2pi(words.data(), 1, peers.data(), static_cast<int>(pixels.size()));
    ASSERT_EQ(decoded(stream, pixels.size()), peers);
    ASSERT_EQ(peers, pixels);
  }
}

TEST(Plio, DamagedLists) {
  std::mt19937 random(2);
  int good = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<int> words(1 + random() % 20);
    for (int& word : words) word = static_cast<int>(random() % 0x8200);
    const Bytes stream = list(words);
    Integers first(5000, 1), second(5000, 2);
    const bool is_good = decode_plio(stream, first);
    ASSERT_EQ(decode_plio(stream, second), is_good);
    if (is_good) {
      ASSERT_EQ(first, second);
    }
    good += is_good;
  }
  EXPECT_GT(good, 100);
  EXPECT_LT(good, 19000);
}

}  // namespace
}  // namespace srcextract::testing
