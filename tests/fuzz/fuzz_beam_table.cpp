#include "io/wcs/beam_table.hpp"
#include "tests/fuzz/fuzz_support.hpp"

/// A cube's table BEAMS: only finite numbers of a usable beam, the same twice.
int fuzz_beam_table(const std::uint8_t* data, std::size_t size) {
  using namespace srcextract;
  const std::string path = testing::input_file(testing::as_text(data, size), "cube.fits");
  testing::read_or_refused({ErrorKind::input, ErrorKind::memory}, [&] {
    const std::vector<PlaneBeam> beams = read_beam_table(path), again = read_beam_table(path);
    testing::require(beams.size() == again.size(), "another number of beams the second time");
    for (std::size_t i = 0; i < beams.size(); ++i) {
      testing::require(beams[i].channel >= -1 && beams[i].polarisation >= -1, "a plane before the first");
      testing::require(!beams[i].usable() || (beams[i].major == again[i].major && beams[i].minor == again[i].minor),
                       "another beam the second time");
    }
  });
  return 0;
}
