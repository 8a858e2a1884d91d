#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/fits/card.hpp"

namespace srcextract {

/// Limit on the size of the page that --report writes, in bytes.
inline constexpr std::size_t most_report_bytes = 2'000'000;

/// Replaces each {{name}} in the page by the value of that name. Names inside values are not replaced.
std::string fill_page(std::string_view page, const std::map<std::string, std::string, std::less<>>& values);

/// Escapes `<` in JSON, so that the JSON cannot end the <script> element around it.
std::string script_text(std::string_view json);

/// A text as a JSON string for a <script> element; invalid UTF-8 is replaced.
std::string json_text(std::string_view text);

/// A number as JSON with `digits` significant digits; null if the number is not finite.
std::string short_number(double value, int digits = 5);

/// A number with six significant digits and the unit, as in "4.2 adu".
std::string with_unit(double value, const std::string& unit);

/// The value of a header keyword as text for a reader.
std::string value_text(const KeywordValue& value);

/// The header cell of a table column as HTML. The description is shown as a tooltip.
std::string head_cell(const std::string& name, const std::string& unit, const std::string& description,
                      bool is_text = false);

/// The section of warnings as HTML; empty if there are none.
std::string warnings_html(const std::vector<std::string>& warnings);

}  // namespace srcextract
