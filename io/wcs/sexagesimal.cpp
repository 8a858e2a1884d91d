#include "io/wcs/sexagesimal.hpp"

#include <cmath>
#include <cstdint>
#include <string>

#include "io/wcs/direction.hpp"

namespace srcextract {
namespace {

std::int64_t parts_of_second(int decimals) {
  std::int64_t parts = 1;
  for (int i = 0; i < decimals; ++i) parts *= 10;
  return parts;
}

/// Writes an angle as text; `count` is the angle in units of the last decimal of a second.
std::string text_of(std::int64_t count, int decimals, char separator) {
  const std::int64_t parts = parts_of_second(decimals), seconds = count / parts;
  const auto digits = [](std::int64_t base, std::int64_t value) { return std::to_string(base + value).substr(1); };
  return digits(100, seconds / 3600) + separator + digits(100, seconds / 60 % 60) + separator +
         digits(100, seconds % 60) + '.' + digits(parts, count % parts);
}

std::int64_t count_of(double value, int decimals) {
  return std::llround(std::abs(value) * arcseconds * static_cast<double>(parts_of_second(decimals)));
}

}  // namespace

std::string sexagesimal_hours(double right_ascension, int decimals) {
  if (!std::isfinite(right_ascension)) return "";
  const std::int64_t day = 86400 * parts_of_second(decimals);
  return text_of(count_of(right_ascension / 15, decimals) % day, decimals, ':');
}

std::string sexagesimal_degrees(double declination, int decimals, char separator) {
  if (!std::isfinite(declination)) return "";
  return (std::signbit(declination) ? "-" : "+") + text_of(count_of(declination, decimals), decimals, separator);
}

}  // namespace srcextract
