#include "io/wcs/unit.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "io/wcs/unit_grammar.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/shortest_number.hpp"

namespace srcextract {
namespace {

/// Spellings that observatories use, in small letters, and their units.
constexpr std::pair<std::string_view, std::string_view> common_names[] = {
    {"adu", "adu"},      {"adus", "adu"},  {"dn", "adu"},          {"count", "count"},
    {"counts", "count"}, {"cts", "count"}, {"electron", "count"},  {"electrons", "count"},
    {"e-", "count"},     {"e", "count"},   {"jy/beam", "Jy/beam"}, {"photons", "photon"}};

/// Returns the unit of a common spelling, also per second ("DN/s"); empty for any other text.
std::string common_unit(std::string name) {
  name = in_small_letters(std::move(name));
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

/// Returns the text with 'u' in place of the micro sign, in UTF-8 (micro sign or Greek letter) or in Latin-1.
std::string with_plain_micro(std::string text) {
  for (const std::string_view micro : {"\xc2\xb5", "\xce\xbc", "\xb5"}) {
    for (std::size_t at = text.find(micro); at != text.npos; at = text.find(micro)) text.replace(at, micro.size(), "u");
  }
  return text;
}

/// Returns the text without the 1 in Astropy's "1 / s", which FITS does not allow.
std::string_view without_one(std::string_view text) {
  if (!text.starts_with('1')) return text;
  const std::string_view rest = trimmed(text.substr(1));
  return rest.starts_with('/') ? rest : text;
}

std::optional<ParsedUnit> understood(const std::string& text) {
  if (text.size() > 2 * longest_unit) return std::nullopt;
  const std::string plain = with_plain_micro(std::string(without_one(trimmed(text))));
  const std::string common = common_unit(plain);
  return parse_unit(common.empty() ? plain : common);
}

bool same(const UnitValue& a, const UnitValue& b) {
  constexpr double rounding = 1e-9;
  return std::ranges::equal(a.powers, b.powers, [&](double x, double y) { return std::abs(x - y) < rounding; });
}

}  // namespace

std::string fits_unit(const std::string& text) {
  std::optional<ParsedUnit> unit = understood(text);
  // The standard spelling can be longer than `longest_unit`; the unit is then not returned.
  return unit && understood(unit->text) ? std::move(unit->text) : "";
}

std::string vo_unit(const std::string& text) {
  const std::optional<ParsedUnit> unit = understood(text);
  if (!unit) return "";
  // VOUnits allows only one divisor, at the end of the unit.
  const bool divided = unit->factors.size() > 1 && unit->factors.back().power < 0 &&
                       std::ranges::count_if(unit->factors, [](const UnitPower& f) { return f.power < 0; }) == 1;
  std::string out = unit->ten;
  for (const UnitPower& factor : unit->factors) {
    const bool first = &factor == &unit->factors.front(), divisor = divided && &factor == &unit->factors.back();
    if (!first) out += divisor ? '/' : '.';
    out += factor.name;
    const double power = divisor ? -factor.power : factor.power;
    if (power == 1) continue;
    const std::string exponent = shortest(power);
    out += power == std::round(power) ? "**" + exponent : "**(" + exponent + ")";
  }
  return out;
}

bool is_per_area(const std::string& unit) {
  const std::optional<ParsedUnit> parsed = understood(unit);
  if (!parsed) return false;
  const auto divides = [&](Quantity quantity) { return parsed->value.power(quantity) < 0; };
  return divides(Quantity::beam) || divides(Quantity::pixel) || divides(Quantity::angle);
}

std::optional<double> unit_factor(const std::string& from, const std::string& to) {
  if (from.empty() || to.empty()) return std::nullopt;
  if (from == to) return 1.0;
  const std::optional<ParsedUnit> have = understood(from), want = understood(to);
  if (!have || !want || !same(have->value, want->value)) return std::nullopt;
  return have->value.factor / want->value.factor;
}

}  // namespace srcextract
