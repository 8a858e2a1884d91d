#include "pipeline/outputs/completeness/random_places.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace srcextract {

double spread_evenly(std::int64_t i) {
  constexpr double golden = 0.61803398874989484820;
  const double turns = (static_cast<double>(i) + 0.5) * golden;
  return turns - std::floor(turns);
}

std::vector<PixelPlace> places_of_pass(const Image<float, Cpu>& above, std::int64_t pass, const Cells& wanted) {
  const Shape& shape = above.shape;
  const std::int64_t side = std::min({wanted.side, shape.width, shape.height});
  const std::int64_t margin = wanted.margin * side / wanted.side;
  const std::int64_t columns = shape.width / side + 2, rows = shape.height / side + 2, cells = columns * rows;
  const std::int64_t left = random_below(side, Purpose::offset_x, pass) - side + 1;
  const std::int64_t top = random_below(side, Purpose::offset_y, pass) - side + 1;
  std::vector<std::pair<double, PixelPlace>> places;
  for (std::int64_t cell = 0; cell < cells; ++cell) {
    const std::int64_t number = pass * cells + cell;
    const auto within = [&](Purpose purpose) { return margin + random_below(side - 2 * margin, purpose, number); };
    const PixelPlace place{left + cell % columns * side + within(Purpose::place_x),
                           top + cell / columns * side + within(Purpose::place_y)};
    if (place.x < 0 || place.x >= shape.width || place.y < 0 || place.y >= shape.height) continue;
    if (std::isnan(above.pixels[place.y * shape.width + place.x])) continue;
    places.emplace_back(random(Purpose::cells, number), place);
  }
  std::ranges::stable_sort(places, {}, &std::pair<double, PixelPlace>::first);
  std::vector<PixelPlace> shuffled;
  for (const auto& [order, place] : places) shuffled.push_back(place);
  return shuffled;
}

}  // namespace srcextract
