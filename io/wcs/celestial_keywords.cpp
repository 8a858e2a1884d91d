#include "io/wcs/celestial_keywords.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "io/fits/header.hpp"

namespace srcextract {
namespace {

// FITS Standard 4.0, table 22; SIP; IRAF's WAT cards (TNX, ZPX); and the older forms of the matrix and of the frame.
const char* const text_keywords[] = {"CTYPE[12]", "CUNIT[12]", "RADESYS", "RADECSYS", "WAT[012]_[0-9][0-9][0-9]"};
const char* const number_keywords[] = {
    "CRVAL[12]",      "CRPIX[12]",    "CDELT[12]",         "CROTA[12]", "CD[12]_[12]",      "PC[12]_[12]",
    "PC00[12]00[12]", "PV[12]_[0-9]", "PV[12]_[0-9][0-9]", "LONPOLE",   "LATPOLE",          "EQUINOX",
    "EPOCH",          "[AB]_ORDER",   "[AB]P_ORDER",       "[AB]_DMAX", "[AB]_[0-9]_[0-9]", "[AB]P_[0-9]_[0-9]",
};
const char* const tie_keywords[] = {"CD[12]_[3-9]", "PC[12]_[3-9]", "PC00[12]00[3-9]"};

// Distortions of the draft of Paper IV, among them the look-up tables of HST. Their records (DPj, DQi) are not read.
const char* const draft_distortions[] = {"CPDIS[12]", "CQDIS[12]"};

/// What stands in a WAT card: blanks at its end belong to the text, which goes on in the next.
constexpr std::size_t wat_length = 68;

template <class Patterns>
bool is_one_of(const Patterns& patterns, const std::string& name) {
  const char first = name[0];
  auto fits = [&](const char* pattern) {
    // A header has hundreds of cards, and the first letter rules most of them out.
    return (*pattern == first || *pattern == '[') && fnmatch(pattern, name.c_str(), 0) == 0;
  };
  return std::any_of(std::begin(patterns), std::end(patterns), fits);
}

/// The number or the text that the last card of the keyword holds; nothing if it has none. Sets the problem if it holds
/// something else.
std::optional<KeywordValue> read(const Header& header, const std::string& name, bool text, std::string& problem) {
  CardValue found = header.find_last(name);
  if (found.readable()) {
    if (text ? std::holds_alternative<std::string>(*found.value) : as_real(*found.value).has_value()) {
      if (const auto* quoted = std::get_if<std::string>(&*found.value); quoted && !text) return number_in(*quoted);
      return std::move(found.value);
    }
    found.problem = text ? "it is no text in quotes" : "it is no number";
  } else if (!found.problem.empty()) {
    found.problem = "it " + found.problem;
  }
  if (!found.problem.empty()) problem = "the value of " + name + " cannot be read: " + found.problem;
  return std::nullopt;
}

}  // namespace

std::optional<double> CelestialKeywords::real(std::string_view keyword) const {
  const auto found = std::ranges::find(values, keyword, &HeaderValue::keyword);
  return found == values.end() ? std::nullopt : as_real(found->value);
}

std::string CelestialKeywords::text(std::string_view keyword) const {
  const auto found = std::ranges::find(values, keyword, &HeaderValue::keyword);
  const auto* const text = found == values.end() ? nullptr : std::get_if<std::string>(&found->value);
  return text ? *text : "";
}

CelestialKeywords read_celestial_keywords(std::string_view header) {
  const Header cards(header);
  CelestialKeywords keywords;
  std::set<std::string_view> done;
  for (const std::string_view keyword : cards.keywords()) {
    std::string name(keyword);
    if (is_one_of(draft_distortions, name)) keywords.problem = "it needs the distortion " + name;
    const bool text = is_one_of(text_keywords, name), tie = is_one_of(tie_keywords, name);
    if (!text && !tie && !is_one_of(number_keywords, name)) continue;
    if (!done.insert(keyword).second) continue;
    std::optional<KeywordValue> value = read(cards, name, text, keywords.problem);
    if (!value) continue;
    if (tie) {
      keywords.tied = keywords.tied || as_real(*value) != 0.0;
    } else {
      keywords.values.push_back({std::move(name), std::move(*value)});
    }
  }
  return keywords;
}

std::string celestial_cards(std::string_view header) {
  std::string cards;
  for (HeaderValue& value : read_celestial_keywords(header).values) {
    if (value.keyword.starts_with("WAT")) {
      auto& text = std::get<std::string>(value.value);
      text.resize(std::max(text.size(), wat_length), ' ');
    }
    cards += format_card(value);
  }
  return cards;
}

}  // namespace srcextract
