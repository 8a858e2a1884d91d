#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "io/files/text_lines.hpp"

namespace srcextract {

constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/// Returns the text without blanks and tabs at both ends.
constexpr std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Returns a field for a message: in quotes, at most 40 characters, control characters replaced by '?'.
std::string shown(std::string_view field);

/// Cuts lines into fields at a delimiter. If the delimiter is a blank, any number of blanks, and tabs if `at_tabs`,
/// separate two fields. A field in quotes may contain the delimiter, two quotes that stand for one, and line ends (RFC
/// 4180). Blanks around an unquoted field are dropped.
class FieldSplitter {
 public:
  explicit FieldSplitter(char delimiter, bool at_tabs = true)
      : delimiter_(delimiter), tab_is_text_(delimiter == ' ' && !at_tabs) {}

  /// Calls on_field(index, text) for every field of the current line and returns the number of fields. A quoted field
  /// may extend over several lines, which are then joined to the line. Throws Error{input} if a quoted field is not
  /// closed, or if text follows the closing quote.
  template <class OnField>
  std::size_t split(TextLines& lines, const OnField& on_field) {
    std::string_view line = lines.line();
    std::size_t at = 0;
    for (std::size_t count = 0;; ++count) {
      while (at < line.size() && passes_over(line[at])) ++at;
      if (at == line.size() && is_blank(delimiter_)) return count;
      if (at < line.size() && line[at] == '"') {
        at = unquote(lines, at + 1);
        line = lines.line();
        on_field(count, unquoted_);
      } else {
        const std::size_t end = field_end(line, at);
        const std::string_view field = line.substr(at, end - at);
        on_field(count, tab_is_text_ ? field : without_blanks(field));
        at = end;
      }
      if (at == line.size()) return count + 1;
      ++at;
    }
  }

 private:
  std::size_t field_end(std::string_view line, std::size_t at) const {
    while (at < line.size() && !is_delimiter(line[at])) ++at;
    return at;
  }
  bool is_delimiter(char c) const { return c == delimiter_ || (c == '\t' && delimiter_ == ' ' && !tab_is_text_); }
  bool passes_over(char c) const { return c == ' ' || (c == '\t' && !tab_is_text_); }

  /// Reads the quoted field whose text begins at `at` into unquoted_. Returns the position of the delimiter after the
  /// field.
  std::size_t unquote(TextLines& lines, std::size_t at);

  char delimiter_;
  bool tab_is_text_;
  std::string unquoted_;
};

}  // namespace srcextract
