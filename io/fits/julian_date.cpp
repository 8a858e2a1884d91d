#include "io/fits/julian_date.hpp"

#include <fitsio.h>

#include <chrono>

namespace srcextract {

std::optional<double> julian_date(const std::string& date) {
  using namespace std::chrono;
  constexpr double of_1970 = 2440587.5, day_seconds = 86400;
  if (date.find_first_not_of("0123456789-/:T.") != std::string::npos)
    return std::nullopt;  // fits_str2time ignores text from the first other character on
  std::string text = date;
  int y = 0, m = 0, d = 0, hours = 0, minutes = 0, status = 0;
  double seconds = 0;
  fits_write_errmark();
  fits_str2time(text.data(), &y, &m, &d, &hours, &minutes, &seconds, &status);
  fits_clear_errmark();
  const year_month_day civil{year(y), month(static_cast<unsigned>(m)), day(static_cast<unsigned>(d))};
  if (status != 0 || !civil.ok()) return std::nullopt;
  return of_1970 + static_cast<double>(sys_days(civil).time_since_epoch().count()) +
         (hours * 3600.0 + minutes * 60.0 + seconds) / day_seconds;
}

}  // namespace srcextract
