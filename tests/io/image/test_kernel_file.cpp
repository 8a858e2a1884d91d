#include "io/image/kernel_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/io/support/io_test_support.hpp"
#include "tests/support/config_error.hpp"
#include "tests/support/fits_writer.hpp"

namespace srcextract::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Rows = std::vector<std::vector<double>>;

class ReadKernelFile : public ::testing::Test {
 protected:
  KernelFile read(const std::string& bytes) { return read_kernel_file(folder.write("a.conv", bytes)); }
  std::string refusal(const std::string& bytes) {
    return config_error([&] { read(bytes); });
  }
  /// How a message about line `number` begins.
  std::string at(int number) const { return folder / "a.conv:" + std::to_string(number) + ": "; }

  template <class T>
  void expect_fits(int bitpix, const std::vector<T>& pixels, const Rows& want, const Cards& cards = {}) {
    const KernelFile kernel = read(image_hdu(bitpix, {3, 2}, big_endian(pixels), cards));
    EXPECT_EQ(kernel.values, want);
    EXPECT_TRUE(kernel.normalize);
  }

  TemporaryFolder folder;
};

TEST_F(ReadKernelFile, ReadsSExtractorsFormat) {
  const KernelFile kernel = read(
      "CONV NORM\n"
      "# 3x3 ``all-ground'' convolution mask with FWHM = 2 pixels.\n"
      "1 2 1\n"
      "2 4 2\n"
      "1 2 -1.5e0\n");
  EXPECT_EQ(kernel.values, (Rows{{1, 2, 1}, {2, 4, 2}, {1, 2, -1.5}}));
  EXPECT_TRUE(kernel.normalize);
}

TEST_F(ReadKernelFile, TakesCommentsBlankLinesAndAnyEndOfLine) {
  const KernelFile kernel = read("\xef\xbb\xbf# by hand\r\n\r\n  CONV   NONORM \r\n\t.5\t+2 \r\n\n#1 1\n 3  4");
  EXPECT_EQ(kernel.values, (Rows{{.5, 2}, {3, 4}}));
  EXPECT_FALSE(kernel.normalize);
  EXPECT_TRUE(read("CONV NORM\n").values.empty());
  EXPECT_FALSE(read("CONV NORM\n1\n").is_old);
  const KernelFile old = read("CONV\n1 2 1\n");
  EXPECT_EQ(old.values, (Rows{{1, 2, 1}}));
  EXPECT_TRUE(old.normalize && old.is_old);
}

TEST_F(ReadKernelFile, SaysInWhichLineItIsWrong) {
  EXPECT_THAT(refusal("CONV NORM\n# mask\n1 2 1\n2 four 2\n"), StartsWith(at(4) + "'four' is no finite number"));
  for (const std::string word : {"nan", "inf", "1e400", "1,2", "0x10", "1..", "+-1", "--1", "+", "1#"}) {
    EXPECT_THAT(refusal("CONV NORM\n1 " + word + " 1\n"), StartsWith(at(2) + "'" + word + "' is no finite number"));
  }
}

TEST_F(ReadKernelFile, RefusesOtherFiles) {
  EXPECT_THAT(refusal(""), StartsWith(at(1) + "no kernel file"));
  EXPECT_THAT(refusal("# nothing\n"), HasSubstr("no kernel file"));
  EXPECT_THAT(refusal("# a\n1 2 1\n"), StartsWith(at(2) + "no kernel file"));
  EXPECT_THAT(refusal("CONV MAYBE\n1\n"), StartsWith(at(1) + "no kernel file"));
  EXPECT_THAT(refusal("conv norm\n1\n"), StartsWith(at(1) + "no kernel file"));
  EXPECT_THAT(refusal(std::string("\x7f"
                                  "ELF\0\0",
                                  6)),
              StartsWith(at(1)));
  const std::string nowhere = folder / "nowhere.conv";
  EXPECT_THAT(config_error([&] { read_kernel_file(nowhere); }), HasSubstr(nowhere));
  EXPECT_THAT(config_error([&] { read_kernel_file(folder.string()); }), HasSubstr(folder.string()));
}

TEST_F(ReadKernelFile, ReadsAFitsImageOfEveryBitpix) {
  const Rows want = {{0, 1, 2}, {3, 127, 100}};
  expect_fits<std::uint8_t>(8, {0, 1, 2, 3, 127, 100}, want);
  expect_fits<std::int16_t>(16, {0, 1, 2, 3, 127, 100}, want);
  expect_fits<std::int32_t>(32, {0, 1, 2, 3, 127, 100}, want);
  expect_fits<std::int64_t>(64, {0, 1, 2, 3, 127, 100}, want);
  expect_fits<float>(-32, {0, 1, 2, 3, 127, 100}, want);
  expect_fits<double>(-64, {0, 1, 2, 3, 127, 100}, want);
  expect_fits<std::int16_t>(16, {-2, -1, 0, 1, 2, 3}, {{0, .5, 1}, {1.5, 2, 2.5}}, {{"BSCALE", "0.5"}, {"BZERO", "1"}});
}

TEST_F(ReadKernelFile, ReadsFitsOfOneDimensionAndOneDeepCubes) {
  EXPECT_EQ(read(image_hdu(-32, {3}, big_endian<float>({1, 2, 3}))).values, (Rows{{1, 2, 3}}));
  EXPECT_EQ(read(image_hdu(-32, {1, 3, 1}, big_endian<float>({1, 2, 3}))).values, (Rows{{1}, {2}, {3}}));
}

TEST_F(ReadKernelFile, RefusesFitsImagesThatAreNoKernel) {
  EXPECT_THAT(refusal(image_hdu(-32, {3, 1, 2}, big_endian<float>({1, 2, 3, 4, 5, 6}))), HasSubstr("is a cube"));
  EXPECT_THAT(refusal(image_hdu(8, {2048, 2048}, std::string(2048 * 2048, '\1'))), HasSubstr("2048 x 2048"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal(image_hdu(-32, {2, 2}, big_endian<float>({1, 2, nan, 4}))), HasSubstr("pixel (1, 2)"));
  EXPECT_THAT(refusal(image_hdu(16, {2, 1}, big_endian<std::int16_t>({1, 7}), {{"BLANK", "7"}})),
              HasSubstr("pixel (2, 1)"));
  EXPECT_THAT(refusal(image_hdu(-32, {3, 3}, big_endian<float>({1, 2})).substr(0, 2880)), HasSubstr("a.conv"));
}

TEST_F(ReadKernelFile, ReadsWhatAstropyWroteAndCompressed) {
  SRCEXTRACT_NEEDS_PEER(have_astropy(), "no astropy");
  const std::string path = folder / "kernel.fits";
  const auto [status, printed] = run_python(folder,
                                            "import sys, numpy as np\n"
                                            "from astropy.io import fits\n"
                                            "data = np.arange(15, dtype='int16').reshape(3, 5)\n"
                                            "fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(data)])"
                                            ".writeto(sys.argv[1])\n",
                                            path);
  ASSERT_EQ(status, 0) << printed;
  EXPECT_THAT(read_kernel_file(path).values,
              ElementsAre(ElementsAre(0, 1, 2, 3, 4), ElementsAre(5, 6, 7, 8, 9), ElementsAre(10, 11, 12, 13, 14)));
}

}  // namespace
}  // namespace srcextract::testing
