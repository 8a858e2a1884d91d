#include "survey/inputs/inputs.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stages/core/error.hpp"
#include "tests/support/config_error.hpp"
#include "tests/survey/inputs/survey_test_support.hpp"

namespace srcextract {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::make_file;
using testing::names_of;
using testing::paths_of;
using ::testing::SizeIs;
using ::testing::StartsWith;

class FindInputs : public ::testing::Test {
 protected:
  static ImageFiles find(const std::vector<std::string>& inputs) { return find_inputs(inputs, Config{}); }
  static std::vector<std::string> names(const std::vector<std::string>& inputs) { return names_of(find(inputs)); }
  static std::string input_error(const std::vector<std::string>& inputs) {
    try {
      find(inputs);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
  }
  std::string file(const std::string& name, std::size_t bytes = 0) const { return make_file(folder_, name, bytes); }
  void link(const std::string& to, const std::string& name) const { fs::create_symlink(to, folder_ / name); }

  testing::TemporaryFolder folder_;
};

TEST_F(FindInputs, AFileIsCalledByItsFileName) {
  const std::string path = file("night1/a.img", 123);
  const timespec times[2] = {{1, 0}, {1'700'000'000, 123'456'789}};
  utimensat(AT_FDCWD, path.c_str(), times, 0);
  const ImageFiles inputs = find({path});
  ASSERT_THAT(inputs, SizeIs(1));
  EXPECT_EQ(inputs[0].path, path);
  EXPECT_EQ(inputs[0].name, "a.img");
  EXPECT_EQ(inputs[0].bytes, 123);
  EXPECT_EQ(inputs[0].modified, 1'700'000'000'123'456'789);
  EXPECT_EQ(inputs[0].config->yaml, dump_config(Config{}));
}

TEST_F(FindInputs, AFileThatIsMissingFailsWhenItsTurnComes) {
  link("nowhere", "broken");
  const ImageFiles inputs = find({folder_ / "gone.fits.fz", folder_ / "broken"});
  EXPECT_THAT(names_of(inputs), ElementsAre("broken", "gone.fits.fz"));
  EXPECT_EQ(inputs[0].bytes, 0);
  EXPECT_EQ(inputs[1].bytes, 0);
}

TEST_F(FindInputs, ANameOfNothingIsAnError) {
  EXPECT_THAT(input_error({folder_ / "nihgt1"}), StartsWith((folder_ / "nihgt1") + ": there is no file or directory"));
  EXPECT_THAT(input_error({""}), HasSubstr("there is no file or directory"));
  EXPECT_THAT(input_error({folder_ / "list.txt"}), StartsWith((folder_ / "list.txt") + ": "));
}

TEST_F(FindInputs, ADirectoryIsSearchedWithAllBelow) {
  for (const char* name :
       {"b.fits", "a.fit", "c.FTS", "night1/a.fits", "night1/deep/er/x.fits.fz", "night2/a.Fits.gz", "dir.fits/y.fits"})
    file(name, 5);
  for (const char* name : {"a.cat.fits", "a.seg.fits", "a.run.json", "notes.txt", "b.fits.bz2", ".hidden.fits", ".fits",
                           ".git/z.fits", "night1/.x/z.fits", "journal.jsonl"})
    file(name);
  const ImageFiles inputs = find({folder_.string()});
  EXPECT_THAT(names_of(inputs), ElementsAre("a.fit", "b.fits", "c.FTS", "dir.fits/y.fits", "night1/a.fits",
                                            "night1/deep/er/x.fits.fz", "night2/a.Fits.gz"));
  for (const ImageFile& found : inputs) {
    EXPECT_EQ(found.path, folder_ / found.name);
    EXPECT_EQ(found.bytes, 5);
  }
  EXPECT_EQ(paths_of(find({folder_.string() + "/"})), paths_of(inputs));
}

TEST_F(FindInputs, LinksAreFollowedOnceAndLoopsEnd) {
  testing::TemporaryFolder elsewhere;
  make_file(elsewhere, "archive/far.fits", 7);
  file("z/real.fits", 3);
  link("z/real.fits", "alias.fits");
  link("nowhere.fits", "broken.fits");
  link("z", "another");                     // found as z
  link(elsewhere / "archive", "outside2");  // found under the first name
  link(elsewhere / "archive", "outside1");
  link("..", "z/up");
  link("self.fits", "self.fits");
  make_file(elsewhere, "archive/more/m.fits");
  fs::create_directory_symlink(folder_.string(), elsewhere / "archive/back");
  const ImageFiles inputs = find({folder_.string()});
  EXPECT_THAT(names_of(inputs), ElementsAre("alias.fits", "broken.fits", "outside1/far.fits", "outside1/more/m.fits",
                                            "self.fits", "z/real.fits"));
  EXPECT_EQ(inputs[0].bytes, 3);
  EXPECT_EQ(inputs[1].bytes, 0);
  EXPECT_EQ(inputs[2].bytes, 7);
}

TEST_F(FindInputs, WhatIsNoFileIsNoImage) {
  file("a.fits");
  ASSERT_EQ(mkfifo((folder_ / "pipe.fits").c_str(), 0600), 0);
  EXPECT_THAT(names({folder_.string()}), ElementsAre("a.fits"));
}

TEST_F(FindInputs, ADirectoryWithoutAnImageIsAnError) {
  file("notes.txt");
  file("a.cat.fits");
  EXPECT_THAT(input_error({folder_.string()}), AllOf(StartsWith(folder_.string() + ": "), HasSubstr("no image")));
}

/// With a directory that may not be read, and without root's right to read it nevertheless.
class UnreadableDirectories : public FindInputs {
 protected:
  void TearDown() override {
    if (is_root_) become(0);
    for (const auto& entry : fs::directory_iterator(folder_.string()))
      if (entry.is_directory()) fs::permissions(entry, fs::perms::owner_all);
  }
  void lock(const std::string& name) {
    locked_ = folder_ / name;
    fs::permissions(locked_, fs::perms::none);
    fs::permissions(folder_.string(), fs::perms(0755));
    if (is_root_) become(65534);  // nobody
  }
  static void become(uid_t user) { ASSERT_EQ(seteuid(user), 0); }

  const bool is_root_ = geteuid() == 0;
  std::string locked_;
};

TEST_F(UnreadableDirectories, OneBelowIsAnErrorToo) {
  file("a.fits");
  file("night1/b.fits");
  lock("night1");
  EXPECT_THAT(input_error({folder_.string()}),
              AllOf(StartsWith((folder_ / "night1") + ": cannot read the directory"), HasSubstr("Permission denied")));
}

TEST_F(UnreadableDirectories, OneThatIsGivenIsAnError) {
  file("night1/b.fits");
  lock("night1");
  EXPECT_THAT(input_error({folder_ / "night1"}), HasSubstr("Permission denied"));
  EXPECT_THAT(input_error({folder_ / "n*"}), HasSubstr("Permission denied"));
  EXPECT_THAT(input_error({folder_ / "n*/*.fits"}), AllOf(HasSubstr(locked_), HasSubstr("Permission denied")));
}

TEST_F(UnreadableDirectories, OfSeveralTheFirstByNameIsTheError) {
  for (const char* name : {"n4", "n1", "n9", "n3", "n7", "n0", "n8", "n2", "n6", "n5"})
    file(std::string(name) + "/a.fits");
  for (const char* name : {"n9", "n8", "n7", "n6", "n5", "n4", "n3", "n2"})
    fs::permissions(folder_ / name, fs::perms::none);
  lock("n1");
  EXPECT_THAT(input_error({folder_ / "n*/*.fits"}), StartsWith(locked_ + ": cannot read the directory"));
}

TEST_F(FindInputs, APatternFindsFilesAndDirectories) {
  for (const char* name : {"n1/a.fits", "n1/sub/b.fits", "n2/c.fits", "n3.fits", "n4.txt", "n5.cat.fits", "m.fits"})
    file(name);
  fs::create_directory(folder_ / "n6");
  link("nowhere", "n7");
  EXPECT_THAT(names({folder_ / "n*"}), ElementsAre("n1/a.fits", "n1/sub/b.fits", "n2/c.fits", "n3.fits"));
  EXPECT_THAT(names({folder_ / "n?/"}), ElementsAre("n1/a.fits", "n1/sub/b.fits", "n2/c.fits"));
  EXPECT_THAT(names({folder_ / "n?/*.fits"}), ElementsAre("n1/a.fits", "n2/c.fits"));
  EXPECT_THAT(names({folder_ / "n1/*/b.fits"}), ElementsAre("sub/b.fits"));
  EXPECT_THAT(names({folder_ / "n1/s?b/../[a].fits"}), ElementsAre("a.fits"));
  EXPECT_THAT(names({folder_ / "[mn]*.fits"}), ElementsAre("m.fits", "n3.fits"));
}

TEST_F(FindInputs, ImagesOfAPatternThatLeadsUpHaveNamesBelowTheOutputDirectory) {
  file("x/n1/a.fits");
  file("x/b.fits");
  EXPECT_THAT(names({folder_ / "x/n?/.."}), ElementsAre("b.fits", "n1/a.fits"));
  EXPECT_THAT(names({folder_ / "x/n?/../.."}), ElementsAre("x/b.fits", "x/n1/a.fits"));
}

TEST_F(FindInputs, APatternWithoutAnImageIsAnError) {
  file("a.txt");
  file("a.cat.fits");
  fs::create_directory(folder_ / "empty");
  EXPECT_THAT(input_error({folder_ / "b*"}), StartsWith((folder_ / "b*") + ": nothing has this name or matches"));
  EXPECT_THAT(input_error({folder_ / "nowhere/*.fits"}), HasSubstr("nothing has this name or matches"));
  EXPECT_THAT(input_error({folder_ / "*"}), HasSubstr("nothing that this pattern matches is an image"));
  EXPECT_THAT(input_error({folder_ / "a.fits[1]"}), HasSubstr("input.hdu"));
}

TEST_F(FindInputs, ANameThatIsThereIsNoPattern) {
  file("a[1].fits");
  file("a1.fits");
  file("[b]/c.fits");
  file("b/d.fits");
  link("nowhere", "e*.fits");
  file("e2.fits");
  EXPECT_THAT(names({folder_ / "a[1].fits", folder_ / "[b]", folder_ / "e*.fits"}),
              ElementsAre("a[1].fits", "c.fits", "e*.fits"));
}

TEST_F(FindInputs, AManifestListsFiles) {
  file("data/a.fits", 11);
  file("b.fits", 12);
  folder_.write("data/list.txt", "a.fits\n../b.fits\nsub/gone.fits\n");
  const ImageFiles inputs = find({folder_ / "data/list.txt"});
  EXPECT_THAT(names_of(inputs), ElementsAre("a.fits", "b.fits", "sub/gone.fits"));
  EXPECT_EQ(inputs[0].bytes, 11);
  EXPECT_EQ(inputs[1].bytes, 12);
  EXPECT_EQ(inputs[2].bytes, 0);
  EXPECT_EQ(inputs[2].path, folder_ / "data/sub/gone.fits");
}

TEST_F(FindInputs, AManifestOverridesTheConfiguration) {
  file("a.fits");
  folder_.write("m.csv", "path,name,detection.threshold\na.fits,,\na.fits,deep/a.fits,3\n");
  Config config;
  config.detection.threshold = 7;
  const ImageFiles inputs = find_inputs({folder_ / "m.csv"}, config);
  ASSERT_THAT(names_of(inputs), ElementsAre("a.fits", "deep/a.fits"));
  EXPECT_EQ(inputs[0].config->config.detection.threshold, 7);
  EXPECT_EQ(inputs[1].config->config.detection.threshold, 3);
  EXPECT_EQ(inputs[0].path, inputs[1].path);
}

TEST_F(FindInputs, KeysWithoutUseAreThoseThatNoImageUses) {
  file("a.fits");
  const std::string all = folder_.write("all.csv", "path,background.method\na.fits,constant\n");
  const std::string some = folder_.write("some.csv", "path,name,background.method\na.fits,,constant\na.fits,b.fits,\n");
  const auto given = [](const std::string& yaml, const std::vector<std::string>& settings) {
    return parse_given(yaml, "x.yaml", set_overrides(settings));
  };
  const auto error = [&](const std::string& manifest, const GivenConfig& config) {
    return testing::config_error([&] { find_inputs({manifest}, config); });
  };
  const GivenConfig of_file = given("background: {mesh_size: 32}", {});
  EXPECT_EQ(find_inputs({all}, of_file)[0].config->config.background.mesh_size, 64);
  const GivenConfig of_option = given("", {"background.mesh_size=32"});
  const ImageFiles of_some = find_inputs({some}, of_option);
  EXPECT_EQ(of_some[of_some.size() - 1].config->config.background.mesh_size, 32);
  const std::string unused = "--set background.mesh_size=32: 'background.mesh_size' has no use but with";
  EXPECT_THAT(error(all, of_option), StartsWith(unused));

  // A use that a manifest gives.
  const GivenConfig pending = given("background: {method: constant}", {"background.mesh_size=32"});
  EXPECT_THAT(error(folder_.string(), pending), StartsWith(unused));
  EXPECT_THAT(error(all, pending), StartsWith(unused));
  const std::string mesh = folder_.write("mesh.csv", "path,background.method\na.fits,mesh\n");
  EXPECT_EQ(find_inputs({mesh}, pending)[0].config->config.background.mesh_size, 32);

  const std::string own = folder_.write("own.csv", "path,background.method,background.mesh_size\na.fits,constant,16\n");
  EXPECT_THAT(error(own, of_file),
              StartsWith(own + ":2: --set background.mesh_size=16: 'background.mesh_size' has no"));
}

TEST_F(FindInputs, AnEmptyManifestIsAnError) {
  EXPECT_THAT(input_error({folder_.write("m.csv", "path\n")}), HasSubstr("lists no image"));
  EXPECT_THAT(input_error({folder_.write("m.txt", "# none\n")}), HasSubstr("lists no image"));
  EXPECT_THAT(input_error({folder_.write("e.txt", "")}), HasSubstr("lists no image"));
}

TEST_F(FindInputs, WhatIsGivenTwiceIsTakenOnce) {
  const std::string path = file("a.fits");
  fs::create_symlink(folder_.string(), folder_ / "again");
  folder_.write("list.txt", "./a.fits\n" + path + "\n");
  EXPECT_THAT(names({path, folder_ / "*.fits", folder_.string(), folder_ / "again/a.fits", folder_ / "list.txt"}),
              ElementsAre("a.fits"));
}

TEST_F(FindInputs, OneImageWithTwoConfigurationsIsAMistake) {
  file("a.fits");
  folder_.write("m.csv", "path,detection.threshold\na.fits,5\na.fits,4.5\n");
  EXPECT_THAT(testing::config_error([&] { find({folder_ / "m.csv"}); }),
              AllOf(HasSubstr("m.csv:2)"), HasSubstr("m.csv:3)"), HasSubstr("two configurations")));
  EXPECT_THAT(
      testing::config_error([&] {
        find({folder_ / "a.fits", folder_ / "m.csv"});
      }),
      HasSubstr("'" + (folder_ / "a.fits") + "' and '" + (folder_ / "a.fits") + "' (" + (folder_ / "m.csv:3)")));
}

TEST_F(FindInputs, FilesWithTheSameOutputsAreAMistake) {
  file("n1/a.fits");
  file("n2/a.fits");
  file("n3/a.fits.fz");
  EXPECT_THAT(testing::config_error([&] {
                find({folder_ / "n1", folder_ / "n2"});
              }),
              AllOf(HasSubstr("n1/a.fits'"), HasSubstr("n2/a.fits'"), HasSubstr("directory above")));
  EXPECT_THAT(testing::config_error([&] {
                find({folder_ / "n1", folder_ / "n3/a.fits.fz"});
              }),
              HasSubstr("a.run.json"));
  EXPECT_THAT(names({folder_.string()}), ElementsAre("n1/a.fits", "n2/a.fits", "n3/a.fits.fz"));
  folder_.write("m.csv", "path,name\nn1/a.fits,m31\nn2/a.fits,m31.fits\n");
  EXPECT_THAT(testing::config_error([&] { find({folder_ / "m.csv"}); }),
              AllOf(HasSubstr("m.csv:2)"), HasSubstr("m.csv:3)")));
}

TEST_F(FindInputs, ANumberOfAnHduCanMakeOutputsTheSame) {
  file("a.fits");
  file("a.hdu2.fits");
  EXPECT_THAT(names({folder_.string()}), SizeIs(2));
  Config all;
  all.input.hdu = "all";
  EXPECT_THAT(testing::config_error([&] { find_inputs({folder_.string()}, all); }), HasSubstr("a.hdu2.run.json"));
}

}  // namespace
}  // namespace srcextract
