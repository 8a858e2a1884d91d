#include "stages/measure/source_flags.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "stages/core/error.hpp"
#include "stages/detect/label.hpp"
#include "tests/support/usual_sources.hpp"

namespace srcextract {
namespace {

/// A map in the byte order of this machine, or in that of a FITS file.
template <class T>
PixelSource map_of(const Shape& shape, std::vector<T> values, double bzero = 0, std::optional<std::int64_t> blank = {},
                   bool big_endian = false) {
  PixelSource source;
  source.shape = shape;
  source.format = {.bitpix = 8 * static_cast<int>(sizeof(T)), .bzero = bzero, .blank = blank, .big_endian = big_endian};
  source.read = [values = std::move(values), big_endian](std::int64_t first, std::int64_t count, std::byte* out) {
    std::memcpy(out, values.data() + first, static_cast<std::size_t>(count) * sizeof(T));
    for (std::int64_t i = 0; big_endian && i < count; ++i)
      std::reverse(out + i * static_cast<std::int64_t>(sizeof(T)),
                   out + (i + 1) * static_cast<std::int64_t>(sizeof(T)));
  };
  return source;
}

/// Sources as they were found: a label for every pixel, 0 where there is none.
struct Found {
  Runs<Cpu> runs;
  Buffer<std::int32_t, Cpu> label;
  Sources sources;
};

Found found_in(const Shape& shape, const std::vector<int>& labels, const std::vector<int>& dropped = {}) {
  std::vector<Run> runs;
  std::vector<std::int32_t> label;
  Found found{{shape, {}, {shape.height + 1, Cpu{}}}, {}, {}};
  for (std::int64_t y = 0; y < shape.height; ++y) {
    found.runs.row_begin[y] = std::ssize(runs);
    for (std::int64_t x = 0; x < shape.width; ++x) {
      const int own = labels[static_cast<std::size_t>(y * shape.width + x)];
      if (own == 0) continue;
      const auto column = static_cast<std::int32_t>(x);
      const bool goes_on = !runs.empty() && runs.back().y == y && runs.back().end == x && label.back() == own;
      if (!goes_on) {
        runs.push_back({static_cast<std::int32_t>(y), column, column});
        label.push_back(own);
      }
      runs.back().end = column + 1;
    }
  }
  found.runs.row_begin[shape.height] = std::ssize(runs);
  found.runs.runs = {std::ssize(runs), Cpu{}};
  found.label = {std::ssize(runs), Cpu{}};
  std::ranges::copy(runs, found.runs.runs.begin());
  for (std::size_t i = 0; i < label.size(); ++i)
    found.label[static_cast<std::int64_t>(i)] = std::ranges::count(dropped, label[i]) > 0 ? 0 : label[i];
  found.sources = testing::usual_sources(static_cast<std::size_t>(*std::ranges::max_element(labels)));
  return found;
}

using Values = std::vector<std::int64_t>;

/// IMAFLAGS_ISO and NIMAFLAGS_ISO of every source.
std::pair<Values, Values> flags_in(Found& found, const PixelSource& map, FlagType type,
                                   std::uint64_t bits = ~std::uint64_t{0}, int threads = 3) {
  flag_sources({map, bits, type}, found.runs, found.label, found.sources, Cpu{threads});
  const auto added = found.sources.columns.end() - 2;
  return {std::get<Values>(added[0].values), std::get<Values>(added[1].values)};
}

const Shape small{6, 2};
const std::vector<int> three_sources{1, 1, 0, 2, 2, 2,  //
                                     1, 1, 0, 3, 0, 2};

TEST(SourceFlags, EveryTypeOfFlagsByHand) {
  Found found = found_in(small, three_sources);
  const auto map = map_of<std::int32_t>(small, {6, 0, 9, 12, 4, 4,  //
                                                3, 6, 9, 0, 9, 12});
  EXPECT_EQ(flags_in(found, map, FlagType::bit_or), std::pair(Values({7, 12, 0}), Values({3, 4, 0})));
  EXPECT_EQ(flags_in(found, map, FlagType::bit_and), std::pair(Values({2, 4, 0}), Values({3, 4, 0})));
  EXPECT_EQ(flags_in(found, map, FlagType::min), std::pair(Values({3, 4, 0}), Values({1, 2, 0})));
  EXPECT_EQ(flags_in(found, map, FlagType::max), std::pair(Values({6, 12, 0}), Values({2, 2, 0})));
  EXPECT_EQ(flags_in(found, map, FlagType::most), std::pair(Values({6, 12, 0}), Values({2, 2, 0})))
      << "of equals the first";
}

TEST(SourceFlags, EveryMapHasColumnsOfItsOwn) {
  Found found = found_in(small, three_sources);
  const auto map = map_of<std::int32_t>(small, {6, 0, 9, 12, 4, 4,  //
                                                3, 6, 9, 0, 9, 12});
  flags_in(found, map, FlagType::bit_or);
  flags_in(found, map, FlagType::min);
  flags_in(found, map_of<std::uint8_t>(small, std::vector<std::uint8_t>(12, 1)), FlagType::max);
  std::map<std::string, Values> columns;
  for_each_column(found.sources, [&]<class T>(const Column& column, const std::vector<T>& values) {
    if constexpr (std::is_same_v<T, std::int64_t>)
      if (std::string(column.name).find("FLAGS") != std::string::npos) columns[column.name] = values;
  });
  const std::map<std::string, Values> right = {{"IMAFLAGS_ISO", {7, 12, 0}},  {"NIMAFLAGS_ISO", {3, 4, 0}},
                                               {"IMAFLAGS_ISO_1", {3, 4, 0}}, {"NIMAFLAGS_ISO_1", {1, 2, 0}},
                                               {"IMAFLAGS_ISO_2", {1, 1, 1}}, {"NIMAFLAGS_ISO_2", {4, 4, 1}}};
  EXPECT_EQ(columns, right);
}

TEST(SourceFlags, OnlyBitsThatCountAreLookedAt) {
  Found found = found_in(small, three_sources);
  const auto map = map_of<std::int32_t>(small, {6, 0, 9, 12, 4, 4,  //
                                                3, 6, 9, 0, 9, 12});
  EXPECT_EQ(flags_in(found, map, FlagType::bit_or, 9), std::pair(Values({1, 8, 0}), Values({1, 2, 0})));
  EXPECT_EQ(flags_in(found, map, FlagType::min, 2), std::pair(Values({2, 0, 0}), Values({3, 0, 0})));
}

TEST(SourceFlags, WhatIsNoSourceAndWhatIsBlankHasNone) {
  Found found = found_in(small, three_sources, {2});
  const auto map = map_of<std::int16_t>(small,
                                        {6, -1, 9, 12, 4, 4,  //
                                         3, 6, 9, -1, 9, 12},
                                        0, -1);
  EXPECT_EQ(flags_in(found, map, FlagType::bit_or), std::pair(Values({7, 0, 0}), Values({3, 0, 0})));
}

template <class T>
Values stored(std::vector<T> values, double bzero) {
  Values flags;
  for (const bool big_endian : {false, true}) {
    const Shape shape{static_cast<std::int64_t>(values.size()), 1};
    std::vector<int> labels(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) labels[i] = static_cast<int>(i + 1);
    Found found = found_in(shape, labels);
    const Values own = flags_in(found, map_of<T>(shape, values, bzero, {}, big_endian), FlagType::bit_or).first;
    if (big_endian) {
      EXPECT_EQ(own, flags);
    }
    flags = own;
  }
  return flags;
}

TEST(SourceFlags, IntegersAreUnsignedToTheirLastBit) {
  EXPECT_EQ(stored<std::uint8_t>({1, 128, 255}, 0), Values({1, 128, 255}));
  EXPECT_EQ(stored<std::uint8_t>({129, 255}, -128), Values({1, 127})) << "signed bytes";
  EXPECT_EQ(stored<std::int16_t>({1, -1, -32768}, 0), Values({1, 65535, 32768}));
  EXPECT_EQ(stored<std::int16_t>({-32768, -32767, 32767}, 32768), Values({0, 1, 65535})) << "unsigned";
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  EXPECT_EQ(stored<std::int32_t>({(1 << 30) + 1, -1, least + 5}, 0), Values({1073741825, 4294967295, 2147483653}));
  EXPECT_EQ(stored<std::int32_t>({least, least + 16777217, -1}, 2147483648.0), Values({0, 16777217, 2147483647}));
}

TEST(SourceFlags, SomeFormatsAreNoFlags) {
  EXPECT_EQ(flags_problem({.bitpix = 8}), "");
  EXPECT_EQ(flags_problem({.bitpix = 16, .bzero = 32768}), "");
  EXPECT_EQ(flags_problem({.bitpix = 32, .bzero = 2147483648.0}), "");
  EXPECT_NE(flags_problem({.bitpix = -32}), "");
  EXPECT_NE(flags_problem({.bitpix = 64}), "");
  EXPECT_NE(flags_problem({.bitpix = 16, .bzero = 1}), "");
  EXPECT_NE(flags_problem({.bitpix = 16, .bscale = 2}), "");
}

/// All pixels of a source in a list, whatever its length.
std::pair<std::int64_t, std::int64_t> slowly(const std::vector<std::uint32_t>& all, FlagType type) {
  std::vector<std::uint32_t> flags;
  std::ranges::copy_if(all, std::back_inserter(flags), [](std::uint32_t flag) { return flag != 0; });
  if (flags.empty()) return {0, 0};
  std::uint32_t value = flags.front();
  if (type == FlagType::bit_or)
    for (const std::uint32_t flag : flags) value |= flag;
  if (type == FlagType::bit_and)
    for (const std::uint32_t flag : flags) value &= flag;
  if (type == FlagType::bit_or || type == FlagType::bit_and) return {value, std::ssize(flags)};
  if (type == FlagType::min) value = std::ranges::min(flags);
  if (type == FlagType::max) value = std::ranges::max(flags);
  if (type == FlagType::most)
    for (const std::uint32_t flag : flags)
      if (std::ranges::count(flags, flag) > std::ranges::count(flags, value)) value = flag;
  return {value, std::ranges::count(flags, value)};
}

/// Images of several pieces, sources that lie across them, and many flags.
TEST(SourceFlags, LargeMapsAreThoseOfTheSlowWay) {
  std::mt19937 random(5);
  const Shape shape{1021, 2600};
  std::vector<int> labels(static_cast<std::size_t>(shape.count()));
  std::vector<std::int32_t> flags(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto x = static_cast<std::int64_t>(i) % shape.width, y = static_cast<std::int64_t>(i) / shape.width;
    labels[i] = x % 103 < 40 ? static_cast<int>(1 + x / 103 + 10 * (y / 680)) : 0;
    if (random() % 5 == 0) flags[i] = static_cast<std::int32_t>(random() % 7 == 0 ? random() | 1U << 31 : random() % 9);
  }
  const int sources = *std::ranges::max_element(labels);
  std::vector<std::vector<std::uint32_t>> of_source(static_cast<std::size_t>(sources));
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] != 0 && static_cast<std::int64_t>(i) / shape.width % 680 < 30)
      of_source[static_cast<std::size_t>(labels[i] - 1)].push_back(static_cast<std::uint32_t>(flags[i]));
    else
      flags[i] = 0;
  Found found = found_in(shape, labels);
  for (const FlagType type : {FlagType::bit_or, FlagType::bit_and, FlagType::min, FlagType::max, FlagType::most}) {
    for (const int threads : {1, 4}) {
      const auto [value, pixels] = flags_in(found, map_of(shape, flags), type, ~std::uint64_t{0}, threads);
      for (std::size_t row = 0; row < of_source.size(); ++row)
        EXPECT_EQ(std::pair(value[row], pixels[row]), slowly(of_source[row], type))
            << row << ", type " << static_cast<int>(type);
    }
  }
}

TEST(SourceFlags, ValuesThatAllDifferAreNoFlagsOfWhichOneIsTheMostFrequent) {
  const Shape shape{1000, 1000};
  std::vector<std::int32_t> values(1000 * 1000);
  std::iota(values.begin(), values.end(), 1);
  Found found = found_in(shape, std::vector<int>(values.size(), 1));
  const FlagMap map{map_of(shape, values), ~std::uint64_t{0}, FlagType::most};
  try {
    flag_sources(map, found.runs, found.label, found.sources, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_NE(std::string(error.what()).find("flags.bits"), std::string::npos) << error.what();
  }
  for (std::int32_t& value : values) value &= 0xff;
  Found flagged = found_in(shape, std::vector<int>(values.size(), 1));
  flag_sources({map_of(shape, values), ~std::uint64_t{0}, FlagType::most}, flagged.runs, flagged.label, flagged.sources,
               {});
  // Of 1 to 1 000 000 those that end in 01 to 40, hexadecimal, come once more often; 0 is no flag.
  EXPECT_EQ(flagged.sources[columns::imaflags_iso].at(0), 1);
  EXPECT_EQ(flagged.sources[ColumnKey<std::int64_t>{"NIMAFLAGS_ISO"}].at(0), 3907);
}

}  // namespace
}  // namespace srcextract
