#include "io/wcs/value_unit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "io/wcs/unit_grammar.hpp"
#include "stages/core/ascii.hpp"

namespace srcextract {
namespace {

/// Words in small letters, and the FITS unit that takes their place. Electrons become photons, so that the parsed unit
/// still tells them from counts.
constexpr std::pair<std::string_view, std::string_view> counted_words[] = {{"e", "ph"},
                                                                           {"el", "ph"},
                                                                           {"elec", "ph"},
                                                                           {"electron", "ph"},
                                                                           {"electrons", "ph"},
                                                                           {"electrones", "ph"},
                                                                           {"photon", "ph"},
                                                                           {"photons", "ph"},
                                                                           {"ph", "ph"},
                                                                           {"phot", "ph"},
                                                                           {"photoelectron", "ph"},
                                                                           {"photoelectrons", "ph"},
                                                                           {"eps", "ph/s"},
                                                                           {"adu", "adu"},
                                                                           {"adus", "adu"},
                                                                           {"dn", "adu"},
                                                                           {"dns", "adu"},
                                                                           {"du", "adu"},
                                                                           {"count", "adu"},
                                                                           {"counts", "adu"},
                                                                           {"ct", "adu"},
                                                                           {"cts", "adu"},
                                                                           {"cnt", "adu"},
                                                                           {"cnts", "adu"},
                                                                           {"cps", "adu/s"},
                                                                           {"s", "s"},
                                                                           {"sec", "s"},
                                                                           {"secs", "s"},
                                                                           {"second", "s"},
                                                                           {"seconds", "s"},
                                                                           {"exptime", "s"},
                                                                           {"pix", "pix"},
                                                                           {"px", "pix"},
                                                                           {"pixel", "pix"},
                                                                           {"pixels", "pix"},
                                                                           {"per", "/"}};

/// Parts of texts that are no FITS unit, and yet name a flux, a surface brightness or a temperature.
constexpr std::string_view calibrated_parts[] = {"jy",     "jansky", "maggy", "maggie",   "mgy", "erg",
                                                 "watt",   "w/m",    "flux",  "flam",     "fnu", "f_",
                                                 "kelvin", "cgs",    "ryl",   "rayleigh", "k ("};

/// A unit in the grammar of FITS, and which of its words were seen.
struct Plain {
  std::string text;
  bool electrons = false, counts = false, seconds = false;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// The text without what FITS units do not have: the dashes of Unicode, brackets around the whole, a full stop at the
/// end.
std::string tidied(std::string_view bunit) {
  std::string text(trimmed(bunit));
  for (const std::string_view dash : {"\xe2\x88\x92", "\xe2\x81\xbb", "\xe2\x80\x93"}) replace_all(text, dash, "-");
  if (text.size() > 1 && ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')')))
    text = std::string(trimmed(text.substr(1, text.size() - 2)));
  while (text.ends_with('.')) text.pop_back();
  return text;
}

/// Puts FITS units in place of the words that observatories write for counts, electrons, seconds and pixels.
Plain plain_unit(const std::string& text) {
  Plain plain;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_letter(text[at])) {
      plain.text += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_letter(text[end])) ++end;
    const std::string word = text.substr(at, end - at), small = in_small_letters(word);
    const auto* const known =
        std::ranges::find(counted_words, std::string_view(small), [](const auto& w) { return w.first; });
    const std::string unit = known == std::end(counted_words) ? word : std::string(known->second);
    const bool with_minus = (small == "e" || small == "el") && end < text.size() && text[end] == '-' &&
                            (end + 1 == text.size() || !is_digit(text[end + 1]));
    at = with_minus ? end + 1 : end;
    plain.electrons |= unit.starts_with("ph");
    plain.counts |= unit.starts_with("adu");
    plain.seconds |= unit == "s" || unit.ends_with("/s");
    plain.text += unit;
  }
  replace_all(plain.text, " / ", "/");
  return plain;
}

/// Judges a text that is no FITS unit by its words.
ValueUnit by_words(const std::string& text, const Plain& plain) {
  const std::string small = in_small_letters(text);
  const auto has = [&](std::string_view part) { return small.find(part) != small.npos; };
  if (std::ranges::any_of(calibrated_parts, has)) return {ValueKind::calibrated};
  if (has("mag") && !has("image")) return {ValueKind::magnitudes};
  if (plain.electrons == plain.counts && !has("data number")) return {ValueKind::unknown};
  return {plain.electrons ? ValueKind::electrons : ValueKind::counts, 1, plain.seconds};
}

}  // namespace

ValueUnit value_unit(std::string_view bunit) {
  const std::string text = tidied(bunit);
  if (text.empty()) return {};
  const std::string small = in_small_letters(text);
  if (small.starts_with("log") || small == "dex" || small == "db") return {ValueKind::magnitudes};
  if (small == "n/a") return {ValueKind::unknown};  // and no newton per ampere
  const Plain plain = plain_unit(text);
  const std::optional<ParsedUnit> parsed = text.size() > longest_unit ? std::nullopt : parse_unit(plain.text);
  if (!parsed) return by_words(text, plain);
  const UnitValue& value = parsed->value;
  if (value.power(Quantity::magnitude) != 0) return {ValueKind::magnitudes};
  UnitValue rest = value;
  for (const Quantity quantity : {Quantity::count, Quantity::time, Quantity::pixel})
    rest.powers[static_cast<std::size_t>(quantity)] = 0;
  const double time = value.power(Quantity::time), pixels = value.power(Quantity::pixel);
  const bool counted = value.power(Quantity::count) == 1 && (time == 0 || time == -1) &&
                       (pixels == 0 || pixels == -1) &&
                       std::ranges::all_of(rest.powers, [](double power) { return power == 0; });
  if (!counted)
    return {plain.electrons || plain.counts || parsed->factors.size() > 0 ? ValueKind::calibrated : ValueKind::unknown};
  return {plain.electrons ? ValueKind::electrons : ValueKind::counts, value.factor, time == -1};
}

}  // namespace srcextract
