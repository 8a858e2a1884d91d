#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "io/files/gzip.hpp"
#include "io/image/fits_image.hpp"
#include "stages/core/error.hpp"
#include "tests/io/support/fits_image_fixture.hpp"
#include "tests/io/support/gzip_member.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/io/support/stored_pixels.hpp"
#include "tests/support/fits_writer.hpp"

namespace srcextract::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(FitsImageTest, SmallFileIsNotNeededOnceItIsOpen) {
  const std::string path = write("a.fits", image_hdu(8, {3, 1, 2}, "abcdef"));
  const FitsImage image = open_one(path);
  ASSERT_EQ(::truncate(path.c_str(), 0), 0);
  EXPECT_EQ(stored_pixels<char>(image.plane(2)), (std::vector<char>{'d', 'e', 'f'}));
}

TEST_F(FitsImageTest, FileCutShortWhileOpenIsAnError) {
  const std::string path = write("a.fits", image_hdu(8, {100000}, std::string(100000, 'x')));
  const FitsImage image = open_one(path);
  ASSERT_EQ(::truncate(path.c_str(), 20000), 0);
  EXPECT_EQ(stored_pixels<char>(image.plane(1), 0, 10), std::vector<char>(10, 'x'));
  try {
    stored_pixels<char>(image.plane(1));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr("became shorter"));
  }
  EXPECT_THROW(image.datasum(1), Error);
}

/// The message of require_unchanged(); empty if there is none.
std::string change_of(const FitsImage& image) {
  try {
    image.require_unchanged();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "";
}

TEST_F(FitsImageTest, FileRewrittenInPlaceIsChanged) {
  const std::string before = image_hdu(8, {100000}, std::string(100000, 'x'));
  const std::string after = image_hdu(8, {100000}, std::string(100000, 'y'));
  const std::string path = write("a.fits", before);
  const auto long_ago = std::filesystem::last_write_time(path) - std::chrono::hours(1);
  std::filesystem::last_write_time(path, long_ago);
  const FitsImage image = open_one(path);
  EXPECT_EQ(stored_pixels<char>(image.plane(1)), std::vector<char>(100000, 'x'));
  read_file(path);  // the time of the last access alone
  EXPECT_EQ(change_of(image), "");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // longer than a tick of the clock of files
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary) << after;
  EXPECT_THAT(change_of(image), HasSubstr("changed while it was read"));
  EXPECT_EQ(change_of(open_one(path)), "");
  // As rsync does.
  std::filesystem::last_write_time(path, long_ago + std::chrono::minutes(1));
  EXPECT_THAT(change_of(image), HasSubstr("changed while it was read"));
}

TEST_F(FitsImageTest, FileThatIsLinkedOrRenamedIsNotChanged) {
  const std::string path = write("a.fits", image_hdu(8, {100000}, std::string(100000, 'x')));
  const FitsImage image = open_one(path);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::filesystem::create_hard_link(path, path + ".backup");
  std::filesystem::rename(path, path + ".moved");
  EXPECT_EQ(change_of(image), "");
}

TEST_F(FitsImageTest, FileInMemoryIsAsItWas) {
  const std::string path = write("a.fits", image_hdu(8, {3}, "abc"));
  const FitsImage image = open_one(path);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  write("a.fits", image_hdu(8, {3}, "xyz"));
  EXPECT_EQ(change_of(image), "");
  EXPECT_EQ(stored_pixels<char>(image.plane(1)), (std::vector<char>{'a', 'b', 'c'}));
}

// Pixels of no pattern, so that they stay as long when they are compressed.
TEST_F(FitsImageTest, GzippedFileCutShortWhileItIsReadIsAnError) {
  std::mt19937 random(1);
  std::vector<std::int32_t> pixels(1000000);
  std::ranges::generate(pixels, [&] { return static_cast<std::int32_t>(random()); });
  const std::string gzip = gzip_member(image_hdu(32, {1000, 1000}, big_endian(pixels)));
  std::size_t given = 0;
  const auto source = [&](std::byte* out, std::int64_t room) {
    const std::size_t count = std::min(gzip.size() / 2 - given, static_cast<std::size_t>(room));
    std::memcpy(out, gzip.data() + given, count);
    given += count;
    return static_cast<std::int64_t>(count);
  };
  EXPECT_THROW(inflate_gzip(source, std::ssize(gzip), {}, "a.fits.gz"), Error);
  EXPECT_EQ(given, gzip.size() / 2);
}

}  // namespace
}  // namespace srcextract::testing
