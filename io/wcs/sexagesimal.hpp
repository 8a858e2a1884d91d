#pragma once

#include <string>

namespace srcextract {

/// Returns a right ascension, given in degrees and not negative, as hours, minutes and seconds within [00:00:00,
/// 24:00:00), as in "12:00:00.00". Seconds are rounded to `decimals` decimals, at least 1. Returns an empty text if the
/// value is not finite.
std::string sexagesimal_hours(double right_ascension, int decimals);

/// Returns a declination, given in degrees, as sign, degrees, minutes and seconds, as in "-30:00:00.0". Seconds are
/// rounded to `decimals` decimals, at least 1. Returns an empty text if the value is not finite.
std::string sexagesimal_degrees(double declination, int decimals, char separator = ':');

}  // namespace srcextract
