#include "io/tables/text_fields.hpp"

#include <algorithm>

namespace srcextract {

std::string shown(std::string_view field) {
  constexpr std::size_t longest = 40;
  std::string out(field.substr(0, longest));
  std::replace_if(
      out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return "'" + out + (field.size() > longest ? "...'" : "'");
}

std::size_t FieldSplitter::unquote(TextLines& lines, std::size_t at) {
  unquoted_.clear();
  for (;;) {
    const std::string_view line = lines.line();
    const std::size_t quote = std::min(line.find('"', at), line.size());
    unquoted_ += line.substr(at, quote - at);
    at = quote + 1;
    if (quote == line.size()) {
      at = quote;
      if (!lines.extend()) throw lines.error("a quote is opened in this line and never closed");
    } else if (at < line.size() && line[at] == '"') {
      unquoted_ += '"';
      ++at;
    } else {
      while (at < line.size() && is_blank(line[at]) && !is_delimiter(line[at])) ++at;
      if (at == line.size() || is_delimiter(line[at])) return at;
      throw lines.error("text follows the closing quote of " + shown(unquoted_) +
                        "; a quote inside of quotes is written twice");
    }
  }
}

}  // namespace srcextract
