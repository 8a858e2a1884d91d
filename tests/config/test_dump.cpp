#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "stages/settings/keys.hpp"
#include "tests/config/fuzz_support.hpp"
#include "tests/config/parse_support.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/source_dir.hpp"

namespace srcextract {
namespace {

using testing::parse;

TEST(ConfigDump, HoldsEveryKeyInOrder) {
  std::vector<std::string> dumped, declared;
  for (const auto& section : YAML::Load(dump_config(Config{})))
    for (const auto& key : section.second) dumped.push_back(section.first.Scalar() + "." + key.first.Scalar());
  for (const config::Field& field : config_keys()) declared.push_back(field.path());
  EXPECT_EQ(dumped, declared);
}

TEST(ConfigDump, NumbersAreShortAndReadBackToTheLastBit) {
  const auto dumped = [](double gain) {
    Config c;
    c.measurement.gain = gain;
    return YAML::Load(dump_config(c))["measurement"]["gain"].Scalar();
  };
  EXPECT_EQ(dumped(5), "5.0");
  EXPECT_EQ(dumped(0.1), "0.1");
  EXPECT_EQ(dumped(1e20), "1.0e+20");
  EXPECT_EQ(dumped(2.5e-9), "2.5e-09");

  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-300, 300);
  for (int i = 0; i < testing::rounds(1000); ++i) {
    Config c;
    c.measurement.gain = std::pow(10.0, exponent(random));
    EXPECT_EQ(parse(dump_config(c)).measurement.gain, c.measurement.gain);
  }
}

TEST(ConfigDump, ReadsBackToTheSameText) {
  for (const char* hdu :
       {"auto", "0",    "12",   "SCI",  "2MASS", "-1",    "007", "3.5",       "true", "No",
        "null", "~",    "a: b", "x #1", "it's",  "\"q\"", "[1]", "WFC3-IR 2", "*a",   "99999999999999999999",
        "0x10", ".nan", "\\",   "SCI*", "SCI,2", "?CI,*"}) {
    Config c;
    c.input.hdu = hdu;
    c.background.method = BackgroundMethod::constant;
    c.detection = {-1.5, ThresholdUnit::absolute, Baseline::zero, 4, 1};
    c.output = {
        {CatalogFormat::reg, CatalogFormat::parquet}, ParquetCompression::zstd, {"NUMBER", "photometry"}, true, true};
    if (!c.input.hdu.several())  // several images are not combined
      c.combine = {CombineMethod::weighted, {}, {}, {hdu, "it's/a b.fits", "blank "}, {1, 0.1, -1e-30, 2}};
    c.convolve.kernel = KernelShape::values;
    c.convolve.values = {{1, 2.5, 1e20}};
    const std::string yaml = dump_config(c);
    const Config again = parse(yaml);
    EXPECT_EQ(again.input.hdu, hdu);
    EXPECT_EQ(again.combine, c.combine);
    EXPECT_EQ(again.convolve, c.convolve);
    EXPECT_EQ(again.detection.threshold, -1.5);
    EXPECT_EQ(dump_config(again), yaml);
  }
}

TEST(ConfigDump, AListOfMapsOfKeysReadsBackToTheSameText) {
  Config c;
  c.flags.hdu = "DQ";
  c.flags.further = {{"a b, {c}.fits", "SCI,2", FlagType::most, {"BAD", "7"}}, {"", "[1]", FlagType::bit_or, {}}};
  const std::string yaml = dump_config(c);
  EXPECT_THAT(yaml, ::testing::HasSubstr("  further: [{file: 'a b, {c}.fits', hdu: 'SCI,2', type: most, bits: [BAD, "));
  EXPECT_EQ(parse(yaml).flags, c.flags);
  EXPECT_EQ(dump_config(parse(yaml)), yaml);
}

TEST(ConfigFuzz, ADamagedFileIsReadOrRefused) {
  testing::expect_read_or_refused(testing::source_text("config/default.yaml"), 2000,
                                  [](const std::string& yaml) { return dump_config(parse(yaml)); });
}

}  // namespace
}  // namespace srcextract
