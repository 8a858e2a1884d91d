#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/card.hpp"

namespace srcextract {

/// Greatest size of a page of --report, in bytes.
inline constexpr std::size_t most_report_bytes = 2'000'000;

/// Replaces each {{name}} of the page by its value. Values are not searched for further names.
std::string fill_page(std::string_view page, const std::map<std::string, std::string, std::less<>>& values);

/// JSON without a character that could end a <script> element.
std::string script_text(std::string_view json);

/// A text as JSON that may stand in a <script> element; invalid UTF-8 is replaced.
std::string json_text(std::string_view text);

/// A number as JSON with `digits` significant digits; null if it is not finite.
std::string short_number(double value, int digits = 5);

/// "4.2 adu", with six digits.
std::string with_unit(double value, const std::string& unit);

/// The value of a keyword for people.
std::string value_text(const KeywordValue& value);

/// The head cell of a table's column as HTML, with the description as its title.
std::string head_cell(const std::string& name, const std::string& unit, const std::string& description,
                      bool is_text = false);

/// The section of warnings as HTML; empty without warnings.
std::string warnings_html(const std::vector<std::string>& warnings);

}  // namespace srcextract
