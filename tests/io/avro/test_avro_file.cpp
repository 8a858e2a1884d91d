#include "io/avro/avro_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "stages/core/error.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/support/temporary_folder.hpp"

namespace srcextract {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* schema =
    R"({"type":"record","name":"r","fields":[{"name":"a","type":["null","double"]},{"name":"b","type":"bytes"},)"
    R"({"name":"c","type":"long"},{"name":"d","type":{"type":"record","name":"s","fields":[{"name":"e","type":"string"},)"
    R"({"name":"f","type":"int"}]}}]})";

std::string file_of(const testing::TemporaryFolder& folder, const std::vector<std::vector<AvroValue>>& records) {
  OutputFile file(folder / "x.avro");
  AvroFile avro(file, schema, {{"key", "value"}});
  for (const std::vector<AvroValue>& record : records) avro.write(record);
  avro.finish();
  file.commit();
  return testing::read_file(folder / "x.avro");
}

std::vector<AvroValue> record(AvroValue first) {
  return {std::move(first),
          {AvroValue::Bytes{std::byte{7}, std::byte{0}}},
          {std::int64_t{-65}},
          {std::vector<AvroValue>{{std::string("text")}, {std::int32_t{1}}}}};
}

// By the specification: lengths and numbers are zigzag, the branch of a union is its number, a record its fields.
TEST(AvroFile, HasTheBytesOfTheSpecification) {
  const testing::TemporaryFolder folder;
  const std::string head = file_of(folder, {});
  EXPECT_THAT(head, StartsWith(std::string("Obj\x01\x06\x14") + "avro.codec\x08null\x16" + "avro.schema"));
  EXPECT_THAT(head, HasSubstr(std::string(schema) + "\x06key\x0avalue" + std::string(1, '\0')));
  const std::string mark = head.substr(head.size() - 16);
  const std::string rest =
      std::string("\x04\x07\x00", 3) + "\x81\x01" + "\x08text\x02";  // of bytes, -65, the record inside
  const std::string block = std::string(1, '\0') + rest + "\x02" + std::string("\0\0\0\0\0\0\xf8\x3f", 8) + rest;
  const std::string all = file_of(folder, {record({}), record({1.5})});
  EXPECT_EQ(all, head + "\x04" + static_cast<char>(2 * block.size()) + block + mark);
}

TEST(AvroFile, RefusesAValueThatItsFieldCannotHold) {
  const testing::TemporaryFolder folder;
  try {
    file_of(folder, {record({std::string("no number")})});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
  }
}

// More than a block of 1 MB each.
TEST(AvroFile, EndsEveryBlockWithTheMark) {
  const testing::TemporaryFolder folder;
  std::vector<AvroValue> large = record({});
  large[1].held = AvroValue::Bytes(std::size_t{3} << 19);
  const std::string head = file_of(folder, {}), two = file_of(folder, {large, large});
  const std::string mark = head.substr(head.size() - 16);
  std::size_t marks = 0;
  for (std::size_t at = two.find(mark); at != std::string::npos; at = two.find(mark, at + 1)) ++marks;
  EXPECT_EQ(marks, 3u);
  EXPECT_TRUE(two.ends_with(mark));
}

}  // namespace
}  // namespace srcextract
