#include "survey/journal/image_record.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "tests/support/rounds.hpp"
#include "tests/survey/journal/records.hpp"

namespace srcextract {
namespace {

using testing::done_record;
using testing::failed_record;
using testing::of_hdu;

TEST(ImageRecordTest, IsCalledByItsFileAndItsHdu) {
  EXPECT_EQ(image_label(done_record("night1/a.fits")), "night1/a.fits");
  EXPECT_EQ(image_label(of_hdu(done_record("night1/a.fits"), 2, 3)), "night1/a.fits[2]");
}

TEST(ImageRecordTest, WhatWasDoneIsALine) {
  ImageRecord record = of_hdu(done_record("n/a.fits"), 2, 3);
  record.outputs = {{"n/a.hdu2.cat.fits", 8640}, {"n/a.hdu2.run.json", 2000}};
  const std::string line =
      R"({"image":"n/a.fits","hdu":2,"images":3,"path":"/data/n/a.fits","bytes":2880,)"
      R"("modified":1700000000123456789,"config":"c1","program":"1.0","datasum":4294967295,"size":[64,32],)"
      R"("sources":7,"background":0.1,"sigma":2.5,)"
      R"("outputs":{"n/a.hdu2.cat.fits":8640,"n/a.hdu2.run.json":2000}})";
  EXPECT_EQ(format_record(record), line);
  EXPECT_EQ(parse_record(line), record);
}

TEST(ImageRecordTest, TheChecksumOfTheCatalogueFollowsTheOutputs) {
  ImageRecord record = done_record("a.fits");
  record.outputs = {{"a.cat.fits", 8640}};
  record.catalog_crc32 = 4294967295u;
  const std::string line = format_record(record);
  EXPECT_TRUE(line.ends_with(R"("outputs":{"a.cat.fits":8640},"crc32":4294967295})")) << line;
  EXPECT_EQ(parse_record(line), record);
}

TEST(ImageRecordTest, NumbersThatAreNoneOfTheirKindMakeNoRecord) {
  ImageRecord record = of_hdu(done_record("a.fits"), 2, 3);
  record.outputs = {{"a.cat.fits", 8640}};
  const std::string line = format_record(record);
  for (const std::string number : {"\"bytes\":2880", "\"hdu\":2", "\"images\":3", "\"datasum\":4294967295", "[64",
                                   "32]", "\"sources\":7", "a.cat.fits\":8640"}) {
    const std::size_t end = line.find(number) + number.find_last_of("0123456789") + 1;
    const std::size_t begin = line.find_last_not_of("0123456789", end - 1) + 1;
    for (const char* other :
         {"1e300", "-1e300", "1.5", "99999999999999999999", "18446744073709551615", "true", "null"}) {
      const std::string changed = line.substr(0, begin) + other + line.substr(end);
      EXPECT_FALSE(parse_record(changed)) << changed;
    }
  }
}

/// The line of an image of three that was done, with `after` in place of `before`.
std::string changed_line(const std::string& before, const std::string& after) {
  ImageRecord record = of_hdu(done_record("n/a.fits"), 2, 3);
  record.outputs = {{"n/a.cat.fits", 8640}};
  std::string line = format_record(record);
  const std::size_t at = line.find(before);
  if (at == line.npos) throw std::runtime_error(line + " has no " + before);
  return line.replace(at, before.size(), after);
}

TEST(ImageRecordTest, OutputsLieBelowTheDirectory) {
  for (const char* path :
       {"/n/a.cat.fits", "../a.cat.fits", "n/../../a.cat.fits", "n/..", "..", "", "n\\u000000.cat.fits"}) {
    const std::string line = changed_line("n/a.cat.fits", path);
    EXPECT_FALSE(parse_record(line)) << line;
  }
  for (const char* path : {"a.cat.fits", "..n/a...cat.fits", ".../a.cat.fits", "n../a.cat.fits", "n/..a.cat.fits"})
    EXPECT_TRUE(parse_record(changed_line("n/a.cat.fits", path))) << path;
}

TEST(ImageRecordTest, ValuesThatNoImageHasMakeNoRecord) {
  const std::pair<const char*, const char*> changes[] = {{"\"images\":3", "\"images\":-3"},
                                                         {"\"hdu\":2", "\"hdu\":-1"},
                                                         {"\"bytes\":2880", "\"bytes\":-1"},
                                                         {"[64", "[-64"},
                                                         {"32]", "-32]"},
                                                         {"\"sources\":7", "\"sources\":-7"},
                                                         {"fits\":8640", "fits\":-1"},
                                                         {"\"sigma\":2.5", "\"sigma\":\"nanx\""},
                                                         {"\"sigma\":2.5", "\"sigma\":\"2.5\""},
                                                         {"\"sigma\":2.5", "\"sigma\":\"\""},
                                                         {"\"background\":0.1", "\"background\":\"infinity\""},
                                                         {"\"n/a.fits\"", "\"\""},
                                                         {"\"c1\"", "\"\""}};
  for (const auto& [before, after] : changes) {
    const std::string line = changed_line(before, after);
    EXPECT_FALSE(parse_record(line)) << line;
  }
  EXPECT_TRUE(parse_record(changed_line("\"hdu\":2", "\"hdu\":0")));
}

TEST(ImageRecordTest, WhatFailedIsALine) {
  const ImageRecord record = failed_record("a.fits", "it is \"empty\",\nor was");
  const std::string line =
      R"({"image":"a.fits","path":"/data/a.fits","bytes":2880,"modified":1700000000123456789,"config":"c1",)"
      R"("program":"1.0","failed":"input","reason":"it is \"empty\",\nor was"})";
  EXPECT_EQ(format_record(record), line);
  EXPECT_EQ(parse_record(line), record);
}

TEST(ImageRecordTest, TextThatIsUtf8StandsAsItIs) {
  ImageRecord record = done_record("caf\u00e9 \u03b1\u00a0\U0001f52d.fits");
  EXPECT_NE(format_record(record).find("\"image\":\"caf\u00e9 \u03b1\u00a0\U0001f52d.fits\""), std::string::npos);
  EXPECT_EQ(parse_record(format_record(record)), record);
}

TEST(ImageRecordTest, BytesThatAreNotComeBack) {
  ImageRecord record = done_record("caf\xe9.fits");
  record.outputs = {{"caf\xe9.cat.fits", 1}};
  const std::string line = format_record(record);
  EXPECT_NE(line.find(R"("image":"caf\u0000e9.fits")"), std::string::npos) << line;
  EXPECT_EQ(parse_record(line), record);
}

TEST(ImageRecordTest, AnyBytesComeBack) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> byte(0, 255), length(0, 12);
  for (int i = 0; i < testing::share(20000); ++i) {
    std::string text(static_cast<std::size_t>(length(random)), ' ');
    for (char& c : text) c = static_cast<char>(byte(random));
    ImageRecord record = failed_record("n" + text, text + "e\xcc\x81");
    record.path = "\xff" + text;
    const std::string line = format_record(record);
    ASSERT_EQ(parse_record(line), record) << line;
    ASSERT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(ImageRecordTest, NumbersComeBackToTheSameBits) {
  using Limits = std::numeric_limits<double>;
  std::vector<double> values = {0.0,
                                -0.0,
                                1.0 / 3,
                                Limits::max(),
                                Limits::min(),
                                Limits::denorm_min(),
                                -Limits::infinity(),
                                Limits::infinity(),
                                Limits::quiet_NaN(),
                                -Limits::quiet_NaN()};
  std::mt19937_64 random(2);
  while (std::ssize(values) < testing::share(20000)) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isnan(value)) values.push_back(value);
  }
  for (const double value : values) {
    ImageRecord record = done_record("a");
    record.background = record.sigma = value;
    const auto read = parse_record(format_record(record));
    ASSERT_TRUE(read) << value;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read->background), std::bit_cast<std::uint64_t>(value));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(read->sigma), std::bit_cast<std::uint64_t>(value));
  }
}

TEST(ImageRecordTest, OfALongReasonTheBeginningIsKept) {
  EXPECT_EQ(shortened(std::string(most_reason_bytes, 'x')), std::string(most_reason_bytes, 'x'));
  EXPECT_EQ(shortened(std::string(most_reason_bytes + 1, 'x')), std::string(most_reason_bytes - 3, 'x') + "...");
  for (const std::string character : {"x", "\u00e9", "\u03b1", "\u20ac", "\U0001f52d"}) {
    for (const std::string begin : {"", "1", "12", "123"}) {
      std::string reason = begin;
      while (reason.size() < 2 * most_reason_bytes) reason += character;
      const std::string cut = shortened(reason);
      EXPECT_LE(cut.size(), most_reason_bytes);
      EXPECT_GT(cut.size(), most_reason_bytes - character.size());
      EXPECT_TRUE(cut.ends_with("...") && reason.starts_with(cut.substr(0, cut.size() - 3))) << cut;
      EXPECT_EQ((cut.size() - 3 - begin.size()) % character.size(), 0u) << cut;
    }
  }
  EXPECT_LE(shortened(std::string(5000, '\xbf')).size(), most_reason_bytes);
}

TEST(ImageRecordTest, AReasonOfMegabytesIsReadShortened) {
  ImageRecord record = failed_record("a.fits", std::string(3'500'000, 'x'));
  const std::optional<ImageRecord> read = parse_record(format_record(record));
  record.reason = std::string(most_reason_bytes - 3, 'x') + "...";
  EXPECT_EQ(read, record);
}

TEST(ImageRecordTest, WhatIsNoRecordIsNone) {
  for (const ImageRecord& record : {done_record("a.fits"), failed_record("a.fits", "why")}) {
    const std::string line = format_record(record);
    for (std::size_t length = 0; length < line.size(); ++length)
      EXPECT_FALSE(parse_record(line.substr(0, length))) << length;
  }
  for (const char* line : {"{}", "[]", "7", "{\"image\":7}", "\xff", R"({"image":"a.fits","failed":"input"})"})
    EXPECT_FALSE(parse_record(line)) << line;
}

}  // namespace
}  // namespace srcextract
