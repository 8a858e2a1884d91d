#include "regression/verdict/alarm_levels.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>

namespace srcextract {
namespace {

constexpr double sides = 2;  // a difference may be positive or negative
constexpr double tests_of_column = 5, parts_of_field = 64;
constexpr double tests_of_counts = 10;

double sigma_of(double probability) {
  if (probability >= 0.5) return 0;
  return boost::math::quantile(boost::math::complement(boost::math::normal(), probability));
}

}  // namespace

AlarmLevels share_out(double false_alarm, std::size_t columns) {
  if (false_alarm >= 1) return {};
  const double each = false_alarm / 4;
  const double tested = sides * static_cast<double>(std::max<std::size_t>(columns, 1));
  return {sigma_of(each / (tested * tests_of_column)), sigma_of(each / (tested * parts_of_field)),
          sigma_of(each / tests_of_counts), sigma_of(each / parts_of_field)};
}

}  // namespace srcextract
