#include "survey/journal/failures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "stages/core/error.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/survey/journal/records.hpp"

namespace srcextract {
namespace {

using testing::done_record;
using testing::failed_record;
using testing::of_hdu;
using testing::read_file;
using testing::TemporaryFolder;

const std::string head = "image,hdu,path,kind,reason\n";

TEST(FailuresTest, AreCalledAfterTheirShard) {
  EXPECT_EQ(failures_path("out", {}), "out/failures.csv");
  EXPECT_EQ(failures_path("out", {2, 4}), "out/failures.2-of-4.csv");
}

TEST(FailuresTest, AreARowEach) {
  Ledger ledger;
  ledger.remember(failed_record("b,1.fits", "it is \"empty\"\nand more"));
  ledger.remember(done_record("c.fits"));
  ledger.remember(of_hdu(failed_record("a.fits", "why"), 2, 3));
  ledger.remember(of_hdu(done_record("a.fits"), 3, 3));
  EXPECT_EQ(format_failures(ledger), head +
                                         "a.fits,2,/data/a.fits,input,why\n"
                                         "\"b,1.fits\",,\"/data/b,1.fits\",input,\"it is \"\"empty\"\"\nand more\"\n");
}

TEST(FailuresTest, GoWhenTheImageIsDone) {
  TemporaryFolder directory;
  const std::string path = directory / "failures.csv";
  Ledger before;
  before.remember(failed_record("old.fits", "why"));
  before.remember(done_record("done.fits"));
  Failures failures(path, before);
  failures.note(of_hdu(failed_record("m.fits", "bad"), 1, 2));
  failures.note(of_hdu(done_record("m.fits"), 2, 2));
  failures.write();
  EXPECT_EQ(read_file(path), head + "m.fits,1,/data/m.fits,input,bad\nold.fits,,/data/old.fits,input,why\n");
  failures.note(done_record("old.fits"));
  failures.write();
  EXPECT_EQ(read_file(path), head + "m.fits,1,/data/m.fits,input,bad\n");
  failures.note(of_hdu(done_record("m.fits"), 1, 2));
  failures.write();
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(FailuresTest, OfAnotherVersionOfTheFileGo) {
  TemporaryFolder directory;
  Failures failures(directory / "failures.csv", {});
  failures.note(of_hdu(failed_record("m.fits", "bad"), 1, 2));
  failures.note(failed_record("m.fits", "truncated"));
  failures.write();
  EXPECT_EQ(read_file(directory / "failures.csv"), head + "m.fits,,/data/m.fits,input,truncated\n");
}

TEST(FailuresTest, AreWrittenOnlyIfTheyChanged) {
  TemporaryFolder directory;
  const std::string path = directory / "failures.csv";
  Failures failures(path, {});
  failures.note(failed_record("a.fits", "why"));
  failures.write();
  directory.write("failures.csv", "touched");
  failures.note(done_record("b.fits"));
  failures.write();
  EXPECT_EQ(read_file(path), "touched");
  failures.note(failed_record("b.fits", "why"));
  failures.write();
  EXPECT_NE(read_file(path), "touched");
}

TEST(FailuresTest, OfShardsGoOnceThoseOfTheWholeAreThere) {
  TemporaryFolder directory;
  const std::string shard = directory.write("failures.1-of-2.csv", "of the shard");
  Ledger before;
  before.remember(failed_record("a.fits", "why"));
  Failures failures(directory / "failures.csv", before, {shard, directory / "failures.2-of-2.csv"});
  EXPECT_TRUE(std::filesystem::exists(shard));
  failures.write();
  EXPECT_FALSE(std::filesystem::exists(shard));
  EXPECT_EQ(read_file(directory / "failures.csv"), head + "a.fits,,/data/a.fits,input,why\n");
}

TEST(FailuresTest, ThatAKilledProcessLeftAreBroughtUpToDate) {
  TemporaryFolder directory;
  const std::string path = directory.write("failures.csv", head + "a.fits,,/data/a.fits,input,why\n");
  Failures(path, {}).write();
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace srcextract
