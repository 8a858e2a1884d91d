#include "io/wcs/celestial_cards.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>

namespace srcextract {
namespace {

// FITS Standard 4.0, table 22; SIP; IRAF's WAT cards (TNX, ZPX); and the older forms of the matrix and of the frame.
const char* const text_keywords[] = {"CTYPE[12]", "CUNIT[12]", "PS[12]_[0-9]*",
                                     "RADESYS",   "RADECSYS",  "WAT[012]_[0-9][0-9][0-9]"};
const char* const number_keywords[] = {
    "CRVAL[12]",      "CRPIX[12]",     "CDELT[12]", "CROTA[12]",        "CD[12]_[12]",      "PC[12]_[12]",
    "PC00[12]00[12]", "PV[12]_[0-9]*", "LONPOLE",   "LATPOLE",          "EQUINOX",          "EPOCH",
    "[AB]_ORDER",     "[AB]P_ORDER",   "[AB]_DMAX", "[AB]_[0-9]_[0-9]", "[AB]P_[0-9]_[0-9]"};
const char* const tie_keywords[] = {"CD[12]_[3-9]", "PC[12]_[3-9]", "PC00[12]00[3-9]"};

// Distortions of the draft of Paper IV, among them the look-up tables of HST. Their records (DPj, DQi) are not passed
// on: wcslib indexes arrays with what they say.
const char* const draft_distortions[] = {"CPDIS[12]", "CQDIS[12]"};

template <class Patterns>
bool is_one_of(const Patterns& patterns, const std::string& name) {
  const char first = name[0];
  auto fits = [&](const char* pattern) {
    // A header has hundreds of cards, and the first letter rules most of them out.
    return (*pattern == first || *pattern == '[') && fnmatch(pattern, name.c_str(), 0) == 0;
  };
  return std::any_of(std::begin(patterns), std::end(patterns), fits);
}

/// The value of a card without its comment, or "?" if the card is not made of the one and the other.
std::string value_of(std::string_view card) {
  if (card[8] != '=') return "?";
  const std::size_t begin = std::min(card.find_first_not_of(' ', 9), card.size());
  std::size_t end = std::min(card.find_first_of(" /", begin), card.size());
  if (begin < card.size() && card[begin] == '\'') {
    end = card.find('\'', begin + 1);
    if (end == std::string_view::npos) return "?";
    ++end;
  }
  const std::size_t comment = card.find_first_not_of(' ', end);
  if (comment != std::string_view::npos && card[comment] != '/') return "?";
  return std::string(card.substr(begin, end - begin));
}

/// A string in its quotes. wcslib reads an unclosed one on into the next card and past the end of its buffer.
bool is_text(const std::string& value) {
  return value.front() == '\'';
}

bool is_number(std::string value) {
  std::replace_if(
      value.begin(), value.end(), [](char c) { return c == 'D' || c == 'd'; }, 'E');
  const char* begin = value.data() + (value.front() == '+');
  const char* end = value.data() + value.size();
  double number = 0;
  const auto parsed = std::from_chars(begin, end, number);
  return parsed.ec == std::errc() && parsed.ptr == end && std::isfinite(number);
}

/// Cards in the order in which their keywords first came. Of a keyword that comes again the last card counts, as it
/// does to wcslib.
class CardList {
 public:
  void put(const std::string& name, const std::string& card) {
    const auto [place, is_new] = place_.emplace(name, text_.size());
    if (is_new) text_.resize(text_.size() + 80);
    text_.replace(place->second, 80, card);
  }
  const std::string& text() const { return text_; }

 private:
  std::map<std::string, std::size_t> place_;
  std::string text_;
};

std::string without_quotes(const std::string& value) {
  if (!is_text(value)) return value;
  const std::size_t begin = value.find_first_not_of(" '");
  return begin == std::string::npos ? value : value.substr(begin, value.find_last_not_of(" '") + 1 - begin);
}

/// Some programs write numbers in quotes, EQUINOX above all.
std::string number_card(const std::string& name, const std::string& value) {
  std::string card = name;
  card.resize(8, ' ');
  card += "= " + value;
  card.resize(80, ' ');
  return card;
}

}  // namespace

CelestialCards celestial_cards(const std::string& header) {
  CardList cards, ties;
  std::string problem;
  for (std::size_t i = 0; i + 80 <= header.size(); i += 80) {
    std::string card = header.substr(i, 80);
    const auto unprintable = [](unsigned char c) { return c < 0x20 || c > 0x7e; };
    std::replace_if(card.begin(), card.end(), unprintable, ' ');
    const std::string name = card.substr(0, card.find_last_not_of(' ', 7) + 1);
    if (is_one_of(draft_distortions, name)) problem = "it needs the distortion " + name;
    const bool text = is_one_of(text_keywords, name);
    const bool tie = is_one_of(tie_keywords, name);
    if (!text && !tie && !is_one_of(number_keywords, name)) continue;
    const std::string value = value_of(card);
    if (value.empty()) continue;
    const std::string number = without_quotes(value);
    if (text ? is_text(value) : is_number(number)) {
      (tie ? ties : cards).put(name, text || number == value ? card : number_card(name, number));
    } else {
      problem = "the value of " + name + " cannot be read";
    }
  }
  return {cards.text(), ties.text(), problem};
}

}  // namespace srcextract
