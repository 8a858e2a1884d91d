#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/core/error.hpp"
#include "tests/survey/merge/merge_support.hpp"

namespace srcextract {
namespace {

using ::testing::AllOf;
using testing::contents_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::merged;
using testing::no_warning;
using testing::random_sources;
using testing::survey_of;
using testing::TemporaryFolder;
using testing::TestImage;
using testing::TestSurvey;

/// The message of the error of that kind that merging ends with; it must leave no file.
std::string failure(const TemporaryFolder& folder, const std::vector<std::string>& directories, ErrorKind kind) {
  try {
    merged(folder, directories);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_FALSE(std::filesystem::exists(folder / "survey.cat.fits"));
    return error.what();
  }
  ADD_FAILURE() << "merged";
  return "";
}

void replace_in(const std::string& path, const std::string& before, const std::string& after) {
  std::string bytes = contents_of(path);
  const std::size_t at = bytes.find(before);
  ASSERT_NE(at, std::string::npos);
  std::ofstream(path, std::ios::binary) << bytes.replace(at, before.size(), after);
}

/// Two images, and the path of the second catalogue.
struct TwoImages {
  TemporaryFolder folder;
  std::string directory, catalog;

  TwoImages() {
    TestSurvey survey(folder, "out");
    survey.add({"night/a.fits", random_sources(3, true, 1)});
    catalog = survey.add({"night/b.fits", random_sources(100, true, 2)});
    survey.finish();
    directory = survey.path();
  }
  std::string input_failure() const { return failure(folder, {directory}, ErrorKind::input); }
};

TEST(MergeErrors, CatalogThatIsMissing) {
  const TwoImages survey;
  std::filesystem::remove(survey.catalog);
  EXPECT_THAT(survey.input_failure(), AllOf(HasSubstr("out/night/b.cat.fits: cannot open"), HasSubstr("night/b.fits"),
                                            HasSubstr("start the same `srcextract batch` again")));
}

TEST(MergeErrors, CatalogThatIsTruncated) {
  const TwoImages survey;
  const auto size = std::filesystem::file_size(survey.catalog);
  for (const std::uintmax_t left : {size - 1, size / 2, std::uintmax_t{3000}, std::uintmax_t{0}}) {
    std::filesystem::resize_file(survey.catalog, left);
    EXPECT_THAT(survey.input_failure(), AllOf(HasSubstr("out/night/b.cat.fits: the "), HasSubstr("bytes")));
  }
}

TEST(MergeErrors, CatalogOfAnotherNumberOfRows) {
  const TwoImages survey;
  replace_in(survey.catalog, "NAXIS2  =                  100", "NAXIS2  =                   99");
  EXPECT_THAT(survey.input_failure(),
              AllOf(HasSubstr("b.cat.fits: the catalogue has 99 rows"), HasSubstr("100 sources")));
}

TEST(MergeErrors, CatalogWithADamagedHeader) {
  for (const auto& [before, after] : std::vector<std::pair<std::string, std::string>>{
           {"SIMPLE", "SAMPLE"},
           {"XTENSION= 'BINTABLE'", "XTENSION= 'IMAGE   '"},
           {"XTENSION", "XTENSIXN"},
           {"TFORM5  = 'J", "TFORM5  = 'D"},
           {"TFORM5  = 'J", "TFORM5  = '?"},
           {"TFIELDS =                   25", "TFIELDS =                   24"},
           {"NAXIS2  =                  100", "NAXIS2  = 99999999999999999999"},
           {"NAXIS2  =                  100", "NAXIS2  =                 1e20"},
           {"NAXIS2  =                  100", "NAXIS2  =                 -100"}}) {
    const TwoImages survey;
    replace_in(survey.catalog, before, after);
    EXPECT_THAT(survey.input_failure(), AllOf(HasSubstr("b.cat.fits"), HasSubstr("remove what is there"))) << after;
  }
}

TEST(MergeErrors, CatalogsOutsideOfTheDirectoryAreNotRead) {
  for (const bool absolute : {false, true}) {
    const TwoImages survey;
    const std::string outside = survey.folder / "private.cat.fits";
    std::filesystem::rename(survey.catalog, outside);
    replace_in(survey.directory + "/journal.jsonl", "night/b.cat.fits", absolute ? outside : "../private.cat.fits");
    EXPECT_THAT(survey.input_failure(), HasSubstr("journal.jsonl: the run has not finished"));
    std::vector<std::string> warnings;
    const auto warn = [&](const std::string& warning) { warnings.push_back(warning); };
    EXPECT_THAT(merged(survey.folder, {survey.directory}, warn, true), ::testing::Not(HasSubstr("night/b.fits")));
    EXPECT_THAT(warnings, ::testing::Contains(HasSubstr("journal.jsonl:4: 1 damaged")));
  }
}

TEST(MergeErrors, NoFitsCatalogs) {
  const TemporaryFolder folder;
  TestSurvey survey(folder, "out");
  survey.add({"a.fits", random_sources(3, true, 1)}, CatalogFormat::csv);
  survey.finish();
  EXPECT_THAT(failure(folder, {survey.path()}, ErrorKind::config),
              AllOf(HasSubstr("a.fits of"), HasSubstr("output.formats")));
}

TEST(MergeErrors, ColumnOfAnotherTypeElsewhere) {
  const TwoImages survey;
  replace_in(survey.catalog, "TFORM2  = 'D", "TFORM2  = 'K");
  EXPECT_THAT(failure(survey.folder, {survey.directory}, ErrorKind::config),
              AllOf(HasSubstr("X_IMAGE"), HasSubstr("a.cat.fits"), HasSubstr("b.cat.fits")));
}

TEST(MergeErrors, ColumnOfIntegersThatOnlySomeHave) {
  const TwoImages survey;
  replace_in(survey.catalog, "'FLAGS   '", "'FLUGS   '");
  EXPECT_THAT(failure(survey.folder, {survey.directory}, ErrorKind::config),
              AllOf(HasSubstr("has no column FL"), HasSubstr("a.cat.fits"), HasSubstr("b.cat.fits"),
                    HasSubstr("different bands"), HasSubstr("one configuration")));
}

TEST(MergeErrors, DirectoryThatBatchDidNotWriteInto) {
  const TemporaryFolder folder;
  EXPECT_THAT(failure(folder, {folder / "none"}, ErrorKind::config), HasSubstr("no such directory"));
  EXPECT_THAT(failure(folder, {folder.string()}, ErrorKind::config), HasSubstr("journal.jsonl"));
}

TEST(MergeErrors, ShardThatIsMissingOrHasNotFinished) {
  const TemporaryFolder folder;
  TestSurvey first(folder, "1", {1, 3}), second(folder, "2", {2, 3});
  first.add({"a.fits", random_sources(1, true, 1)});
  second.add({"b.fits", random_sources(2, true, 1)});
  second.add({"c.fits", {}, {}, "c", "", "gone"});
  first.finish();
  second.finish(false);
  const std::vector<std::string> directories = {first.path(), second.path()};
  EXPECT_THAT(failure(folder, directories, ErrorKind::input),
              AllOf(HasSubstr("shard 3/3 is missing"),
                    HasSubstr("shard 2/3 has not finished (images so far: 1 done, 1 failed)"), HasSubstr("--partial")));
  std::vector<std::string> warnings;
  merged(
      folder, directories, [&](const std::string& text) { warnings.push_back(text); }, true);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("3/3"), HasSubstr("2/3")));
}

TEST(MergeErrors, JournalsOfAnEarlierDivisionNeedNotBeComplete) {
  const TemporaryFolder folder;
  const TestImage image{"a.fits", random_sources(1, true, 1)};
  {
    TestSurvey whole(folder, "out");
    whole.add({"b.fits", random_sources(2, true, 2)});
    whole.finish(false);
  }
  for (int i : {1, 2}) {
    TestSurvey shard(folder, "out", {i, 2});
    if (i == 1) shard.add(image);
    shard.finish();
  }
  EXPECT_THAT(merged(folder, {folder / "out"}), AllOf(HasSubstr("a.fits"), HasSubstr("b.fits")));
}

TEST(MergeErrors, ImageThatWasExtractedTwiceInDifferentWays) {
  const TemporaryFolder folder;
  TestSurvey first(folder, "1"), second(folder, "2"), third(folder, "3");
  first.add({"a.fits", random_sources(4, false, 1), {}, "cafe"});
  second.add({"a.fits", random_sources(4, false, 1), {}, "f00d"});
  third.add({"a.fits", random_sources(5, false, 1), {}, "cafe"});
  for (TestSurvey* survey : {&first, &second, &third}) survey->finish();
  EXPECT_THAT(failure(folder, {first.path(), second.path()}, ErrorKind::config),
              AllOf(HasSubstr(first.path()), HasSubstr(second.path()), HasSubstr("cafe and f00d")));
  EXPECT_THAT(failure(folder, {first.path(), third.path()}, ErrorKind::config), HasSubstr("4 and 5 sources"));
}

TEST(MergeErrors, TextThatIsNoMergedTable) {
  const TwoImages survey;
  const TemporaryFolder folder;
  for (const std::string name : {"survey.csv", "survey.txt", "survey.images.csv"}) {
    folder.write(name, "path,band\nnight/a.fits,g\n");
    const std::string output = folder / (name == "survey.txt" ? name : "survey.csv");
    EXPECT_THROW(merge_surveys({{survey.directory}, output, false, "1"}, no_warning), Error) << name;
    EXPECT_EQ(contents_of(folder / name), "path,band\nnight/a.fits,g\n");
    std::filesystem::remove(folder / name);
    for (int i = 0; i < 2; ++i) merge_surveys({{survey.directory}, output, false, "1"}, no_warning);
  }
}

TEST(MergeErrors, OutputThatIsPartOfTheSurvey) {
  const TwoImages survey;
  const std::string before = contents_of(survey.catalog);
  EXPECT_THROW(merge_surveys({{survey.directory}, survey.catalog, false, "1"}, no_warning), Error);
  EXPECT_EQ(contents_of(survey.catalog), before);
}

TEST(MergeErrors, OutputWithTheNameOfTheListOfFailures) {
  const TwoImages survey;
  for (const char* name : {"/failures.csv", "/failures.2-of-4.csv"}) {
    const std::string output = survey.directory + name;
    EXPECT_THROW(merge_surveys({{survey.directory}, output, false, "1"}, no_warning), Error) << name;
    EXPECT_FALSE(std::filesystem::exists(output));
  }
  merge_surveys({{survey.directory}, survey.directory + "/survey.csv", false, "1"}, no_warning);
}

}  // namespace
}  // namespace srcextract
