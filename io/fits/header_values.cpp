#include "io/fits/header_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "io/fits/header.hpp"
#include "stages/core/shortest_number.hpp"

namespace srcextract {
namespace {

/// Returns the keyword's value for catalogues and reports, with '?' in place of unprintable bytes of a text. Returns
/// nothing if the keyword has no value.
std::optional<HeaderValue> reported(const Header& header, const std::string& keyword) {
  CardValue found = header.find(keyword);
  if (!found.value) return std::nullopt;
  if (auto* const text = std::get_if<std::string>(&*found.value)) *text = printable_ascii(std::move(*text));
  return HeaderValue{keyword, std::move(*found.value)};
}

}  // namespace

const KeywordValue* value_in(const std::vector<HeaderValue>& header, std::string_view keyword) {
  const auto found = std::ranges::find(header, keyword, &HeaderValue::keyword);
  return found == header.end() ? nullptr : &found->value;
}

std::vector<HeaderValue> header_values(std::string_view header, std::string_view primary,
                                       const std::vector<std::string>& more) {
  std::vector<std::string> keywords(std::begin(usual_keywords), std::end(usual_keywords));
  for (const std::string& keyword : more)
    if (std::ranges::find(keywords, keyword) == keywords.end()) keywords.push_back(keyword);
  const Header own(header), inherited(primary);
  const bool inherits = own.find("INHERIT").value != KeywordValue(false);
  std::vector<HeaderValue> values;
  for (const std::string& keyword : keywords) {
    std::optional<HeaderValue> value = reported(own, keyword);
    if (!value && inherits && keyword != "EXTNAME" && !own.has(keyword)) value = reported(inherited, keyword);
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
