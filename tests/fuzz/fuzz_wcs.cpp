#include "io/wcs/wcs.hpp"

#include <bit>
#include <limits>

#include "io/wcs/map_pixels.hpp"
#include "tests/fuzz/fuzz_support.hpp"
#include "tests/support/usual_sources.hpp"

namespace {

using namespace srcextract;

constexpr Shape frame{60, 40};
constexpr const char* plain_tan =
    "CTYPE1  = 'RA---TAN'\nCTYPE2  = 'DEC--TAN'\nCRVAL1  = 150.0\nCRVAL2  = 2.0\nCRPIX1  = 30.0\nCRPIX2  = 20.0\n"
    "CDELT1  = -0.001\nCDELT2  = 0.001";

/// All positions of one reading, bit by bit, or the reason why there are none.
std::string positions(const std::string& header) {
  Sources sources = testing::usual_sources(8);
  sources[columns::x_image] = {1, 30.5, 60, 30.5, 1e6, -1e6, std::numeric_limits<double>::quiet_NaN(), 0.5};
  sources[columns::y_image] = {1, 20.5, 40, 21.5, 3e5, -1e6, 1, 1e300};
  std::vector<SkyPosition> footprint;
  std::string result = add_sky_positions(header, frame, sources, footprint) + ";";
  for (const auto& key : {columns::alpha_j2000, columns::delta_j2000})
    for (const double value : sources.has(key) ? sources[key] : std::vector<double>())
      result += std::to_string(std::bit_cast<std::uint64_t>(value)) + " ";
  return result;
}

}  // namespace

/// The cards of a WCS, one a line: positions of sources, the same twice, the size of a pixel, and the map from this
/// frame to another.
int fuzz_wcs(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t longest = 8192;
  if (size > longest) return 0;
  const std::string header = testing::cards_of(testing::as_text(data, size));
  testing::read_or_refused({ErrorKind::input}, [&] {
    testing::require(positions(header) == positions(header), "other positions the second time");
    double side = 0;
    testing::require(!measure_pixel(header, frame, side).empty() || side > 0, "a pixel without a size");
    largest_shift(map_pixels(frame, header, "new", testing::cards_of(plain_tan), "reference", Cpu{}));
    largest_shift(map_pixels(frame, testing::cards_of(plain_tan), "new", header, "reference", Cpu{}));
  });
  return 0;
}
