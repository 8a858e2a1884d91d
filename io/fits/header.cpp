#include "io/fits/header.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "stages/core/error.hpp"

namespace srcextract {
namespace {

/// Returns the characters of a keyword, padded with blanks to 8, as one number. Different keywords give different
/// numbers.
std::uint64_t packed(std::string_view keyword) {
  std::array<char, keyword_length> columns;
  columns.fill(' ');
  keyword.copy(columns.data(), columns.size());
  std::uint64_t name = 0;
  std::memcpy(&name, columns.data(), columns.size());
  return name;
}

}  // namespace

std::optional<std::string_view> cards_to_end(std::string_view text) {
  for (std::size_t at = 0; at + card_length <= text.size(); at += card_length)
    if (is_end(text.substr(at))) return text.substr(0, at + card_length);
  return std::nullopt;
}

std::optional<double> as_real(const KeywordValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  const auto* text = std::get_if<std::string>(&value);
  const std::optional<KeywordValue> number = text ? number_in(*text) : std::nullopt;
  return number ? as_real(*number) : std::nullopt;
}

std::optional<std::int64_t> as_integer(const KeywordValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* real = std::get_if<double>(&value)) {
    const bool fits = *real >= -0x1p63 && *real < 0x1p63 && *real == std::floor(*real);
    return fits ? std::optional(static_cast<std::int64_t>(*real)) : std::nullopt;
  }
  const auto* text = std::get_if<std::string>(&value);
  const std::optional<KeywordValue> number = text ? number_in(*text) : std::nullopt;
  return number ? as_integer(*number) : std::nullopt;
}

Header::Header(std::string_view cards, std::string where) : cards_(cards), where_(std::move(where)) {
  for (std::size_t at = 0; at + card_length <= cards.size(); at += card_length) {
    const std::string_view card = cards.substr(at, card_length);
    if (is_end(card)) {
      cards_ = cards.substr(0, at + card_length);
      break;
    }
    if (!keyword_of(card).empty()) index_.push_back({packed(keyword_of(card)), at});
  }
  std::sort(index_.begin(), index_.end());
}

std::pair<Header::PlaceIterator, Header::PlaceIterator> Header::places(std::string_view keyword) const {
  if (keyword.empty() || keyword.size() > keyword_length) return {index_.end(), index_.end()};
  const std::uint64_t name = packed(keyword);
  const auto begin = std::partition_point(index_.begin(), index_.end(), [&](const Place& p) { return p.name < name; });
  const auto end = std::find_if_not(begin, index_.end(), [&](const Place& p) { return p.name == name; });
  return {begin, end};
}

bool Header::has(std::string_view keyword) const {
  const auto [begin, end] = places(keyword);
  return begin != end;
}

CardValue Header::read(std::size_t at) const {
  CardValue read = read_value(cards_.substr(at, card_length));
  while (read.continues) {
    at += card_length;
    const std::string_view next = cards_.substr(std::min(at, cards_.size()), card_length);
    if (!next.starts_with("CONTINUE  ")) break;
    const CardValue more = read_continued(next);
    if (!more.value) return {std::nullopt, more.problem};
    if (read.problem.empty()) read.problem = more.problem;
    std::string& text = std::get<std::string>(*read.value);
    text.pop_back();
    text += std::get<std::string>(*more.value);
    read.continues = more.continues;
    if (text.size() > longest_text)
      return {std::nullopt, "is a text of more than " + std::to_string(longest_text) + " characters"};
  }
  return read;
}

CardValue Header::find(std::string_view keyword) const {
  const auto [begin, end] = places(keyword);
  return begin == end ? CardValue{} : read(begin->at);
}

std::string Header::first_text(std::string_view keyword) const {
  const CardValue found = find(keyword);
  const auto* const text = found.value ? std::get_if<std::string>(&*found.value) : nullptr;
  return text ? *text : "";
}

std::vector<CardValue> Header::find_all(std::string_view keyword) const {
  std::vector<CardValue> found;
  const auto [begin, end] = places(keyword);
  for (auto place = begin; place != end; ++place) found.push_back(read(place->at));
  return found;
}

std::vector<Header::Misspelt> Header::misspelt() const {
  std::vector<Misspelt> found;
  for (std::size_t at = 0; at + card_length <= cards_.size(); at += card_length) {
    const std::string_view card = cards_.substr(at, card_length);
    if (std::string keyword = meant_keyword(card); !keyword.empty()) found.push_back({std::move(keyword), card});
  }
  return found;
}

void Header::refuse(std::string_view keyword, const std::string& problem) const {
  std::string card;
  if (const auto [begin, end] = places(keyword); begin != end) card = cards_.substr(begin->at, 30);
  card.resize(card.find_last_not_of(' ') + 1);
  throw Error(ErrorKind::input, where_ + ": " + std::string(keyword) + " " + problem + ": '" + printable_ascii(card) +
                                    "'; the header is damaged or not valid FITS; correct the card, or make the file "
                                    "again");
}

std::optional<KeywordValue> Header::the_one(std::string_view keyword) const {
  const auto [begin, end] = places(keyword);
  if (begin == end) return std::nullopt;
  CardValue first = read(begin->at);
  if (!first.problem.empty()) refuse(keyword, first.problem);
  for (auto place = std::next(begin); place != end; ++place) {
    const CardValue other = read(place->at);
    if (other.value != first.value || !other.problem.empty())
      refuse(keyword, "comes more than once, with different values");
  }
  return std::move(first.value);
}

std::optional<bool> Header::logical(std::string_view keyword) const {
  const std::optional<KeywordValue> value = the_one(keyword);
  if (!value) return std::nullopt;
  const auto* const logical = std::get_if<bool>(&*value);
  if (!logical) refuse(keyword, "is not T or F");
  return *logical;
}

std::optional<std::int64_t> Header::integer(std::string_view keyword, std::int64_t least, std::int64_t most) const {
  const std::optional<KeywordValue> value = the_one(keyword);
  if (!value) return std::nullopt;
  const std::optional<std::int64_t> number = as_integer(*value);
  if (!number) refuse(keyword, "is not an integer of 64 bits");
  if (*number < least) refuse(keyword, "is less than " + std::to_string(least));
  if (*number > most) refuse(keyword, "is more than " + std::to_string(most));
  return number;
}

std::optional<double> Header::real(std::string_view keyword) const {
  const std::optional<KeywordValue> value = the_one(keyword);
  if (!value) return std::nullopt;
  const std::optional<double> number = as_real(*value);
  if (!number) refuse(keyword, "is not a number");
  return number;
}

std::optional<std::string> Header::text(std::string_view keyword) const {
  std::optional<KeywordValue> value = the_one(keyword);
  if (!value) return std::nullopt;
  auto* const text = std::get_if<std::string>(&*value);
  if (!text) refuse(keyword, "is not a text in quotes");
  return std::move(*text);
}

std::vector<std::string_view> Header::keywords() const {
  std::vector<Place> in_file = index_;
  std::ranges::sort(in_file, {}, &Place::at);
  std::vector<std::string_view> names;
  names.reserve(in_file.size());
  for (const Place& place : in_file) names.push_back(keyword_of(cards_.substr(place.at, card_length)));
  return names;
}

}  // namespace srcextract
