#include "survey/inputs/image_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tests/survey/inputs/survey_test_support.hpp"

namespace srcextract {
namespace {

using ::testing::ElementsAre;

void expect_same(const ImageFile& file, const ImageFile& given) {
  EXPECT_EQ(file.path, given.path);
  EXPECT_EQ(file.name, given.name);
  EXPECT_EQ(file.bytes, given.bytes);
  EXPECT_EQ(file.modified, given.modified);
  EXPECT_EQ(file.config, given.config);
  EXPECT_EQ(file.beside, given.beside);
  EXPECT_EQ(file.identity, given.identity);
}

TEST(ImageFiles, GiveBackWhatWasAdded) {
  const auto first = std::make_shared<const ImageConfig>(), second = std::make_shared<const ImageConfig>();
  const auto beside = std::make_shared<const FilesBeside>();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<ImageFile> given = {{"/data/night1/a.fits", "night1/a.fits", 2880, 1'700'000'000'123'456'789, first},
                                  {"/data/night1/a.fits", "a.fits", 0, 0, first},
                                  {"a.fits", "night1/a.fits", most, -1, second, beside},  // before 1970
                                  {"a.fits", "a.fits", 1, -most, first},
                                  {"/data/prefix_a.fits", "a.fits", 127, 1, nullptr},
                                  {"/data/a.fits", "m31", 128, 1, first, beside},
                                  {"/data/n/x", "m/x", 1, 1, first, beside, {~std::uint64_t{0}, 7}},
                                  {"", "a", 1, 1, second},
                                  {"/", "", 1, 1, second},
                                  {"list/../data/ä b\n.fits", "ä b\n.fits", 1, 1, first},
                                  {"/data/" + std::string(5000, 'y') + "/x.fits", std::string(300, 'x'), 1, 1, first}};
  ImageFiles files;
  for (const ImageFile& file : given) files.push_back(file);
  const ImageFiles copies = files;
  ASSERT_EQ(files.size(), given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    expect_same(files[i], given[i]);
    expect_same(copies[i], given[i]);
    EXPECT_EQ(files.name(i), given[i].name);
    EXPECT_EQ(files.bytes(i), given[i].bytes);
  }
}

TEST(ImageFiles, OfManyDirectoriesAreKeptToo) {
  ImageFiles files;
  const auto path = [](int i) { return "/data/night" + std::to_string(i) + "/a.fits"; };
  for (int i = 0; i < 10'000; ++i) files.push_back({path(i), "image" + std::to_string(i), 1, 1, nullptr});
  for (int i = 0; i < 10'000; i += 999) EXPECT_EQ(files[static_cast<std::size_t>(i)].path, path(i));
}

TEST(ImageFiles, SizeAndTimeCanComeLater) {
  ImageFiles files = {{"/a", "a", 0, 0, nullptr}, {"/b", "b", 5, 6, nullptr}};
  files.set_status(0, {.is_file = true, .bytes = 2880, .modified = 1'700'000'000'123'456'789});
  expect_same(files[0], {"/a", "a", 2880, 1'700'000'000'123'456'789, nullptr});
  expect_same(files[1], {"/b", "b", 5, 6, nullptr});
}

TEST(ImageFiles, ACopyStaysAsItWas) {
  ImageFiles files = {{"/a", "a", 1, 0, nullptr}, {"/b", "b", 2, 0, nullptr}};
  ImageFiles copy = files;
  files.push_back({"/c", "c", 3, 0, nullptr});
  files.select({2, 1});
  copy.push_back({"/d", "d", 4, 0, nullptr});
  EXPECT_THAT(testing::paths_of(files), ElementsAre("/c", "/b"));
  EXPECT_THAT(testing::paths_of(copy), ElementsAre("/a", "/b", "/d"));
}

TEST(ImageFiles, SelectedOnesAreLeftInThatOrder) {
  ImageFiles files = {{"/a", "a", 1, 0, nullptr}, {"/b", "b", 2, 0, nullptr}, {"/c", "c", 3, 0, nullptr}};
  files.select({2, 0});
  EXPECT_THAT(testing::names_of(files), ElementsAre("c", "a"));
  EXPECT_THAT(testing::paths_of(files), ElementsAre("/c", "/a"));
  EXPECT_EQ(files.bytes(1), 1);
}

}  // namespace
}  // namespace srcextract
