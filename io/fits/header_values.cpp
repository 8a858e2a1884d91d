#include "io/fits/header_values.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "stages/core/shortest_number.hpp"

namespace srcextract {
namespace {

constexpr std::size_t card_length = 80;

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// The text that begins with a quote; none if no other ends it. Two quotes stand for one.
std::optional<std::string> quoted_text(std::string_view field) {
  std::string text;
  for (std::size_t i = 1; i < field.size(); ++i) {
    if (field[i] == '\'' && field.substr(i + 1, 1) != "'") {
      text.resize(text.find_last_not_of(' ') + 1);
      return text;
    }
    if (field[i] == '\'') ++i;
    text += field[i] >= ' ' && field[i] <= '~' ? field[i] : '?';
  }
  return std::nullopt;
}

template <class T>
std::optional<T> number_in(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::string_view card_at(std::string_view header, std::size_t at) {
  return at + card_length <= header.size() ? header.substr(at, card_length) : std::string_view();
}

std::string padded(const std::string& keyword) {
  std::string name = keyword;
  name.resize(8, ' ');
  return name;
}

/// Whether there is a card of the keyword, with a value or without.
bool has_card(std::string_view header, const std::string& keyword) {
  for (std::size_t at = 0; !card_at(header, at).empty(); at += card_length)
    if (card_at(header, at).starts_with(padded(keyword))) return true;
  return false;
}

std::optional<HeaderValue> find_value(std::string_view header, const std::string& keyword) {
  const std::string name = padded(keyword);
  for (std::size_t at = 0; !card_at(header, at).empty(); at += card_length) {
    if (!card_at(header, at).starts_with(name)) continue;
    std::optional<HeaderValue> found = header_value(card_at(header, at));
    auto* const text = found ? std::get_if<std::string>(&found->value) : nullptr;
    while (text && text->ends_with('&') && card_at(header, at + card_length).starts_with("CONTINUE")) {
      at += card_length;
      const auto more = quoted_text(trimmed(card_at(header, at).substr(8)));
      text->pop_back();
      text->append(more.value_or(""));
    }
    return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<HeaderValue> header_value(std::string_view card) {
  if (card.size() < 10 || card.substr(8, 2) != "= ") return std::nullopt;
  std::string keyword(trimmed(card.substr(0, 8)));
  const std::string_view field = trimmed(card.substr(10));
  if (field.starts_with('\'')) {
    std::optional<std::string> text = quoted_text(field);
    if (!text) return std::nullopt;
    return HeaderValue{std::move(keyword), std::move(*text)};
  }
  std::string text(trimmed(field.substr(0, field.find('/'))));
  if (text == "T" || text == "F") return HeaderValue{std::move(keyword), text == "T"};
  if (const auto number = number_in<std::int64_t>(text)) return HeaderValue{std::move(keyword), *number};
  std::ranges::replace_if(
      text, [](char c) { return c == 'D' || c == 'd'; }, 'E');
  const auto number = number_in<double>(text);
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return HeaderValue{std::move(keyword), *number};
}

std::vector<HeaderValue> header_values(std::string_view header, std::string_view primary,
                                       const std::vector<std::string>& more) {
  std::vector<std::string> keywords(std::begin(usual_keywords), std::end(usual_keywords));
  for (const std::string& keyword : more)
    if (std::ranges::find(keywords, keyword) == keywords.end()) keywords.push_back(keyword);
  const std::optional<HeaderValue> inherit = find_value(header, "INHERIT");
  const bool inherits = !inherit || inherit->value != decltype(inherit->value)(false);
  std::vector<HeaderValue> values;
  for (const std::string& keyword : keywords) {
    std::optional<HeaderValue> value = find_value(header, keyword);
    if (!value && inherits && keyword != "EXTNAME" && !has_card(header, keyword)) value = find_value(primary, keyword);
    if (value) values.push_back(std::move(*value));
  }
  return values;
}

std::string format_real(double value) {
  std::string text = shortest(value);
  const std::size_t exponent = std::min(text.find('e'), text.size());
  if (exponent < text.size()) text[exponent] = 'E';
  if (text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

std::string format_card(const HeaderValue& value, std::string_view comment) {
  constexpr std::size_t longest = 68, shortest = 8, number_end = 20;
  std::string card = value.keyword;
  card.resize(8, ' ');
  card += "= ";
  if (const auto* const text = std::get_if<std::string>(&value.value)) {
    std::string inside;
    for (const char c : *text) {
      const std::string_view one = c == '\'' ? std::string_view("''") : std::string_view(&c, 1);
      if (inside.size() + one.size() > longest) break;
      inside += one;
    }
    inside.resize(std::max(inside.size(), shortest), ' ');
    card += "'" + inside + "'";
  } else {
    std::string number;
    if (const auto* logical = std::get_if<bool>(&value.value)) number = *logical ? "T" : "F";
    if (const auto* whole = std::get_if<std::int64_t>(&value.value)) number = std::to_string(*whole);
    if (const auto* real = std::get_if<double>(&value.value); real && std::isfinite(*real)) number = format_real(*real);
    card += std::string(number_end - std::min(number_end, number.size()), ' ') + number;
  }
  if (!comment.empty() && card.size() + 3 + comment.size() <= card_length) card.append(" / ").append(comment);
  card.resize(card_length, ' ');
  return card;
}

}  // namespace srcextract
