#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace srcextract {

/// Quantities that units measure. Counts, photons and adu are one quantity, since their ratio depends on the
/// instrument.
enum class Quantity : std::size_t {
  length,
  mass,
  time,
  current,
  temperature,
  amount,
  luminous_intensity,
  angle,
  magnitude,
  count,
  pixel,
  voxel,
  beam,
  bin,
  channel,
  bit,
  solar_ratio
};
inline constexpr std::size_t quantities = 17;

/// A unit as a factor times powers of metre, kilogram, second, ampere, kelvin, mole, candela, degree and the rest. A
/// solid angle is an angle squared.
struct UnitValue {
  double factor = 1;
  std::array<double, quantities> powers{};

  double power(Quantity quantity) const { return powers[static_cast<std::size_t>(quantity)]; }
};

/// The unit of a name in FITS Standard 4.0 (tables 3 to 5), with a prefix where allowed. Names are case-sensitive.
std::optional<UnitValue> named_unit(std::string_view name);

/// FITS name of a unit that is often misspelt: "DEGREES", "sec", "counts", "DN"; empty for other names.
std::string_view standard_name(std::string_view name);

}  // namespace srcextract
