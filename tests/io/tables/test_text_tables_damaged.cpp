#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "io/files/byte_stream.hpp"
#include "stages/core/error.hpp"
#include "stages/math/splitmix64.hpp"
#include "tests/io/support/io_test_support.hpp"
#include "tests/io/support/text_table_support.hpp"

namespace srcextract {
namespace {

using testing::ascii_head;
using testing::csv;
using testing::ecsv;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using testing::TextFormat;

/// The message of the Error{input} with which the file is refused, from its name on.
std::string refusal(const TextFormat& format, const std::string& text) {
  TemporaryFolder directory;
  const std::string path = directory.write("table", text);
  try {
    testing::read_all(format, path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr(path));
    const std::string message = error.what();
    return message.substr(message.find("table"));
  }
  return "not refused";
}

const std::string ecsv_header =
    "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: a, datatype: int32}\n# - {name: b, datatype: float64}\n";
const std::string ecsv_text = ecsv_header + "a b\n1 1.5\n2 2.5\n";
const std::string csv_text = "# made today\na,b,\"c d\"\n1,1.5,\"x\ny\"\n2,,\"say \"\"hi\"\"\"\n";
const std::string ascii_text =
    "#   1 NUMBER     Running object number\n#   2 FLUX_APER  Flux vector  [count]\n   1  1.5 2.5\n   2  3.5 4.5\n";

TEST(DamagedTextTables, EmptyOnes) {
  for (const TextFormat& format : {csv, ecsv})
    EXPECT_THAT(refusal(format, ""), HasSubstr("table:1: the file is empty"));
  EXPECT_THAT(refusal(ascii_head, ""), HasSubstr("this is no ASCII_HEAD catalogue of SExtractor"));
  EXPECT_THAT(refusal(csv, "# nothing\n\n"), HasSubstr("table:3: the file ends before a line with the names"));
}

TEST(DamagedTextTables, CsvSaysTheLineAndWhatIsWrongWithIt) {
  EXPECT_THAT(refusal(csv, "a,b\n1,2\n3\n"), HasSubstr("table:3: the row has 1 fields, but the header has 2 columns"));
  EXPECT_THAT(refusal(csv, "a,b\n1,\"\n\"\n3,4,5"), HasSubstr("table:4: the row has 3 fields"));
  EXPECT_THAT(refusal(csv, "1,2.5\n3,4\n"), HasSubstr("table:1: the first line has numbers where the names"));
  EXPECT_THAT(refusal(csv, "# a,b\n1,nan\n"), HasSubstr("without a # before them"));
  EXPECT_THAT(refusal(csv, "a,b,a\n1,2,3\n"), HasSubstr("table:1: two columns are named 'a'"));
  EXPECT_THAT(refusal(csv, ",col1\n1,2\n"), HasSubstr("two columns are named 'col1'"));
  EXPECT_THAT(refusal(csv, "a,b\n1,2\n3,\"4\n5,6\n"), HasSubstr("table:3: a quote is opened in this line and never"));
  EXPECT_THAT(refusal(csv, "a,b\n1,\"2\"x\n"), HasSubstr("table:2: text follows the closing quote of '2'"));
  EXPECT_THAT(refusal(csv, "a,b\r1,2\r3,4\r"), HasSubstr("goes over an end of line; end lines with LF or CRLF"));
  EXPECT_THAT(refusal(csv, std::string("a,b\n1,\0\n", 8)), HasSubstr("table:2: the line holds a NUL byte"));
}

TEST(DamagedTextTables, CsvOfAnotherSeparatorIsToldSo) {
  EXPECT_THAT(refusal(csv, "# made today\na;b\n1,5;2,5\n"),
              HasSubstr("table:2: the separator seems to be ';', and CSV"));
  EXPECT_THAT(refusal(csv, "\"a\";\"b\"\n1;2\n"), HasSubstr("table:1: the separator seems to be ';'"));
  EXPECT_THAT(refusal(csv, "a\tb\n1\t2\n"), HasSubstr("table:1: the separator seems to be a tab, and CSV"));
}

TEST(DamagedTextTables, EcsvSaysTheLineAndWhatIsWrongWithIt) {
  EXPECT_THAT(refusal(ecsv, ecsv_header + "a b\n1 1.5\n2.5 2\n"),
              HasSubstr("table:8: column a is '2.5', but the header says int32"));
  EXPECT_THAT(refusal(ecsv, ecsv_header + "a b\n1 x\n"),
              HasSubstr("table:7: column b is 'x', but the header says float64"));
  EXPECT_THAT(refusal(ecsv, ecsv_header + "a b\n1\n"), HasSubstr("table:7: the row has 1 fields"));
  EXPECT_THAT(refusal(ecsv, ecsv_header + "a c\n"),
              HasSubstr("table:6: column 2 has the name 'c' here and 'b' in the"));
  EXPECT_THAT(refusal(ecsv, ecsv_header + "a b c\n"),
              HasSubstr("table:6: the line names 3 columns, but the header has 2"));
  EXPECT_THAT(refusal(ecsv, ecsv_header), HasSubstr("the file ends before the line with the names"));
  EXPECT_THAT(refusal(ecsv, ecsv_header + "# - {name: a, datatype: int8}\na b a\n"), HasSubstr("are named 'a'"));
  EXPECT_THAT(refusal(ecsv, ecsv_header + "# - {name: c, datatype: int7}\na b c\n"),
              HasSubstr("table:6: column c has the datatype 'int7'"));
  EXPECT_THAT(refusal(ecsv, ecsv_header + "# - {datatype: int8}\na b c\n"), HasSubstr("table:6: "));
  EXPECT_THAT(refusal(ecsv, ecsv_header + "# - {name: c, ]\na b c\n"), HasSubstr("table:6: the header is no YAML"));
  EXPECT_THAT(refusal(ecsv, ecsv_header + "# delimiter: ;\na;b\n"), HasSubstr("table:6: the delimiter"));
  EXPECT_THAT(refusal(ecsv, "# %ECSV 1.0\n# ---\n# meta: {}\na b\n"), HasSubstr("no list `datatype` of columns"));
  EXPECT_THAT(refusal(ecsv, "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: a, datatype: object}\na\n"),
              HasSubstr("no column of numbers or text"));
  EXPECT_THAT(refusal(ecsv, "# %ECSV 1.0\n# " + std::string(100'000, '[') + "\n"), HasSubstr("the header is no YAML"));
  EXPECT_THAT(refusal(ecsv, "a b\n1 2\n"), HasSubstr("table:1: an ECSV file begins with"));
}

TEST(DamagedTextTables, VectorsOfEcsvAreAsLongAsTheHeaderSays) {
  const std::string header =
      "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: F, datatype: string, subtype: 'float64[3]'}\nF\n";
  EXPECT_THAT(testing::read_all(ecsv, TemporaryFolder().write("table", header)).rows, 0);
  for (const char* field : {"[1,2]", "[1,2,3,4]", "[1,2,3", "1,2,3]", "[1,,3]", "[1,2,]", "[,1,2]", "[[1,2,3]",
                            "[1,2,3]]", "[1,2,3][4]", "[]", "1", "[1,x,3]", "[1[2,3]]"})
    EXPECT_THAT(refusal(ecsv, header + "[1,2,3]\n" + field + "\n"),
                HasSubstr("table:7: column F is '" + std::string(field) + "', but the header says float64[3]"));
  std::string wide = "# %ECSV 1.0\n# ---\n# datatype:\n";
  for (int i = 0; i < 100; ++i)
    wide += "# - {name: F" + std::to_string(i) + ", datatype: string, subtype: 'float64[1024]'}\n";
  EXPECT_THAT(refusal(ecsv, wide), HasSubstr("table:101: with column F97 there are more than 100000 numbers"));
  EXPECT_THAT(refusal(ecsv,
                      "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: F, datatype: string, subtype: 'float64[2]'}\n"
                      "# - {name: F_1, datatype: int8}\nF F_1\n"),
              HasSubstr("two columns are named 'F_1'"));
}

TEST(DamagedTextTables, AsciiHeadSaysTheLineAndWhatIsWrongWithIt) {
  EXPECT_THAT(refusal(ascii_head, "# 1 A\n# 2 B\n1 2 3\n4 5\n"), HasSubstr("table:4: the row has 2 fields"));
  EXPECT_THAT(refusal(ascii_head, "# 1 A\n# 3 B\n1 2\n"),
              HasSubstr("table:3: the first row has 2 fields, but the header"));
  EXPECT_THAT(refusal(ascii_head, "# 1 A\n# 1 B\n"), HasSubstr("table:2: column B has the number 1 after 1"));
  EXPECT_THAT(refusal(ascii_head, "# 2 A\n"), HasSubstr("table:1: column A has the number 2 after 0"));
  EXPECT_THAT(refusal(ascii_head, "# 1 A\n# 2 A\n"), HasSubstr("two columns are named 'A'"));
  EXPECT_THAT(refusal(ascii_head, "# 1 A\n# 3 A_1\n1 2 3"), HasSubstr("two columns are named 'A_1'"));
  EXPECT_THAT(refusal(ascii_head, "# 1 A\n# 4000000000 B\n"), HasSubstr("column B has the number 4000000000"));
  EXPECT_THAT(refusal(ascii_head, "1 2 3\n"), HasSubstr("this is no ASCII_HEAD catalogue"));
}

TEST(DamagedTextTables, ALineWithoutEndIsRefused) {
  std::string text = "a,b\n1,\"";
  text.resize(70'000'000, 'x');
  EXPECT_THAT(refusal(csv, text), HasSubstr("table:2: the line is longer than 64 MiB"));
  for (std::size_t i = 10; i < text.size(); i += 10) text[i] = '\n';
  EXPECT_THAT(refusal(csv, text), HasSubstr("table:2: the line is longer than 64 MiB"));
}

TEST(DamagedTextTables, HeadersThatWouldTakeMuchMemoryAreRefused) {
  std::string items = ecsv_header + "# meta:\n";
  for (int i = 0; i < 600'000; ++i) items += "# - 1,2,3\n";
  EXPECT_THAT(refusal(ecsv, items + "a b\n1 2\n"), HasSubstr("the header is longer than 4 MiB"));
  EXPECT_THAT(refusal(csv, "a" + std::string(300'000, ',') + "\n1\n"),
              HasSubstr("table:1: the line names more than 200000"));
}

TEST(DamagedTextTables, WhatIsNoFileIsRefused) {
  TemporaryFolder directory;
  EXPECT_THROW(ByteStream stream(directory.string()), Error);
  EXPECT_THROW(ByteStream stream(directory / "nothing"), Error);
  ASSERT_EQ(testing::run_command("mkfifo '" + (directory / "pipe") + "'").first, 0);
  EXPECT_THROW(ByteStream stream(directory / "pipe"), Error);
}

TEST(DamagedTextTables, EveryTruncatedOrChangedGzipIsRefused) {
  TemporaryFolder directory;
  const std::string path = directory.write("whole", csv_text);
  ASSERT_EQ(testing::run_command("gzip -kn '" + path + "'").first, 0);
  const std::string whole = testing::read_file(path + ".gz");
  EXPECT_EQ(testing::dump(testing::read_all(csv, path + ".gz")), testing::dump(testing::read_all(csv, path)));
  for (std::size_t size = 2; size < whole.size(); ++size) {
    EXPECT_THAT(refusal(csv, whole.substr(0, size)), HasSubstr("the gzip file is truncated")) << size;
  }
  for (std::size_t i = whole.size() - 8; i < whole.size(); ++i) {  // the checksum, and the size
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    EXPECT_THAT(refusal(csv, damaged), HasSubstr("the gzip file is damaged")) << i;
  }
}

/// Whatever the text is, it is refused or a table comes of it.
bool is_read(const TextFormat& format, const std::string& text) {
  TemporaryFolder directory;
  const std::string path = directory.write("table", text);
  try {
    const Table table = testing::read_all(format, path);
    for (const TableColumn& column : table.columns) {
      std::visit([&](const auto& values) { EXPECT_EQ(std::ssize(values), table.rows) << column.name; }, column.values);
    }
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(path));
    return false;
  }
}

TEST(DamagedTextTables, TruncatedOrChangedTheyAreReadOrRefused) {
  for (const auto& [format, text] :
       {std::pair<const TextFormat&, const std::string&>(csv, csv_text), {ecsv, ecsv_text}, {ascii_head, ascii_text}}) {
    int read = 0, tried = 0;
    EXPECT_TRUE(is_read(format, text));
    for (std::size_t size = 0; size < text.size(); ++size, ++tried) read += is_read(format, text.substr(0, size));
    for (std::int64_t i = 0; i < 300; ++i, ++tried) {
      const std::uint64_t random = splitmix64(i);
      std::string changed = text;
      changed[(random & 0xffff) % text.size()] = static_cast<char>(random >> 16);
      read += is_read(format, changed);
    }
    EXPECT_GT(read, tried / 50) << format.name;
    EXPECT_LT(read, tried - tried / 50) << format.name;
  }
}

}  // namespace
}  // namespace srcextract
