#include <bit>

#include "pipeline/chain/measure_positions.hpp"
#include "pipeline/engine/host_engine.hpp"
#include "pipeline/exposure/open_positions.hpp"
#include "tests/fuzz/fuzz_support.hpp"

namespace {

using namespace srcextract;

constexpr Shape shape{24, 20};
constexpr const char* sky =
    "CTYPE1  = 'RA---TAN'\nCTYPE2  = 'DEC--TAN'\nCRVAL1  = 150.0\nCRVAL2  = 2.0\nCRPIX1  = 12.0\nCRPIX2  = 10.0\n"
    "CDELT1  = -0.001\nCDELT2  = 0.001";

/// A plane of floats in the host's order, with one star.
std::vector<float> pixels() {
  std::vector<float> values(static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 7 % 5);
  values[static_cast<std::size_t>(10 * shape.width + 12)] = 500;
  return values;
}

}  // namespace

/// Reads the input as a list of positions; its first bytes tell the format of the table. Measures the light at these
/// positions in a small image.
int fuzz_positions(const std::uint8_t* data, std::size_t size) {
  constexpr std::int64_t room = std::int64_t{1} << 26, most_rows = 1000;
  static const std::vector<float> plane = pixels();
  const std::string path = testing::input_file(testing::as_text(data, size), "positions");
  testing::read_or_refused({ErrorKind::input, ErrorKind::memory}, [&] {
    const PositionList list = read_positions(path, room);
    for (const std::vector<double>* column : {&list.x, &list.y, &list.alpha, &list.delta, &list.a, &list.kron_radius})
      testing::require(column->empty() || std::ssize(*column) == list.rows, "a column has another number of rows");
    if (list.rows > most_rows) return;
    OpenPositions places = place_positions(list, testing::cards_of(sky), "image");
    testing::require(std::ssize(places.places) == list.rows, "not every row has a place");
    const ForcedPositions forced = places.forced();
    const PixelSource source{shape, {.big_endian = false}, {}, reinterpret_cast<const std::byte*>(plane.data())};
    const Config config = forced_config(Config{}, forced.ellipses);
    Extraction extraction = extract_on_host(Exposure(source), config, Cpu{}, {}, nullptr, &forced);
    name_positions(places, shape, config, extraction.sources);
    testing::require(extraction.sources.size() == list.rows, "not every row is measured");
  });
  return 0;
}
