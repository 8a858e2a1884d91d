#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/io/support/votable_files.hpp"

namespace srcextract {
namespace {

using testing::binary;
using ::testing::ElementsAre;
using testing::field;
using ::testing::HasSubstr;
using testing::open_votable;
using testing::problem;
using testing::read_all;
using ::testing::StartsWith;
using testing::tabledata;
using testing::TemporaryFolder;
using testing::values;
using testing::votable;

TEST(VotableBadInput, WhatIsWrongInTheHeaderIsSaidWithItsLine) {
  TemporaryFolder directory;
  const auto of = [&](const std::string& fields) { return problem(directory, votable(fields, "")); };
  EXPECT_EQ(
      of(field("a", "int") + field("b", "Float")),
      ":5: the FIELD 'b' has the datatype 'Float', which is none of VOTable's: boolean, bit, unsignedByte, short, "
      "int, long, char, unicodeChar, float, double, floatComplex, doubleComplex");
  EXPECT_EQ(of("<FIELD name='a'/>"), ":4: the FIELD 'a' has no datatype");
  EXPECT_EQ(of("<FIELD datatype='int'/>"), ":4: a FIELD has neither name nor ID");
  for (const std::string size :
       {"-1", "x", "3x", "3 4", "1e9", "99999999999999999999", "*3", "10**", "1048576x1048577"}) {
    EXPECT_THAT(of(field("a", "int", "arraysize='" + size + "'")), HasSubstr("has the arraysize '" + size + "'"))
        << size;
  }
  EXPECT_THAT(of(field("a", "int") + field("b", "int") + field("a", "int")), HasSubstr("two columns named 'a'"));
  EXPECT_THAT(of(field("a", "int", "arraysize='2'") + field("a_1", "int")), HasSubstr("two columns named 'a_1'"));
  EXPECT_EQ(of(""), ":4: the TABLE has no FIELD: there is no column to read");
  EXPECT_THAT(of(field("a", "int", "arraysize='*'") + field("b", "floatComplex")), HasSubstr("no column to read: all"));
  EXPECT_THAT(of(field(std::string(1000, 'a'), "int")), HasSubstr("the name of a FIELD has 1000 characters"));
}

TEST(VotableBadInput, WhatIsNoVotableIsRefused) {
  TemporaryFolder directory;
  EXPECT_EQ(problem(directory, "<html><body/></html>"), ":1: this is no VOTable: its root is <html>");
  EXPECT_EQ(problem(directory, "<VOTABLE>\n<RESOURCE/></VOTABLE>"), ":2: the VOTable has no TABLE");
  EXPECT_EQ(problem(directory, ""), ":1: the file is cut short: its XML does not end; fetch or make it again");
  EXPECT_THAT(problem(directory, "1,2,3\n"), HasSubstr(":1: the file is not well-formed XML"));
  EXPECT_THAT(problem(directory, votable(field("a", "int"), "<DATA><FITS/></DATA>")),
              HasSubstr(":5: the rows are a FITS"));
  EXPECT_THAT(problem(directory, votable(field("a", "int"), "<DATA><PARQUET/></DATA>")), HasSubstr("<PARQUET> holds"));
  const auto stream = [&](const std::string& attributes) {
    return problem(directory, votable(field("a", "int"), "<DATA><BINARY><STREAM " + attributes + "/></BINARY></DATA>"));
  };
  EXPECT_THAT(stream("href='file:///etc/passwd'"), HasSubstr("the rows are in another file, file:///etc/passwd"));
  EXPECT_THAT(stream("encoding='gzip'"), HasSubstr("the STREAM has the encoding 'gzip'; base64 is read"));
  EXPECT_THAT(stream(""), HasSubstr("the encoding 'none'"));
}

TEST(VotableBadInput, NoEntityIsExpanded) {
  TemporaryFolder directory;
  const std::string body = "<VOTABLE><RESOURCE><TABLE>" + field("a", "char", "arraysize='*'") +
                           tabledata("<TR><TD>x&e;</TD></TR>") + "</TABLE></RESOURCE></VOTABLE>";
  for (const std::string subset :
       {"<!ENTITY e 'abc'>", "<!ENTITY e SYSTEM 'file:///etc/passwd'>", "<!ENTITY % e 'a'>"}) {
    EXPECT_THAT(problem(directory, "<!DOCTYPE VOTABLE [" + subset + "]>" + body),
                HasSubstr(":1: the file declares a "));
  }
  const std::string external = "<!DOCTYPE VOTABLE SYSTEM 'http://us-vo.org/xml/VOTable.dtd'>\n";
  EXPECT_THAT(problem(directory, external + body), HasSubstr(":4: the entity &e; is not declared"));
  EXPECT_EQ(problem(directory, external + votable(field("a", "int"), "").substr(22)), "");  // as VOTable 1.0 was
}

TEST(VotableBadInput, WhatIsWrongInARowIsSaidWithItsLineAndRow) {
  TemporaryFolder directory;
  const auto of = [&](const std::string& type, const std::string& more, const std::string& bad) {
    return problem(directory, votable(field("a", type, more), tabledata("<TR><TD/></TR>\n<TR>" + bad + "</TR>\n")));
  };
  const std::string row = ":7: row 2 of the TABLE: ";
  EXPECT_EQ(of("int", "", "<TD>1.5</TD>"), row + "the FIELD 'a' has '1.5', and is to have int");
  EXPECT_EQ(of("short", "arraysize='2'", "<TD>1</TD>"),
            row + "the FIELD 'a' has '1', and is to have short of arraysize 2");
  for (const auto& [type, text] : std::vector<std::pair<std::string, std::string>>{{"short", "32768"},
                                                                                   {"unsignedByte", "-1"},
                                                                                   {"bit", "2"},
                                                                                   {"long", "9223372036854775808"},
                                                                                   {"int", "0x"},
                                                                                   {"int", "1 2"},
                                                                                   {"double", "1.5x"},
                                                                                   {"float", "+-1"},
                                                                                   {"boolean", "yes"}}) {
    EXPECT_THAT(of(type, "", "<TD>" + text + "</TD>"), StartsWith(row + "the FIELD 'a' has '" + text + "'")) << type;
  }
  EXPECT_THAT(of("int", "arraysize='2'", "<TD>1 2 3</TD>"), StartsWith(row));
  EXPECT_THAT(of("bit", "arraysize='3'", "<TD>10</TD>"), StartsWith(row));
  EXPECT_EQ(of("int", "", ""), row + "it has 0 TD, and the TABLE has 1 FIELDs");
  EXPECT_EQ(of("int", "", "<TD/><TD/>"), row + "it has more TD than the TABLE has FIELDs, which is 1");
  EXPECT_THAT(of("int", "", "<TD encoding='base64'>AA</TD>"), HasSubstr("a TD is encoded"));
  EXPECT_THAT(of("int", "", "<TD>1<b>2</b></TD>"), HasSubstr(":7: <b> cannot stand here"));
}

TEST(VotableBadInput, WhatIsWrongInAStreamIsSaid) {
  TemporaryFolder directory;
  const auto of = [&](const std::string& type, const std::string& more, const std::string& base64) {
    return problem(directory, votable(field("a", type, more), binary(base64)));
  };
  EXPECT_EQ(of("int", "", "AAAAAQ==\n"), "");
  EXPECT_EQ(of("int", "", "AAAA\nA!=="), ":7: row 1 of the TABLE: the base64 text is damaged");
  EXPECT_THAT(of("int", "", "AAAAAQ"), HasSubstr("cut short: it ends inside a group of four"));
  EXPECT_THAT(of("int", "", "AAAAAQAA"), HasSubstr("row 2 of the TABLE: the data end inside it"));
  EXPECT_THAT(of("char", "arraysize='*'", "AAAABWFi"), HasSubstr("row 1 of the TABLE: the data end inside it"));
  const TableFile file =
      open_votable(directory.write("t.vot", votable(field("a", "int") + field("b", "int"), binary("AAAAAQAA"))));
  EXPECT_THAT([&] { read_votable(file, {0}); },
              ::testing::ThrowsMessage<Error>(HasSubstr("row 1 of the TABLE: the data end")));
  EXPECT_THAT(of("char", "arraysize='*'", "/////w=="), HasSubstr("the FIELD 'a' has -1 elements"));
  EXPECT_THAT(of("boolean", "", "eA=="), HasSubstr("the FIELD 'a' is no boolean"));
  EXPECT_THAT(of("char", "arraysize='0'", "AAAA"), HasSubstr("have no bytes"));
  EXPECT_THAT(of("char", "arraysize='10x*'", "AAAA"), HasSubstr("no column to read"));
  EXPECT_THAT(problem(directory, votable(field("a", "int") + field("b", "char", "arraysize='10x*'"), binary("AAAA"))),
              HasSubstr("write the table as TABLEDATA"));
}

TEST(VotableBadInput, ADeclaredSizeAloneTakesNoMemory) {
  TemporaryFolder directory;
  const std::string more = "arraysize='1000000000'";
  const std::string fields = field("a", "double", more) + field("b", "char", more) + field("c", "int");
  const TableFile file = open_votable(directory.write("t.vot", votable(fields, binary("AAAA"))));
  ASSERT_EQ(file.columns.size(), 2u);
  EXPECT_THROW(read_all(file), Error);
  std::string arrays;
  for (int i = 0; i < 1000; ++i) arrays += field("f" + std::to_string(i), "int", "arraysize='1000'");
  EXPECT_THAT(problem(directory, votable(arrays, "")), HasSubstr("has 1000000 columns"));
}

TEST(VotableBadInput, NeitherTheDepthNorTheLengthOfMarkupTakesMemory) {
  TemporaryFolder directory;
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  EXPECT_THAT(problem(directory, "<VOTABLE>" + deep), HasSubstr("nested too deeply"));
  std::string value;
  for (int i = 0; i < 40; ++i) value.append(1'000'000, 'a');
  EXPECT_THAT(problem(directory, "<VOTABLE a='" + value), HasSubstr("longer than 16 MiB"));
}

TEST(VotableBadInput, HasAHundredThousandFields) {
  TemporaryFolder directory;
  std::string fields, row = "<TR>";
  for (int i = 0; i < 100'000; ++i) {
    fields += field("f" + std::to_string(i), "int");
    row += "<TD>" + std::to_string(i) + "</TD>";
  }
  const TableFile file =
      open_votable(directory.write("t.vot", votable(fields, tabledata(row + "</TR>" + row + "</TR>"))));
  const Table table = read_all(file);
  ASSERT_EQ(table.columns.size(), 100'000u);
  EXPECT_EQ(table.columns[99'999].name, "f99999");
  EXPECT_THAT(values<std::int32_t>(table, 99'999), ElementsAre(99'999, 99'999));
}

/// One small file of each serialisation, with cells of every kind.
std::vector<std::string> small_files() {
  const std::string fields = "<FIELD name='i' datatype='int'><VALUES null='-1'/><DESCRIPTION>d</DESCRIPTION></FIELD>" +
                             field("t", "char", "arraysize='*'") + field("u", "unicodeChar", "arraysize='2'") +
                             field("b", "bit", "arraysize='9'") + field("v", "int", "arraysize='*'") +
                             field("f", "float", "arraysize='2'");
  // Python: struct.pack('>i i3s 4s 2s ii 2f', 7, 3, b'abc', b'\0a\xd8\0', b'\xff\x80', 1, 2, 1.5, 2.5), twice;
  // before each row of BINARY2 b'\x40'.
  const std::string row =
      "<TR><TD>7</TD><TD>a&amp;b</TD><TD>\xc3\xa9</TD><TD>111100001</TD><TD>2</TD><TD>1 2</TD></TR>";
  return {
      votable(fields, tabledata(row + row)),
      votable(fields,
              binary("AAAABwAAAANhYmMAYdgA/4AAAAABAAAAAj/AAABAIAAAAAAABwAAAANhYmMAYdgA/4AAAAABAAAAAj/AAABAIAAA")),
      votable(fields, binary("QAAAAAcAAAADYWJjAGHYAP+AAAAAAQAAAAI/wAAAQCAAAEAAAAAHAAAAA2FiYwBh2AD/gAAAAAEAAAACP8AAAEAg"
                             "AAA=",
                             "BINARY2"))};
}

TEST(VotableBadInput, CutShortAnywhereItIsAnError) {
  TemporaryFolder directory;
  for (const std::string& text : small_files()) {
    ASSERT_EQ(problem(directory, text), "");
    const std::size_t end = text.rfind('>');
    for (std::size_t size = 0; size <= end; ++size) {
      EXPECT_NE(problem(directory, text.substr(0, size)), "") << text.substr(0, size);
    }
  }
}

TEST(VotableBadInput, DamagedAnywhereItIsReadOrAnError) {
  TemporaryFolder directory;
  std::mt19937 random(1);
  int errors = 0;
  for (const std::string& text : small_files()) {
    for (int trial = 0; trial < 300; ++trial) {
      std::string damaged = text;
      for (int flips = 1 + trial % 3; flips > 0; --flips)
        damaged[random() % text.size()] ^= static_cast<char>(1 << random() % 8);
      errors += problem(directory, damaged).empty() ? 0 : 1;
    }
  }
  EXPECT_GT(errors, 300);
}

}  // namespace
}  // namespace srcextract
