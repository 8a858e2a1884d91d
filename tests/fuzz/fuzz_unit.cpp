#include "io/wcs/unit.hpp"

#include "io/wcs/pixel_unit.hpp"
#include "tests/fuzz/fuzz_support.hpp"

/// A unit, and on a second line another that it is to be converted to. What is taken for a unit must be one itself.
int fuzz_unit(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  const std::string text(testing::as_text(data, size));
  const std::size_t end = text.find('\n');
  const std::string from = text.substr(0, end), to = end == text.npos ? "Jy" : text.substr(end + 1);
  testing::read_or_refused({}, [&] {
    const std::string unit = fits_unit(from);
    if (!unit.empty()) testing::require(fits_unit(unit) == unit, "a unit is spelt otherwise the second time");
    is_per_area(unit);
    sum_unit(unit);
    unit_factor(from, to);
    sum_unit(pixel_unit(testing::cards_of("BUNIT   = '" + from + "'")));
  });
  return 0;
}
