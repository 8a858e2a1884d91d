#include "io/wcs/unit.hpp"

#include <wcslib/wcsunits.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>
#include <utility>

#include "io/wcs/wcslib_lock.hpp"

namespace srcextract {
namespace {

/// What fits into a card.
constexpr std::size_t longest = 70;

/// What observatories write, in lower case, that is no FITS unit or not in that spelling.
constexpr std::pair<std::string_view, std::string_view> common_names[] = {
    {"adu", "adu"},      {"adus", "adu"},  {"dn", "adu"},          {"count", "count"},
    {"counts", "count"}, {"cts", "count"}, {"electron", "count"},  {"electrons", "count"},
    {"e-", "count"},     {"e", "count"},   {"jy/beam", "Jy/beam"}, {"photons", "photon"}};

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

/// What wcslib makes of a text: a unit spelt correctly, or the text without needless blanks.
struct Spelling {
  std::string text;
  bool corrected = false;
};

Spelling spell(const std::string& text) {
  std::array<char, longest + 10> spelt{};  // wcslib corrects in place
  std::copy(text.begin(), text.end(), spelt.begin());
  std::scoped_lock lock(wcslib_parsers);
  const bool corrected = wcsutrne(0, spelt.data(), nullptr) == 0;
  return {spelt.data(), corrected};
}

/// Powers of wcslib's base units.
using Powers = std::array<double, WCSUNITS_NTYPE>;

/// Logarithms are left out: other readers refuse them.
std::optional<Powers> powers_of(const std::string& text) {
  int function = 0;
  double scale = 0;
  Powers powers{};
  std::scoped_lock lock(wcslib_parsers);
  const bool understood = wcsulexe(text.c_str(), &function, &scale, powers.data(), nullptr) == 0 && function == 0;
  return understood ? std::optional(powers) : std::nullopt;
}

}  // namespace

std::string fits_unit(const std::string& text) {
  if (text.size() > longest || text.find('\0') != text.npos) return "";
  if (std::string unit = common_unit(text); !unit.empty()) return unit;
  const Spelling spelling = spell(text);
  if (!powers_of(spelling.text)) return "";
  return spelling.corrected ? spelling.text : text;
}

bool is_per_area(const std::string& unit) {
  const std::optional<Powers> powers = powers_of(unit);
  if (!powers) return false;
  const auto divides = [&](std::size_t base) { return (*powers)[base] < 0; };
  return divides(WCSUNITS_BEAM) || divides(WCSUNITS_PIXEL) || divides(WCSUNITS_SOLID_ANGLE) ||
         divides(WCSUNITS_PLANE_ANGLE);
}

std::optional<double> unit_factor(const std::string& from, const std::string& to) {
  if (from.empty() || to.empty()) return std::nullopt;
  if (from == to) return 1.0;
  const std::string have = fits_unit(from), want = fits_unit(to);
  if (have.empty() || want.empty()) return std::nullopt;
  const Spelling spelt_have = spell(have), spelt_want = spell(want);
  double factor = 0, offset = 0, power = 0;
  std::scoped_lock lock(wcslib_parsers);
  const int status = wcsunitse(spelt_have.text.c_str(), spelt_want.text.c_str(), &factor, &offset, &power, nullptr);
  if (status != 0 || offset != 0 || power != 1) return std::nullopt;
  return factor;
}

}  // namespace srcextract
