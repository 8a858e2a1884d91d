#include "stages/deblend/pieces.hpp"

#include <algorithm>

namespace srcextract {

Buffer<std::int64_t, Cpu> places_of(const Runs<Cpu>& runs, std::span<const Piece> pieces, const Cpu& where) {
  const std::int64_t count = runs.runs.size();
  Buffer<std::int64_t, Cpu> place(count + 1, where);
  std::fill(place.begin(), place.end(), 1);
  for (std::size_t i = 1; i < pieces.size(); ++i)
    if (pieces[i].run == pieces[i - 1].run) ++place[pieces[i].run];
  std::int64_t next = 0;
  for (std::int64_t run = 0; run <= count; ++run) {
    const std::int64_t here = place[run];
    place[run] = next;
    next += here;
  }
  return place;
}

}  // namespace srcextract
