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

/// The value of a unit: a factor times powers of the base units of the quantities (metre, kilogram, second, ampere,
/// kelvin, mole, candela, degree and so on). A solid angle is an angle squared.
struct UnitValue {
  double factor = 1;
  std::array<double, quantities> powers{};

  double power(Quantity quantity) const { return powers[static_cast<std::size_t>(quantity)]; }
};

/// Returns the unit of a name in FITS Standard 4.0 (tables 3 to 5), with a prefix where that is allowed. Names are
/// case-sensitive. Returns nothing for any other name.
std::optional<UnitValue> named_unit(std::string_view name);

/// Returns the FITS name of a unit in a common other spelling, such as "DEGREES", "sec", "counts" or "DN"; empty for
/// any other name.
std::string_view standard_name(std::string_view name);

}  // namespace srcextract
