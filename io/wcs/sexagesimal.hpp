#pragma once

#include <string>

namespace srcextract {

/// A right ascension in degrees as hours, minutes and seconds, "12:00:00.00", within [00:00:00, 24:00:00). Seconds are
/// rounded to `decimals` decimals, at least 1. Empty where the value is not finite.
std::string sexagesimal_hours(double right_ascension, int decimals);

/// A declination in degrees as degrees, minutes and seconds with a sign, "-30:00:00.0", seconds are rounded to
/// `decimals` decimals, at least 1. Empty where the value is not finite.
std::string sexagesimal_degrees(double declination, int decimals, char separator = ':');

}  // namespace srcextract
