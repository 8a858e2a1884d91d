#include "config/number_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stages/settings/network_numbers.hpp"
#include "tests/support/config_error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class ReadNetworkFile : public ::testing::Test {
 protected:
  std::vector<double> read(const std::string& text) {
    return config::read_numbers(folder.write("a.nnw", text), network_numbers);
  }
  std::string refusal(const std::string& text) {
    return config_error([&] { read(text); });
  }
  std::string in_line(int number) const { return folder / "a.nnw:" + std::to_string(number) + ": "; }

  /// "0 1 2 3 ..." in lines of eleven.
  static std::string numbers(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += std::to_string(i) + (i % 11 == 10 ? "\n" : " ");
    return text;
  }

  TemporaryFolder folder;
};

TEST_F(ReadNetworkFile, ReadsTheNumbersAfterTheLayers) {
  const std::vector<double> told = read("NNW\n# of some\r\n\n 3 10 10  1\n\n" + numbers(142) + "\n\n -1.5e+00 \n");
  ASSERT_EQ(told.size(), 143U);
  for (std::size_t i = 0; i + 1 < told.size(); ++i) EXPECT_EQ(told[i], static_cast<double>(i));
  EXPECT_EQ(told.back(), -1.5);
}

TEST_F(ReadNetworkFile, RefusesWhatIsNoSuchNetwork) {
  EXPECT_THAT(refusal(""), StartsWith(in_line(1) + "no neural network"));
  EXPECT_THAT(refusal("CONV NORM\n1\n"), StartsWith(in_line(1) + "no neural network"));
  EXPECT_THAT(refusal("NNW\n3 10 8 1\n"), StartsWith(in_line(2) + "a network of other layers than 3 10 10 1"));
  EXPECT_THAT(refusal("NNW\n3 10 10 1\n1 2 nan\n"), StartsWith(in_line(3) + "'nan' is no finite number"));
  EXPECT_THAT(refusal("NNW\n3 10 10 1\n" + numbers(142)), HasSubstr("ends before"));
  EXPECT_THAT(refusal("NNW\n"), HasSubstr("ends before"));
  EXPECT_THAT(refusal("NNW\n3 10 10 1\n" + numbers(144)), HasSubstr("more numbers than a network 3 10 10 1 has"));
  EXPECT_THAT(config_error([&] { config::read_numbers(folder / "nowhere.nnw", network_numbers); }),
              HasSubstr("nowhere.nnw"));
}

}  // namespace
}  // namespace srcextract::testing
