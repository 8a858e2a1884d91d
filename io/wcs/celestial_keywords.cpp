#include "io/wcs/celestial_keywords.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "io/fits/header.hpp"
#include "stages/core/ascii.hpp"

namespace srcextract {
namespace {

// Patterns of keywords: FITS Standard 4.0 (table 22), SIP, IRAF's WAT cards (TNX, ZPX), and older keywords of matrix
// and frame.
const char* const text_keywords[] = {"CTYPE[12]", "CUNIT[12]", "RADESYS", "RADECSYS", "WAT[012]_[0-9][0-9][0-9]"};
const char* const number_keywords[] = {
    "CRVAL[12]",    "CRPIX[12]",         "CDELT[12]", "CROTA[12]", "CD[12]_[12]", "PC[12]_[12]", "PC00[12]00[12]",
    "PV[12]_[0-9]", "PV[12]_[0-9][0-9]", "LONPOLE",   "LATPOLE",   "EQUINOX",     "EPOCH",
};
const char* const sip_keywords[] = {"[AB]_ORDER", "[AB]P_ORDER", "[AB]_DMAX", "[AB]_[0-9]_[0-9]", "[AB]P_[0-9]_[0-9]"};
const char* const tie_keywords[] = {"CD[12]_[3-9]", "PC[12]_[3-9]", "PC00[12]00[3-9]"};

// Keywords of distortions that are not supported. One group are those of the draft of FITS WCS Paper IV, which HST uses
// for look-up tables. The others are the new and old keywords of HST's detector distortion (D2IM).
const char* const distortions[] = {"CPDIS[12]",   "CQDIS[12]",   "DP[12]",   "DQ[12]",
                                   "D2IMDIS[12]", "D2IMERR[12]", "AXISCORR", "D2IMEXT"};

// A non-standard form of CDi_j, which only some programs read.
const char* const old_matrix[] = {"CD00[12]00[0-9]"};

// Keywords of axes beyond the second, also in alternative descriptions, and of the number of axes.
const char* const further_axes[] = {"WCSAXES*",    "CTYPE[3-9]*", "CUNIT[3-9]*", "CRVAL[3-9]*",   "CRPIX[3-9]*",
                                    "CDELT[3-9]*", "CROTA[3-9]",  "CD[3-9]_*",   "CD[12]_[3-9]*", "PC[3-9]_*",
                                    "PC0*",        "PV[3-9]_*",   "PS[3-9]_*",   "PC[12]_[3-9]*"};

/// Number of characters in a WAT card. Trailing blanks belong to the text, which continues in the next card.
constexpr std::size_t wat_length = 68;

template <class Patterns>
bool is_one_of(const Patterns& patterns, const std::string& name) {
  const char first = name[0];
  auto fits = [&](const char* pattern) {
    // The first letter excludes most of the hundreds of cards in a header without a call of fnmatch().
    return (*pattern == first || *pattern == '[') && fnmatch(pattern, name.c_str(), 0) == 0;
  };
  return std::any_of(std::begin(patterns), std::end(patterns), fits);
}

/// Stores a problem if it is the first.
void note(std::string& problem, const std::string& what) {
  if (problem.empty()) problem = what;
}

bool is_equinox(const std::string& name) {
  return name == "EQUINOX" || name == "EPOCH";
}

/// Takes the letter from an equinox such as 'J2000' or 'B1950', as HST writes it. The frame follows from the year.
void drop_letter(CardValue& found) {
  auto* const text = found.readable() ? std::get_if<std::string>(&*found.value) : nullptr;
  if (text == nullptr || text->find_first_of("JBjb") != text->find_first_not_of(' ')) return;
  const std::optional<KeywordValue> year = number_in(std::string_view(*text).substr(text->find_first_of("JBjb") + 1));
  if (year) found.value = year;
}

/// Returns the value of a card as a text if `text` is true, else as a number. Returns nothing if the card has no value.
/// Sets `problem` if the value has another type.
std::optional<KeywordValue> read(CardValue found, const std::string& name, bool text, std::string& problem) {
  if (is_equinox(name)) drop_letter(found);
  if (found.readable()) {
    if (text ? std::holds_alternative<std::string>(*found.value) : as_real(*found.value).has_value()) {
      if (const auto* quoted = std::get_if<std::string>(&*found.value); quoted && !text) return number_in(*quoted);
      return std::move(found.value);
    }
    found.problem = text ? "it is no text in quotes" : "it is no number";
  } else if (!found.problem.empty()) {
    found.problem = "it " + found.problem;
  }
  if (!found.problem.empty()) note(problem, "the value of " + name + " cannot be read: " + found.problem);
  return std::nullopt;
}

/// Returns true for two equal numbers, however they are written, for two equal texts, and if both values are absent.
bool agree(const std::optional<KeywordValue>& a, const std::optional<KeywordValue>& b, bool text) {
  if (!a || !b) return a.has_value() == b.has_value();
  return text ? *a == *b : as_real(*a) == as_real(*b);
}

/// Returns the value of a keyword. Sets `problem` if several cards have different values, since some programs take the
/// first card and others the last.
std::optional<KeywordValue> read_all(const Header& header, const std::string& name, bool text, std::string& problem) {
  const std::vector<CardValue> cards = header.find_all(name);
  std::optional<KeywordValue> last = read(cards.back(), name, text, problem);
  for (const CardValue& card : cards) {
    if (!agree(read(card, name, text, problem), last, text))
      note(problem, name + " comes more than once, with different values; leave the right card alone");
  }
  return last;
}

/// Returns true if the value of the card says that this distortion is absent.
bool is_no_distortion(const Header& header, const std::string& name) {
  const bool error = name.starts_with("D2IMERR");
  if (!error && name != "D2IMEXT") return false;
  const CardValue card = header.find(name);
  if (!card.value) return card.problem.empty();
  return error ? as_real(*card.value) == 0.0 : card.value == KeywordValue("") || card.value == KeywordValue("N/A");
}

bool is_of_wcs(const std::string& name) {
  return is_one_of(text_keywords, name) || is_one_of(number_keywords, name) || is_one_of(tie_keywords, name) ||
         is_one_of(distortions, name) || is_one_of(old_matrix, name) || is_one_of(sip_keywords, name);
}

/// Returns true if a CTYPE ends with -SIP. One is enough: nobody writes the suffix for other terms.
bool declares_sip(const Header& header) {
  return header.first_text("CTYPE1").ends_with(sip_suffix) || header.first_text("CTYPE2").ends_with(sip_suffix);
}

/// Returns true if nothing hangs on the value of an equinox: ICRS has none, and EQUINOX counts before EPOCH, which some
/// headers use for the date.
bool is_idle_equinox(const Header& header, const std::string& name) {
  if (!is_equinox(name)) return false;
  const std::string frame = header.first_text(header.has("RADESYS") ? "RADESYS" : "RADECSYS");
  return equal_in_any_case(frame, "ICRS") || (name == "EPOCH" && header.has("EQUINOX"));
}

/// Notes a problem for each misspelt card that other programs might read as part of the WCS. The value of a misspelt
/// CTYPE is stored nevertheless, so that the header counts as one with a celestial WCS, though an unusable one.
void read_misspelt(const Header& header, CelestialKeywords& keywords) {
  for (const Header::Misspelt& found : header.misspelt()) {
    if (!is_of_wcs(found.keyword) || (is_sip_keyword(found.keyword) && !declares_sip(header))) continue;
    std::string shown = printable_ascii(std::string(found.card.substr(0, 30)));
    shown.resize(shown.find_last_not_of(' ') + 1);
    note(keywords.problem, "the card '" + shown + "' " + misspelt_reason);
    const std::size_t equals = found.card.find('=');
    if (!found.keyword.starts_with("CTYPE") || equals == found.card.npos) continue;
    const CardValue type = read_value(std::string(keyword_length + 1, ' ').append(found.card.substr(equals + 1)));
    if (type.readable() && std::holds_alternative<std::string>(*type.value))
      keywords.values.push_back({found.keyword, *type.value});
  }
}

/// Notes a problem if two spellings of the same keyword have different values.
void check_forms(CelestialKeywords& keywords) {
  const auto check = [&](const std::string& form, const std::string& name) {
    const std::optional<double> one = keywords.real(form), other = keywords.real(name);
    if (one && other && *one != *other)
      note(keywords.problem, form + " and " + name + " are one keyword, with different values");
  };
  for (const char* i : {"1", "2"}) {
    for (const char* j : {"1", "2"}) check(std::string("PC00") + i + "00" + j, std::string("PC") + i + "_" + j);
    for (char m = '0'; m <= '9'; ++m) check(std::string("PV") + i + "_0" + m, std::string("PV") + i + "_" + m);
  }
}

/// Returns the WCS as 80-column cards; empty if it is incomplete.
std::string cards_of(CelestialKeywords keywords) {
  if (!keywords.problem.empty()) return "";
  std::string cards;
  for (HeaderValue& value : keywords.values) {
    if (value.keyword.starts_with("WAT")) {
      auto& text = std::get<std::string>(value.value);
      text.resize(std::max(text.size(), wat_length), ' ');
    }
    cards += format_card(value);
  }
  return cards;
}

}  // namespace

std::optional<double> CelestialKeywords::real(std::string_view keyword) const {
  const KeywordValue* const value = value_in(values, keyword);
  return value ? as_real(*value) : std::nullopt;
}

std::string CelestialKeywords::text(std::string_view keyword) const {
  const auto* const text = std::get_if<std::string>(value_in(values, keyword));
  return text ? *text : "";
}

CelestialKeywords read_celestial_keywords(std::string_view header) {
  const Header cards(header);
  CelestialKeywords keywords;
  const bool with_sip = declares_sip(cards);
  std::set<std::string_view> done;
  for (const std::string_view keyword : cards.keywords()) {
    std::string name(keyword);
    if (is_one_of(distortions, name) && !is_no_distortion(cards, name))
      note(keywords.problem, "it needs the distortion " + name);
    if (is_one_of(old_matrix, name)) note(keywords.problem, name + " is no keyword of FITS, which has CDi_j");
    const bool text = is_one_of(text_keywords, name), tie = is_one_of(tie_keywords, name);
    const bool number = is_one_of(number_keywords, name) || (with_sip && is_sip_keyword(name));
    if (!text && !tie && !number) continue;
    if (!done.insert(keyword).second) continue;
    std::string idle;
    std::string& problem = is_idle_equinox(cards, name) ? idle : keywords.problem;
    std::optional<KeywordValue> value = read_all(cards, name, text, problem);
    if (!value) continue;
    if (tie) {
      keywords.tied = keywords.tied || as_real(*value) != 0.0;
    } else {
      keywords.values.push_back({std::move(name), std::move(*value)});
    }
  }
  read_misspelt(cards, keywords);
  check_forms(keywords);
  return keywords;
}

bool is_sip_keyword(const std::string& name) {
  return !name.empty() && is_one_of(sip_keywords, name);
}

bool is_celestial_keyword(const std::string& name) {
  return !name.empty() && (is_of_wcs(name) || is_one_of(further_axes, name));
}

std::string celestial_cards(std::string_view header, std::int64_t width, std::int64_t height) {
  CelestialKeywords keywords = read_celestial_keywords(header);
  if (width == 1 && height == 1) return cards_of(std::move(keywords));
  const bool of_pixels =
      keywords.real("A_ORDER") || keywords.real("B_ORDER");  // SIP polynomials are in pixels of the old size
  if (keywords.text("CTYPE1").empty() || of_pixels) return "";
  const auto set = [&](const std::string& keyword, double value) {
    const auto found = std::ranges::find(keywords.values, keyword, &HeaderValue::keyword);
    if (found != keywords.values.end())
      found->value = value;
    else
      keywords.values.push_back({keyword, value});
  };
  const double wide = static_cast<double>(width), high = static_cast<double>(height);
  bool has_matrix = false;
  const auto scale = [&](const std::string& keyword, double factor) {
    const auto value = keywords.real(keyword);
    if (value) set(keyword, *value * factor);
    return value.has_value();
  };
  for (const std::string row : {"1", "2"}) {
    has_matrix |= scale("CD" + row + "_1", wide);
    has_matrix |= scale("CD" + row + "_2", high);
  }
  // CDELT scales an axis of the sky, while an element of PC relates an axis of the sky to an axis of pixels.
  for (const std::string row : {"PC1_", "PC00100"}) scale(row + "2", high / wide);
  for (const std::string row : {"PC2_", "PC00200"}) scale(row + "1", wide / high);
  for (const auto& [axis, pixels] : {std::pair<std::string, double>{"1", wide}, {"2", high}}) {
    set("CRPIX" + axis, (keywords.real("CRPIX" + axis).value_or(0) - 0.5) / pixels + 0.5);
    if (!has_matrix) set("CDELT" + axis, keywords.real("CDELT" + axis).value_or(1) * pixels);
  }
  return cards_of(std::move(keywords));
}

bool is_year(double equinox) {
  return equinox >= 1800 && equinox <= 2200;
}

}  // namespace srcextract
