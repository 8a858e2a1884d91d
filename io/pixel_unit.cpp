#include "io/pixel_unit.hpp"

#include <wcslib/wcsunits.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "io/wcslib_lock.hpp"

namespace srcextract {
namespace {

constexpr const char* default_unit = "count";

/// What observatories write, in lower case, that is no FITS unit or not in that spelling.
constexpr std::pair<std::string_view, std::string_view> common_names[] = {
    {"adu", "adu"},      {"adus", "adu"},  {"dn", "adu"},          {"count", "count"},
    {"counts", "count"}, {"cts", "count"}, {"electron", "count"},  {"electrons", "count"},
    {"e-", "count"},     {"e", "count"},   {"jy/beam", "Jy/beam"}, {"photons", "photon"}};

std::string trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return std::string(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
}

/// The text of BUNIT, empty if there is none.
std::string bunit(const std::string& header) {
  for (std::size_t i = 0; i + 80 <= header.size(); i += 80) {
    const std::string_view card = std::string_view(header).substr(i, 80);
    if (!card.starts_with("BUNIT   =")) continue;
    const std::size_t open = card.find('\'');
    if (open == card.npos) return "";
    const std::size_t close = card.find('\'', open + 1);
    return close == card.npos ? "" : trimmed(card.substr(open + 1, close - open - 1));
  }
  return "";
}

/// The unit that a common name stands for, also a second ("DN/s"); empty if it is none of them.
std::string common_unit(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  std::string per_second;
  for (const std::string_view ending : {"/s", "/sec"}) {
    if (!name.ends_with(ending)) continue;
    name.resize(name.size() - ending.size());
    per_second = "/s";
    break;
  }
  for (const auto& [common, unit] : common_names) {
    if (name == common) return std::string(unit) + per_second;
  }
  return "";
}

/// `text` as a FITS unit, empty if wcslib knows none such. Logarithms are left out: other readers refuse them.
std::string fits_unit(const std::string& text) {
  std::array<char, 80> spelt{};  // wcslib corrects in place; a card's text is shorter
  std::copy(text.begin(), text.end(), spelt.begin());
  std::scoped_lock lock(wcslib_parsers);
  const bool corrected = wcsutrne(0, spelt.data(), nullptr) == 0;  // or only without its blanks
  int function = 0;
  double scale = 0;
  double units[WCSUNITS_NTYPE];
  if (wcsulexe(spelt.data(), &function, &scale, units, nullptr) != 0 || function != 0) return "";
  return corrected ? spelt.data() : text;
}

}  // namespace

std::string pixel_unit(const std::string& header) {
  const std::string text = bunit(header);
  if (text.empty()) return default_unit;
  std::string unit = common_unit(text);
  if (unit.empty()) unit = fits_unit(text);
  return unit.empty() ? default_unit : unit;
}

}  // namespace srcextract
