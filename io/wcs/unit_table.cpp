#include "io/wcs/unit_table.hpp"

#include <algorithm>
#include <iterator>
#include <numbers>
#include <string>
#include <utility>

namespace srcextract {
namespace {

struct Power {
  Quantity quantity = Quantity::length;
  double power = 0;
};

/// Powers of at most four quantities; all others have power 0.
using Powers = std::array<Power, 4>;

struct NamedUnit {
  std::string_view name;
  bool prefixed;  ///< whether prefixes are allowed
  double factor;
  Powers powers;
};

constexpr double radian = 180 / std::numbers::pi;  // in degrees
constexpr double electron_volt = 1.602176634e-19, year = 31557600;

using enum Quantity;

// Factors follow the SI of 2019, CODATA 2018 and IAU resolutions (2009, 2012, 2015), as in astropy.
constexpr Powers energy{{{mass, 1}, {length, 2}, {time, -2}}};
constexpr Powers voltage{{{mass, 1}, {length, 2}, {time, -3}, {current, -1}}};
constexpr NamedUnit units[] = {
    {"m", true, 1, {{{length, 1}}}},
    {"g", true, 1e-3, {{{mass, 1}}}},
    {"s", true, 1, {{{time, 1}}}},
    {"A", true, 1, {{{current, 1}}}},
    {"K", true, 1, {{{temperature, 1}}}},
    {"mol", true, 1, {{{amount, 1}}}},
    {"cd", true, 1, {{{luminous_intensity, 1}}}},
    {"rad", true, radian, {{{angle, 1}}}},
    {"sr", true, radian* radian, {{{angle, 2}}}},
    {"Hz", true, 1, {{{time, -1}}}},
    {"J", true, 1, energy},
    {"W", true, 1, {{{mass, 1}, {length, 2}, {time, -3}}}},
    {"V", true, 1, voltage},
    {"N", true, 1, {{{mass, 1}, {length, 1}, {time, -2}}}},
    {"Pa", true, 1, {{{mass, 1}, {length, -1}, {time, -2}}}},
    {"C", true, 1, {{{current, 1}, {time, 1}}}},
    {"Ohm", true, 1, {{{mass, 1}, {length, 2}, {time, -3}, {current, -2}}}},
    {"S", true, 1, {{{mass, -1}, {length, -2}, {time, 3}, {current, 2}}}},
    {"F", true, 1, {{{mass, -1}, {length, -2}, {time, 4}, {current, 2}}}},
    {"Wb", true, 1, {{{mass, 1}, {length, 2}, {time, -2}, {current, -1}}}},
    {"T", true, 1, {{{mass, 1}, {time, -2}, {current, -1}}}},
    {"H", true, 1, {{{mass, 1}, {length, 2}, {time, -2}, {current, -2}}}},
    {"lm", true, radian* radian, {{{luminous_intensity, 1}, {angle, 2}}}},
    {"lx", true, radian* radian, {{{luminous_intensity, 1}, {angle, 2}, {length, -2}}}},
    {"deg", false, 1, {{{angle, 1}}}},
    {"arcmin", false, 1.0 / 60, {{{angle, 1}}}},
    {"arcsec", false, 1.0 / 3600, {{{angle, 1}}}},
    {"mas", false, 1.0 / 3600000, {{{angle, 1}}}},
    {"min", false, 60, {{{time, 1}}}},
    {"h", false, 3600, {{{time, 1}}}},
    {"d", false, 86400, {{{time, 1}}}},
    {"a", true, year, {{{time, 1}}}},
    {"yr", true, year, {{{time, 1}}}},
    {"eV", true, electron_volt, energy},
    {"erg", false, 1e-7, energy},
    {"Ry", false, 2.1798723611035e-18, energy},
    {"solMass", false, 1.988409870698051e30, {{{mass, 1}}}},
    {"u", false, 1.66053906660e-27, {{{mass, 1}}}},
    {"solLum", false, 3.828e26, {{{mass, 1}, {length, 2}, {time, -3}}}},
    {"Angstrom", false, 1e-10, {{{length, 1}}}},
    {"solRad", false, 6.957e8, {{{length, 1}}}},
    {"AU", false, 149597870700.0, {{{length, 1}}}},
    {"lyr", false, 9460730472580800.0, {{{length, 1}}}},
    {"pc", true, 3.0856775814913673e16, {{{length, 1}}}},
    {"count", false, 1, {{{count, 1}}}},
    {"ct", false, 1, {{{count, 1}}}},
    {"photon", false, 1, {{{count, 1}}}},
    {"ph", false, 1, {{{count, 1}}}},
    {"adu", false, 1, {{{count, 1}}}},
    {"Jy", true, 1e-26, {{{mass, 1}, {time, -2}}}},
    {"mag", true, 1, {{{magnitude, 1}}}},
    {"R",
     true,
     1e10 / (4 * std::numbers::pi) / (radian * radian),
     {{{count, 1}, {length, -2}, {time, -1}, {angle, -2}}}},
    {"G", true, 1e-4, {{{mass, 1}, {time, -2}, {current, -1}}}},
    {"pixel", false, 1, {{{pixel, 1}}}},
    {"pix", false, 1, {{{pixel, 1}}}},
    {"barn", true, 1e-28, {{{length, 2}}}},
    {"D", false, 1e-29 / 3, {{{current, 1}, {time, 1}, {length, 1}}}},
    {"Sun", false, 1, {{{solar_ratio, 1}}}},
    {"chan", false, 1, {{{channel, 1}}}},
    {"bin", false, 1, {{{bin, 1}}}},
    {"voxel", false, 1, {{{voxel, 1}}}},
    {"bit", true, 1, {{{bit, 1}}}},
    {"byte", true, 8, {{{bit, 1}}}},
    {"beam", false, 1, {{{beam, 1}}}},
};

constexpr std::pair<std::string_view, double> prefixes[] = {
    {"da", 1e1}, {"y", 1e-24}, {"z", 1e-21}, {"a", 1e-18}, {"f", 1e-15}, {"p", 1e-12}, {"n", 1e-9},
    {"u", 1e-6}, {"m", 1e-3},  {"c", 1e-2},  {"d", 1e-1},  {"h", 1e2},   {"k", 1e3},   {"M", 1e6},
    {"G", 1e9},  {"T", 1e12},  {"P", 1e15},  {"E", 1e18},  {"Z", 1e21},  {"Y", 1e24}};

/// FITS name of a unit, and other spellings of it, with a blank before and after each.
constexpr std::pair<std::string_view, std::string_view> spellings[] = {
    {"Angstrom", " Angstroms angstrom angstroms "},
    {"arcmin", " arcmins ARCMIN ARCMINS "},
    {"arcsec", " arcsecs ARCSEC ARCSECS "},
    {"beam", " BEAM Beam beams BEAMS bm BM "},
    {"byte", " Byte "},
    {"d", " day days DAY DAYS "},
    {"deg", " degree degrees Deg Degree Degrees DEG DEGREE DEGREES "},
    {"GHz", " GHZ "},
    {"h", " hr HR "},
    {"Hz", " hz HZ "},
    {"kHz", " KHZ "},
    {"Jy", " JY jy jansky janskys Jansky Janskys JANSKY JANSKYS "},
    {"mJy", " mJY mjy "},
    {"uJy", " uJY ujy "},
    {"K", " kelvin kelvins Kelvin Kelvins KELVIN KELVINS "},
    {"km", " KM "},
    {"m", " metre meter metres meters M METRE METER METRES METERS "},
    {"min", " MIN "},
    {"MHz", " MHZ "},
    {"Ohm", " ohm "},
    {"Pa", " pascal pascals Pascal Pascals PASCAL PASCALS "},
    {"pixel", " pixels Pixel Pixels PIXEL PIXELS "},
    {"rad", " radian radians RAD RADIAN RADIANS "},
    {"s", " sec second seconds SEC SECOND SECONDS "},
    {"V", " volt volts Volt Volts VOLT VOLTS "},
    {"yr", " year years YR YEAR YEARS "},
    {"count", " counts COUNT COUNTS electron electrons ELECTRON ELECTRONS "},
    {"adu", " ADU DN "},
    {"photon", " photons "}};

std::optional<UnitValue> bare_unit(std::string_view name, bool with_prefix) {
  const auto* const found = std::ranges::find(units, name, &NamedUnit::name);
  if (found == std::end(units) || (with_prefix && !found->prefixed)) return std::nullopt;
  UnitValue value{found->factor, {}};
  for (const auto& [quantity, power] : found->powers) value.powers[static_cast<std::size_t>(quantity)] += power;
  return value;
}

}  // namespace

std::optional<UnitValue> named_unit(std::string_view name) {
  if (std::optional<UnitValue> unit = bare_unit(name, false)) return unit;
  for (const auto& [prefix, factor] : prefixes) {
    if (!name.starts_with(prefix)) continue;
    std::optional<UnitValue> unit = bare_unit(name.substr(prefix.size()), true);
    if (!unit) continue;
    unit->factor *= factor;
    return unit;
  }
  return std::nullopt;
}

std::string_view standard_name(std::string_view name) {
  const std::string word = " " + std::string(name) + " ";
  for (const auto& [standard, others] : spellings)
    if (others.find(word) != others.npos) return standard;
  return {};
}

}  // namespace srcextract
