#include "stages/detect/threshold.hpp"

#include "stages/core/vector_clones.hpp"
#include "stages/detect/mask_runs.hpp"
#include "stages/math/ordered_key.hpp"

namespace srcextract {

namespace {

/// Pixels of a row are marked so many at a time.
constexpr std::int64_t pixels_at_a_time = word_pixels<std::uint64_t>;

/// Written so that compilers make it vector comparisons and a few ORs.
inline std::uint32_t half_word(const float* pixels, float level) {
  std::uint32_t bits = 0;
  for (std::int64_t i = 0; i < pixels_at_a_time / 2; ++i) bits |= (pixels[i] > level ? std::uint32_t{1} : 0) << i;
  return bits;
}

/// Marks the foreground of one row, padded with background to whole words; returns the number of its runs.
SRCEXTRACT_VECTOR_CLONES
std::int64_t mark_row(const float* row, std::int64_t width, float level, std::uint64_t* words) {
  std::int64_t begins = 0;
  std::uint64_t before = 0;
  for (std::int64_t x = 0; x < width; x += pixels_at_a_time, ++words) {
    std::uint64_t word = 0;
    if (width - x >= pixels_at_a_time) {
      word = half_word(row + x, level) | std::uint64_t{half_word(row + x + pixels_at_a_time / 2, level)}
                                             << pixels_at_a_time / 2;
    } else {
      for (std::int64_t i = 0; i < width - x; ++i) word |= (row[x + i] > level ? std::uint64_t{1} : 0) << i;
    }
    *words = word;
    begins += std::popcount(word & edges_of(word, before));
    before = word >> (pixels_at_a_time - 1);
  }
  return begins;
}

}  // namespace

Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const Cpu& where) {
  const std::int64_t width = image.shape.width;
  const float level = floor_to_float(levels->detection);
  const std::int64_t words_per_row = (width + pixels_at_a_time - 1) / pixels_at_a_time;
  // The image is read once; its foreground, a bit a pixel, is small enough to stay in the caches.
  Buffer<std::uint64_t, Cpu> words(image.shape.height * words_per_row, where);
  const auto mark = [&](std::int64_t y) {
    return mark_row(image.pixels.data() + y * width, width, level, words.data() + y * words_per_row);
  };
  return list_runs(image.shape, words.data(), mark, where);
}

}  // namespace srcextract
