#include "io/files/xml_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace srcextract {
namespace {

using namespace std::string_literals;

TEST(XmlTextTest, WhatHasAMeaningToXmlIsSpeltOut) {
  for (const auto& [text, written] : {std::pair(""s, ""s),
                                      {"plain 'text'"s, "plain 'text'"s},
                                      {"<a & \"b\">"s, "&lt;a &amp; &quot;b&quot;&gt;"s},
                                      {"\t\r\n"s, "&#9;&#13;&#10;"s},
                                      {"]]>"s, "]]&gt;"s}})
    EXPECT_EQ(xml_text(text), written);
}

TEST(XmlTextTest, TextInUtf8IsKept) {
  // Of one to four bytes each, the last of every length among them.
  for (const std::string text : {"a~", "\xc2\x80\xdf\xbf", "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbd",
                                 "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "M\xc3\xbcnchen \xf0\x9f\x94\xad"})
    EXPECT_EQ(xml_text(text), text);
}

TEST(XmlTextTest, WhatXmlCannotHoldIsReplaced) {
  const std::string r = "\xef\xbf\xbd";
  for (const auto& [text, written] : {std::pair("\0"s, r),
                                      {"a\x01"s
                                       "b\x1f\x7f"s,
                                       "a" + r + "b" + r + r},
                                      {"\x80"s, r},
                                      {"\xc3"s, r},
                                      {"\xc3x"s, r + "x"},
                                      {"\xc0\xaf"s, r + r},                  // two bytes for one
                                      {"\xe0\x80\xaf"s, r + r + r},          // three
                                      {"\xed\xa0\x80"s, r + r + r},          // half of a pair of UTF-16
                                      {"\xf4\x90\x80\x80"s, r + r + r + r},  // beyond Unicode
                                      {"\xff\xfe"s, r + r},
                                      {"\xef\xbf\xbe\xef\xbf\xbf"s, r + r},  // U+FFFE and U+FFFF are no characters
                                      {"\xe2\x82"s, r + r}})
    EXPECT_EQ(xml_text(text), written);
}

}  // namespace
}  // namespace srcextract
