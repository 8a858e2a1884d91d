#include "io/tables/column_builder.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "stages/math/splitmix64.hpp"
#include "tests/io/support/text_table_support.hpp"

namespace srcextract {
namespace {

using Fields = std::vector<std::string>;

/// The column that the fields make; the first one that is refused, if any.
std::string built(const Fields& fields, FieldType type = FieldType::any) {
  ColumnBuilder builder(type);
  for (const std::string& field : fields) {
    if (!builder.add(field)) return "refused " + field;
  }
  EXPECT_EQ(builder.size(), std::ssize(fields));
  const auto values = builder.finish();
  return values ? testing::dump(*values) : "mixed";
}

std::string doubles(const std::vector<double>& values) {
  return testing::dump(ColumnValues(values));
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double endless = std::numeric_limits<double>::infinity();

TEST(ColumnBuilderTest, IntegersAreAsNarrowAsTheyCanBe) {
  EXPECT_EQ(built({"1", "-2147483647", "+7", "007"}), "int32 1 -2147483647 7 7");
  EXPECT_EQ(built({"1", "-2147483648", "2"}), "int64 1 -2147483648 2");
  EXPECT_EQ(built({"1", "3000000000", "9223372036854775807"}), "int64 1 3000000000 9223372036854775807");
}

TEST(ColumnBuilderTest, AFractionMakesDoublesOfIntegersBeforeAndAfter) {
  EXPECT_EQ(built({"1", "2.5", "3"}), doubles({1, 2.5, 3}));
  EXPECT_EQ(built({"1", "3000000000", "1e3", "-0"}), doubles({1, 3e9, 1000, -0.0}));
  EXPECT_EQ(built({"9007199254740993", "0.5"}), doubles({9007199254740992, 0.5}));
  EXPECT_EQ(built({"18446744073709551616", "0.5"}), doubles({18446744073709551616.0, 0.5}));
  EXPECT_EQ(built({"inf", "-INFINITY", "1"}), doubles({endless, -endless, 1}));
}

TEST(ColumnBuilderTest, AMissingNumberIsNan) {
  for (const char* missing : {"", "nan", "NaN", "-nan", "null", "NULL", "None", "masked", "--"}) {
    EXPECT_EQ(built({"1", missing, "2"}), doubles({1, not_a_number, 2})) << missing;
    EXPECT_EQ(built({missing, "1.5", missing}), doubles({not_a_number, 1.5, not_a_number})) << missing;
    EXPECT_EQ(built({missing, missing}), doubles({not_a_number, not_a_number})) << missing;
  }
  EXPECT_EQ(built({}), "float64");
}

TEST(ColumnBuilderTest, LongIntegersOfWhichOneIsMissingBecomeText) {
  EXPECT_EQ(built({"9007199254740992", "", "1"}), doubles({9007199254740992, not_a_number, 1}));
  EXPECT_EQ(built({"9007199254740993", "", "1"}), "text '9007199254740993' '' '1'");
  EXPECT_EQ(built({"null", "-9007199254740993"}, FieldType::integer), "text '' '-9007199254740993'");
}

TEST(ColumnBuilderTest, NumbersAndTextAreForTheCallerToReadAgain) {
  EXPECT_EQ(built({"1", "a"}), "mixed");
  EXPECT_EQ(built({"1.5", "0x10", "2"}), "mixed");
  EXPECT_EQ(built({"nan", "a"}), "mixed");
  EXPECT_EQ(built({"1", "9223372036854775808"}), "mixed");
  EXPECT_EQ(built({"1", "-9223372036854775808"}), "mixed");
  EXPECT_EQ(built({"1", "a", ""}, FieldType::text), "text '1' 'a' ''");
  EXPECT_EQ(built({"", "", "a", "1"}), "text '' '' 'a' '1'");
}

TEST(ColumnBuilderTest, WhatIsNoNumberIsText) {
  for (const char* field : {"1.5x", "+-5", "--5", "1D", "1e", ".", "e5", "1 2", "1_000", "0x10", "1,5", "12:30"}) {
    EXPECT_EQ(built({field}), "text '" + std::string(field) + "'");
    EXPECT_EQ(built({field}, FieldType::float64), "refused " + std::string(field));
  }
}

TEST(ColumnBuilderTest, ExponentsMayBeFortrans) {
  EXPECT_EQ(built({"1.5D3", "1d-3", "-1.D+02", "+.5"}), doubles({1500, 0.001, -100, 0.5}));
}

TEST(ColumnBuilderTest, NumbersOutOfRangeAreInfiniteOrZero) {
  EXPECT_EQ(built({"1e400", "-1e400", "1e-400", "1D400", "5e-324"}), doubles({endless, -endless, 0, endless, 5e-324}));
  EXPECT_EQ(built({"1e39", "1e-50"}, FieldType::float32), testing::dump(std::vector<float>{float(endless), 0}));
}

TEST(ColumnBuilderTest, DeclaredTypesAreHeld) {
  EXPECT_EQ(built({"0.1", ""}, FieldType::float32), testing::dump(std::vector<float>{0.1F, float(not_a_number)}));
  EXPECT_EQ(built({"1", "2"}, FieldType::float64), doubles({1, 2}));
  EXPECT_EQ(built({"True", "F", "1", "false"}, FieldType::boolean), "int32 1 0 1 0");
  EXPECT_EQ(built({"True", ""}, FieldType::boolean), doubles({1, not_a_number}));
  EXPECT_EQ(built({"1", "2.0"}, FieldType::integer), "refused 2.0");
  EXPECT_EQ(built({"yes"}, FieldType::boolean), "refused yes");
}

TEST(ColumnBuilderTest, EveryDoubleComesBackToTheBit) {
  std::vector<double> values;
  Fields fields = {"0.5"};
  for (std::int64_t i = 0; i < 10'000; ++i) {
    const std::uint64_t bits = splitmix64(i);
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    char digits[32];
    fields.emplace_back(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
    values.push_back(value);
  }
  values.insert(values.begin(), 0.5);
  EXPECT_EQ(built(fields), doubles(values));
}

TEST(ColumnBuilderTest, RoomThatIsMadeChangesNothing) {
  for (std::int64_t room : {0, 1, 2, 100}) {
    ColumnBuilder builder;
    builder.add("1");
    builder.reserve(room);
    for (const char* field : {"3000000000", "", "0.5"}) builder.add(field);
    EXPECT_EQ(testing::dump(builder.finish().value()), doubles({1, 3e9, not_a_number, 0.5}));
  }
}

}  // namespace
}  // namespace srcextract
