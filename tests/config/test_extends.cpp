#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "config/config.hpp"
#include "tests/config/parse_support.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::TemporaryFolder;

GivenConfig given(const std::string& yaml) {
  return parse_given(yaml, "x.yaml", {});
}

std::string refusal(const std::string& yaml) {
  return testing::config_error([&] { require_use({given(yaml).unused}); });
}

TEST(Extends, OneKeyChangesOneKeyOfTheDefault) {
  const GivenConfig one = given("extends: default\ndetection: {threshold: 6}");
  EXPECT_EQ(one.config.settings(), load_given("", set_overrides({"detection.threshold=6"})).config.settings());
  EXPECT_EQ(one.config.place_of("detection.threshold"), "x.yaml:2:24");
  EXPECT_EQ(one.config.place_of("convolve.kernel"), "convolve.kernel of the default configuration");
  EXPECT_EQ(one.note, "");
  // wherever the key stands
  EXPECT_EQ(one.config.settings(), given("detection: {threshold: 6}\nextends: default").config.settings());
}

TEST(Extends, WithoutTheKeyTheDefaultIsChangedAndANoteSaysWhatThatIs) {
  const GivenConfig silent = given("detection: {threshold: 6}");
  EXPECT_EQ(silent.config.settings(), given("extends: default\ndetection: {threshold: 6}").config.settings());
  EXPECT_THAT(silent.note, StartsWith("x.yaml: it has no key 'extends'"));
  EXPECT_THAT(silent.note, HasSubstr("deblend.method tree (not none), "));
  EXPECT_THAT(silent.note, HasSubstr("'extends: none'"));
  EXPECT_THAT(silent.note, Not(HasSubstr("detection.threshold 6")));
  EXPECT_THAT(given("").note, HasSubstr("convolve.kernel gaussian (not none)"));
  // The note leaves out keys that the text sets; a text that sets every key gets no note.
  EXPECT_THAT(given("deblend: {method: none, clean: false}").note, Not(HasSubstr("deblend")));
  EXPECT_EQ(given(dump_config(Config{})).note, "");
  EXPECT_EQ(given(dump_config(Config{})).config.settings(), Config{}.settings());
}

TEST(Extends, NoneStandsAlone) {
  const GivenConfig alone = given("extends: none\ndetection: {threshold: 6}");
  Config expected;
  expected.detection.threshold = 6;
  EXPECT_EQ(alone.config.settings(), expected.settings());
  EXPECT_EQ(alone.note, "");
}

TEST(Extends, KeysOfTheDefaultMayLoseTheirUseAndOwnOnesMayNot) {
  const GivenConfig plain = given(
      "extends: default\ndeblend: {method: none}\nconvolve: {kernel: none}\nweights: {type: none}\n"
      "detection: {threshold_unit: sigma}\nbackground: {method: constant}\nmeasurement: {noise: pixel}");
  EXPECT_TRUE(plain.unused.empty());
  EXPECT_EQ(plain.config.convolve.fwhm, Config{}.convolve.fwhm);
  EXPECT_EQ(refusal("extends: default\ndeblend: {method: none, contrast: 0.1}"),
            "x.yaml:2:35: 'deblend.contrast' has no use but with deblend.method tree");
  EXPECT_TRUE(given("extends: default\ndeblend: {contrast: 0.1}").unused.empty());
  EXPECT_NE(refusal("extends: none\ndeblend: {contrast: 0.1}"), "");
}

TEST(Extends, FilesAreFoundBesideTheFile) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "common");
  folder.write("common/camera.yaml", "extends: crowd\nmeasurement: {gain: 3}\npsf: {file: camera.psf}\n");
  folder.write("common/survey.yaml", "extends: camera.yaml\ncrowd: {turns: 5}\n");
  const std::string mine = folder.write("mine.yaml", "extends: common/survey.yaml\ncrowd: {sky_size: 32}\n");
  const Config config = load_given(mine).config;
  EXPECT_EQ(config.crowd.method, CrowdMethod::joint);
  EXPECT_EQ(config.crowd.sky_size, 32);
  EXPECT_EQ(config.crowd.turns, 5);
  EXPECT_EQ(config.measurement.gain, 3);
  EXPECT_EQ(config.psf.method, PsfMethod::file) << "a file is named, and crowd makes a PSF of the image";
  EXPECT_EQ(config.place_of("crowd.turns"), (folder / "common/survey.yaml") + ":2:16");
  EXPECT_EQ(config.place_of("crowd.threshold"), "crowd.threshold of the configuration crowd");

  folder.write("common/camera.yaml", "measurement: {gian: 3}\n");
  EXPECT_THAT(testing::config_error([&] { load_given(mine); }),
              StartsWith((folder / "common/camera.yaml") + ":1:15: unknown key 'gian'"));
  folder.write("common/camera.yaml", "extends: ../mine.yaml\n");
  EXPECT_EQ(testing::config_error([&] { load_given(mine); }),
            (folder / "common/camera.yaml") + ":1:10: 'extends' leads back to " + (folder / "common/../mine.yaml") +
                ", so that nothing is first");
  folder.write("two.yaml", "extends: none");
  EXPECT_EQ(load_given(folder.write("one.yaml", "extends: two.yaml")).config.extended,
            std::vector<std::string>{folder / "two.yaml"});
}

TEST(Extends, FilesFromBeforeTheKeyAreToldOfIt) {
  const TemporaryFolder folder;
  // As config/radio.yaml was: islands are found in the image itself, and the default has a filter.
  const std::string old = "fit: {model: gaussians}\nbeam: {source: auto}\n";
  const std::string said = testing::config_error([&] { load_given(folder.write("old.yaml", old)); });
  EXPECT_THAT(said, HasSubstr("set convolve.kernel to none"));
  EXPECT_THAT(
      said, HasSubstr("old.yaml has no key 'extends', so it changes the default configuration; write 'extends: none'"));
  EXPECT_EQ(load_given(folder.write("new.yaml", "extends: none\n" + old)).config.fit.model, FitModel::gaussians);
  // A threshold of -1 is an error with and without `extends`, so the message does not mention the key.
  EXPECT_THAT(testing::config_error([&] { load_given(folder.write("bad.yaml", "detection: {threshold: -1}")); }),
              Not(HasSubstr("extends")));
}

TEST(Extends, ChainsEndAndLinksAreFollowed) {
  const TemporaryFolder folder;
  for (int i = 0; i < 100; ++i)
    folder.write(std::to_string(i) + ".yaml", "extends: " + std::to_string(i + 1) + ".yaml\n");
  EXPECT_THAT(testing::config_error([&] { load_given(folder / "0.yaml"); }), HasSubstr("through more than 50 of them"));
  std::filesystem::create_directories(folder / "real/sub");
  folder.write("base.yaml", "extends: none\ndetection: {threshold: 9}\n");
  folder.write("real/base.yaml", "extends: none\ndetection: {threshold: 7}\n");
  folder.write("real/sub/t.yaml", "extends: ../base.yaml\n");
  std::filesystem::create_directory_symlink("real/sub", folder / "link");
  EXPECT_EQ(load_given(folder / "link/t.yaml").config.detection.threshold, 7) << "as the file system reads ..";
}

TEST(Extends, WrongOnesAreAnsweredWithTheirPlace) {
  EXPECT_EQ(
      refusal("extends: defualt"),
      "x.yaml:1:10: 'extends' is default, none, radio, crowd, or a file, and defualt: cannot be read: No such file or "
      "directory; did you mean 'default'?");
  EXPECT_EQ(refusal("extend: none"), "x.yaml:1:1: unknown section 'extend'; did you mean 'extends'?");
  EXPECT_EQ(refusal("extends: [none]"), "x.yaml:1:10: 'extends' must be a path, not a list");
  EXPECT_EQ(refusal("extends:"), "x.yaml:1:1: 'extends' has no value; write one, or leave the key out for the default");
  EXPECT_EQ(refusal("extends: ''"),
            "x.yaml:1:10: 'extends' is empty; write default, none, radio, crowd, or the path of a file");
  EXPECT_EQ(refusal("extends: x.yaml"), "x.yaml:1:10: 'extends' leads back to x.yaml, so that nothing is first");
  EXPECT_EQ(testing::message("", {"extends=none"}),
            "--set extends=none: 'extends' is a key of files; name another CONFIG before the image");
}

TEST(CommentedConfig, IsReadAsTheSameAndHasACommentForEachKey) {
  for (const std::string name : {"", "radio", "crowd"}) {
    const Config config = load_given(name, set_overrides({"detection.min_area=7"})).config;
    const std::string text = commented_config(config);
    EXPECT_EQ(given(text).config.settings(), config.settings()) << name;
    EXPECT_EQ(given(text).note, "");
    std::istringstream lines(text);
    int keys = 0;
    bool explained = false;
    for (std::string line; std::getline(lines, line);) {
      const bool is_comment = line.starts_with("  #");
      if (line.starts_with("  ") && !is_comment) {
        EXPECT_TRUE(explained) << line;
        ++keys;
      }
      explained = is_comment || (explained && line.starts_with("  "));
    }
    EXPECT_EQ(keys, std::ssize(config_keys()));
  }
}

}  // namespace
}  // namespace srcextract
