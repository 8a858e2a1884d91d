#include "stages/psf/doubled_stars.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <vector>

#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

/// A source and a fainter one beside it, by their numbers in a list.
struct Pair {
  std::size_t star, fainter;
  double dx, dy, ratio;

  /// Noise decides which image is the brighter one if both have the same light, so the sign of the offset is free.
  bool is_like(const Pair& other) const {
    constexpr double nearest = 1, alike = 1.2;
    const double off = std::min(length_of(dx - other.dx, dy - other.dy), length_of(dx + other.dx, dy + other.dy));
    return off <= nearest && ratio < alike * other.ratio && other.ratio < alike * ratio;
  }
};

/// All sources that are bright enough, at most 200: the brightest ones.
std::vector<PsfStar> bright_ones(std::span<const PsfStar> stars) {
  constexpr double least_snr = 50;
  constexpr std::size_t most = 200;
  std::vector<PsfStar> bright;
  std::ranges::copy_if(stars, std::back_inserter(bright),
                       [](const PsfStar& star) { return star.snr >= least_snr && star.flux > 0; });
  std::ranges::stable_sort(bright, std::ranges::greater{}, &PsfStar::flux);
  if (bright.size() > most) bright.resize(most);
  return bright;
}

}  // namespace

DoubledStars find_doubled_stars(std::span<const PsfStar> stars, double width) {
  constexpr std::size_t least_pairs = 8;
  constexpr double widths = 6;
  const std::vector<PsfStar> bright = bright_ones(stars);
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < bright.size(); ++i)
    for (std::size_t j = i + 1; j < bright.size(); ++j)
      if (const Pair pair{i, j, bright[j].x - bright[i].x, bright[j].y - bright[i].y, bright[j].flux / bright[i].flux};
          length_of(pair.dx, pair.dy) <= widths * width)
        pairs.push_back(pair);
  DoubledStars found;
  for (const Pair& pair : pairs) {
    // in a row of stars, as of fibres, a star has one on each side
    std::vector<int> uses(bright.size(), 0);
    for (const Pair& other : pairs)
      if (pair.is_like(other)) ++uses[other.star], ++uses[other.fainter];
    const auto alike = static_cast<std::size_t>(std::ranges::count_if(pairs, [&](const Pair& other) {
      return pair.is_like(other) && uses[other.star] == 1 && uses[other.fainter] == 1;
    }));
    if (alike > found.pairs) found = {alike, bright.size(), pair.dx, pair.dy, pair.ratio};
  }
  // of each pair one source is the other image, so pairs are most of the stars if they are a third of the sources
  return found.pairs >= least_pairs && 3 * found.pairs > bright.size() ? found : DoubledStars{};
}

}  // namespace srcextract
