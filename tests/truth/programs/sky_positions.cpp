// Sky positions for tests/truth/test_wcs.py: read from stdin one header after the other, each as int32 length and
// number of positions, the header, and the positions as doubles x, y. To stdout goes the int32 length of the reason why
// there are none, and the reason; or 0, and longitude and latitude of each position.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "io/wcs/wcs.hpp"

namespace srcextract {
namespace {

template <class T>
bool read(std::vector<T>& values) {
  const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(T));
  return bytes == 0 || static_cast<bool>(std::cin.read(reinterpret_cast<char*>(values.data()), bytes));
}

void write(const void* data, std::size_t bytes) {
  std::cout.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
}

void answer(const std::string& header, const std::vector<double>& positions) {
  std::vector<double> x, y;
  std::vector<SkyPosition> places;
  for (std::size_t i = 0; i < positions.size(); i += 2) {
    x.push_back(positions[i]);
    y.push_back(positions[i + 1]);
  }
  const std::string reason = find_on_sky(header, x, y, places);
  const auto length = static_cast<std::int32_t>(reason.size());
  write(&length, sizeof(length));
  write(reason.data(), reason.size());
  if (!reason.empty()) return;
  for (const SkyPosition& at : places) {
    write(&at.alpha, sizeof(double));
    write(&at.delta, sizeof(double));
  }
}

}  // namespace
}  // namespace srcextract

int main() {
  std::vector<std::int32_t> sizes(2);
  while (srcextract::read(sizes)) {
    std::vector<char> header(static_cast<std::size_t>(sizes[0]));
    std::vector<double> positions(2 * static_cast<std::size_t>(sizes[1]));
    if (!srcextract::read(header) || !srcextract::read(positions)) return 1;
    srcextract::answer({header.begin(), header.end()}, positions);
  }
  return 0;
}
