#include "survey/journal/planned_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace srcextract {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ImageFile image(const std::string& name, std::int64_t bytes) {
  return {"/data/" + name, name, bytes, 0, nullptr};
}

TEST(PlannedFiles, KeepWhichImagesAreLeftAlone) {
  const PlannedFiles files =
      std::vector<PlannedFile>{{image("a", 1), {}}, {image("b", 20), {1, 3}, {3}}, {image("c", 300), {2}}};
  EXPECT_EQ(total_bytes(files), 321);
  EXPECT_THAT(files[0].done_hdus, IsEmpty());
  EXPECT_THAT(files[1].done_hdus, ElementsAre(1, 3));
  EXPECT_THAT(files[1].failed_hdus, ElementsAre(3));
  EXPECT_THAT(files[2].done_hdus, ElementsAre(2));
  EXPECT_THAT(files[2].failed_hdus, IsEmpty());
}

TEST(PlannedFiles, SelectedOnesTakeThatWithThem) {
  PlannedFiles files = std::vector<PlannedFile>{
      {image("a", 1), {7}}, {image("b", 20), {1, 3}, {3}}, {image("c", 300), {}}, {image("d", 4000), {2}}};
  files.select({3, 2, 1});
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].file.path, "/data/d");
  EXPECT_THAT(files[0].done_hdus, ElementsAre(2));
  EXPECT_THAT(files[1].done_hdus, IsEmpty());
  EXPECT_THAT(files[2].done_hdus, ElementsAre(1, 3));
  EXPECT_THAT(files[2].failed_hdus, ElementsAre(3));
}

}  // namespace
}  // namespace srcextract
