#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace srcextract {

/// What units measure. Counts, photons and adu are one thing here: what one is in the other depends on the instrument.
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

/// A unit: so many of the product of powers of metre, kilogram, second, ampere, kelvin, mole, candela, degree and the
/// rest. A solid angle is the second power of an angle.
struct UnitValue {
  double factor = 1;
  std::array<double, quantities> powers{};

  double power(Quantity quantity) const { return powers[static_cast<std::size_t>(quantity)]; }
};

/// The unit of a name of the FITS Standard 4.0 (tables 3 to 5), with or without one of its prefixes where it allows
/// them; case counts.
std::optional<UnitValue> named_unit(std::string_view name);

/// What the FITS Standard calls the unit that is often written so: "DEGREES", "sec", "counts", "DN"; empty if it is
/// none of these.
std::string_view standard_name(std::string_view name);

}  // namespace srcextract
