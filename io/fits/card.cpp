#include "io/fits/card.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "stages/core/ascii.hpp"

namespace srcextract {
namespace {

constexpr std::string_view no_ascii = "holds a byte that is not printable ASCII";

/// Removes the digits at the front of `text` and returns how many digits there were.
std::size_t take_digits(std::string_view& text) {
  const std::size_t count = std::min<std::size_t>(
      static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin()), text.size());
  text.remove_prefix(count);
  return count;
}

bool take_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

enum class Form { none, integer, real };

/// Decides whether the text spells an integer, a real number or neither. std::from_chars alone would accept "inf" and
/// "nan" too.
Form form_of(std::string_view text) {
  take_one_of(text, "+-");
  const std::size_t whole = take_digits(text);
  const bool point = take_one_of(text, ".");
  const std::size_t fraction = point ? take_digits(text) : 0;
  if (whole + fraction == 0) return Form::none;
  const bool exponent = take_one_of(text, "EDed");
  if (exponent) {
    take_one_of(text, "+-");
    if (take_digits(text) == 0) return Form::none;
  }
  if (!text.empty()) return Form::none;
  return point || exponent ? Form::real : Form::integer;
}

/// Returns the real number that a text of Form integer or real spells, or nothing if the number is too large for a
/// double. A number too small for a double yields 0.
std::optional<double> real_in(std::string_view text) {
  std::array<char, card_length> digits;
  if (text.size() > digits.size()) return std::nullopt;
  const auto e = [](char c) { return c == 'D' || c == 'd' ? 'e' : c; };
  char* const end = std::ranges::transform(text, digits.begin(), e).out;
  double number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error == std::errc() && stop == end) return number;
  // from_chars reports underflow and overflow alike. In the 80 characters of a card only a negative exponent can cause
  // underflow.
  const std::string_view written(digits.data(), text.size());
  return written.find("e-") != written.npos || written.find("E-") != written.npos ? std::optional(0.0) : std::nullopt;
}

/// Returns true if after a value only blanks, or '/' and a comment, follow.
bool ends_well(std::string_view rest) {
  const std::size_t next = rest.find_first_not_of(' ');
  return next == rest.npos || rest[next] == '/';
}

/// Reads a quoted text and checks the rest of the field; `field` begins with the opening quote.
CardValue read_text(std::string_view field) {
  std::string text;
  bool ascii = true;
  for (std::size_t i = 1; i < field.size(); ++i) {
    if (field[i] == '\'' && field.substr(i + 1, 1) != "'") {
      if (!ends_well(field.substr(i + 1))) return {std::nullopt, "is followed by more than a comment"};
      text.resize(text.find_last_not_of(' ') + 1);
      const bool continues = text.ends_with('&');
      return {std::move(text), ascii ? "" : std::string(no_ascii), continues};
    }
    if (field[i] == '\'') ++i;
    ascii = ascii && is_printable(field[i]);
    text += field[i];
  }
  return {std::nullopt, "is not closed by a quote"};
}

}  // namespace

bool is_end(std::string_view card) {
  return card.starts_with("END     ");
}

std::string_view keyword_of(std::string_view card) {
  constexpr std::string_view characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  constexpr std::array<std::string_view, 5> without_value{"COMMENT", "HISTORY", "CONTINUE", "HIERARCH", "END"};
  if (card.size() <= keyword_length || card[keyword_length] != '=') return {};
  const std::string_view columns = card.substr(0, keyword_length);
  const std::string_view name = columns.substr(0, columns.find_last_not_of(' ') + 1);
  if (name.find_first_not_of(characters) != name.npos) return {};
  return std::ranges::find(without_value, name) == without_value.end() ? name : std::string_view();
}

std::string meant_keyword(std::string_view card) {
  constexpr std::string_view blanks = " \t";
  const std::size_t begin = card.find_first_not_of(blanks);
  if (begin >= keyword_length || !keyword_of(card).empty()) return "";
  const std::size_t end = std::min(card.find_first_of(" \t=", begin), card.size());
  std::string word(card.substr(begin, end - begin));
  if (word.size() > keyword_length) return "";
  const bool has_value = card.substr(std::min(card.find_first_not_of(blanks, end), card.size())).starts_with('=');
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  // Without '=', a word counts as a keyword only in column 1 and in capital letters; any other word counts as free
  // text.
  if (!has_value && (begin > 0 || std::ranges::any_of(word, is_small))) return "";
  return in_capitals(std::move(word));
}

std::optional<KeywordValue> number_in(std::string_view text) {
  text = trimmed(text);
  const Form form = form_of(text);
  if (form == Form::none) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  if (form == Form::integer) {
    std::int64_t number = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc()) return number;
  }
  const std::optional<double> number = real_in(text);
  return number ? std::optional<KeywordValue>(*number) : std::nullopt;
}

CardValue read_value(std::string_view card) {
  card = card.substr(0, card_length);
  const std::string_view field = trimmed(card.substr(std::min(keyword_length + 1, card.size())));
  if (field.starts_with('\'')) return read_text(field);
  const std::string_view text = trimmed(field.substr(0, field.find('/')));
  if (text.empty()) return {};
  if (text == "T" || text == "F") return {text == "T", ""};
  if (const std::optional<KeywordValue> number = number_in(text)) return {number, ""};
  if (!std::ranges::all_of(text, is_printable)) return {std::nullopt, std::string(no_ascii)};
  if (form_of(text) != Form::none) return {std::nullopt, "is a number too large to be held"};
  return {std::nullopt, "is no logical, number, or text in quotes"};
}

CardValue read_continued(std::string_view card) {
  card = card.substr(0, card_length);
  const std::string_view field = trimmed(card.substr(std::min(keyword_length, card.size())));
  if (field.starts_with('\'')) return read_text(field);
  return {std::nullopt, "is continued by a card without a text"};
}

std::string printable_ascii(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return !is_printable(c); }, '?');
  return text;
}

}  // namespace srcextract
