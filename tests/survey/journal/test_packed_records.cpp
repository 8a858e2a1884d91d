#include "survey/journal/packed_records.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/survey/journal/records.hpp"

namespace srcextract {
namespace {

using testing::done_record;
using testing::failed_record;
using testing::of_hdu;

std::vector<ImageRecord> unlike_records() {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<ImageRecord> records;
  records.push_back(done_record("night1/a.fits"));
  records.back().outputs = {{"night1/a.cat.fits", 8640}, {"night1/a.run.json", 0}, {"elsewhere", most}, {"n", 1}};
  records.back().catalog_crc32 = 0;
  records.push_back(of_hdu(done_record("m.fits"), 0, 3));
  records.push_back(of_hdu(failed_record("m.fits", "why"), std::numeric_limits<int>::max(), 3));
  records.push_back(failed_record("", ""));
  records.push_back(failed_record(std::string("caf\xe9\0.fits", 10), std::string(100'000, 'r')));
  records.push_back(done_record(std::string(3'000'000, 'n')));  // longer than what is allotted at a time
  records.push_back(ImageRecord{});
  ImageRecord extreme = done_record("x");
  extreme.path = "x";
  extreme.bytes = extreme.width = extreme.height = extreme.sources = most;
  extreme.modified = std::numeric_limits<std::int64_t>::min();
  extreme.background = -std::numeric_limits<double>::infinity();
  extreme.sigma = std::numeric_limits<double>::denorm_min();
  records.push_back(extreme);
  extreme.path = "/no/slash/at/the/end/of x";
  records.push_back(extreme);
  extreme.path = "";
  records.push_back(extreme);
  extreme.background = 0.1F;
  extreme.sigma = 0.1;
  records.push_back(extreme);
  extreme.sigma = std::numeric_limits<float>::denorm_min();
  records.push_back(extreme);
  return records;
}

TEST(PackedRecords, GivesBackWhatItTook) {
  PackedRecords packed;
  const std::vector<ImageRecord> records = unlike_records();
  std::vector<PackedRecords::Place> places;
  for (const ImageRecord& record : records) places.push_back(packed.add(record));
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(packed.at(places[i]), records[i]) << i;
    EXPECT_EQ(packed.name_at(places[i]), records[i].name);
    EXPECT_EQ(packed.hdu_at(places[i]), records[i].hdu.value_or(-1));
    EXPECT_EQ(packed.next_of(places[i]), PackedRecords::nowhere);
  }
  packed.set_next(places[0], places[1]);
  EXPECT_EQ(packed.next_of(places[0]), places[1]);
  EXPECT_EQ(packed.at(places[0]), records[0]);
}

/// More texts than are given a number.
TEST(PackedRecords, MayHaveNothingInCommon) {
  PackedRecords packed;
  std::vector<PackedRecords::Place> places;
  const auto record = [](int i) {
    ImageRecord one = done_record("image" + std::to_string(i));
    one.path = "/data" + std::to_string(i) + "/file";
    one.config = "c" + std::to_string(i);
    one.outputs = {{one.name + ".cat" + std::to_string(i), i}};
    return one;
  };
  for (int i = 0; i < 5000; ++i) places.push_back(packed.add(record(i)));
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(packed.at(places[static_cast<std::size_t>(i)]), record(i));
}

}  // namespace
}  // namespace srcextract
