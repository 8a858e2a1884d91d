#include "stages/detect/threshold.hpp"

#include <vector>

#include "stages/core/vector_clones.hpp"
#include "stages/detect/detection_levels.hpp"
#include "stages/detect/mask_runs.hpp"
#include "stages/math/ordered_key.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

namespace {

/// Pixels of a row are marked so many at a time.
constexpr std::int64_t pixels_at_a_time = word_pixels<std::uint64_t>;

/// The level of every pixel.
struct OneLevel {
  float level;
  float operator[](std::int64_t) const { return level; }
  OneLevel from(std::int64_t) const { return *this; }
};
struct EachLevel {
  const float* levels;
  float operator[](std::int64_t i) const { return levels[i]; }
  EachLevel from(std::int64_t x) const { return {levels + x}; }
};

/// Written so that compilers make it vector comparisons and a few ORs.
template <class Level>
inline __attribute__((always_inline)) std::uint32_t half_word(const float* pixels, Level level) {
  std::uint32_t bits = 0;
  for (std::int64_t i = 0; i < pixels_at_a_time / 2; ++i) bits |= (pixels[i] > level[i] ? std::uint32_t{1} : 0) << i;
  return bits;
}

/// Marks the foreground of one row, padded with background to whole words; returns the number of its runs.
template <class Level>
inline __attribute__((always_inline)) std::int64_t mark(const float* row, std::int64_t width, Level level,
                                                        std::uint64_t* words) {
  constexpr std::int64_t half = pixels_at_a_time / 2;
  std::int64_t begins = 0;
  std::uint64_t before = 0;
  for (std::int64_t x = 0; x < width; x += pixels_at_a_time, ++words) {
    std::uint64_t word = 0;
    if (width - x >= pixels_at_a_time) {
      word = half_word(row + x, level.from(x)) | std::uint64_t{half_word(row + x + half, level.from(x + half))} << half;
    } else {
      for (std::int64_t i = 0; i < width - x; ++i) word |= (row[x + i] > level[x + i] ? std::uint64_t{1} : 0) << i;
    }
    *words = word;
    begins += std::popcount(word & edges_of(word, before));
    before = word >> (pixels_at_a_time - 1);
  }
  return begins;
}

SRCEXTRACT_VECTOR_CLONES
std::int64_t mark_row(const float* row, std::int64_t width, OneLevel level, std::uint64_t* words) {
  return mark(row, width, level, words);
}

SRCEXTRACT_VECTOR_CLONES
std::int64_t mark_noisy_row(const float* row, std::int64_t width, EachLevel level, std::uint64_t* words) {
  return mark(row, width, level, words);
}

/// From the noise of every pixel to its level.
SRCEXTRACT_VECTOR_CLONES
void levels_of_row(Levels levels, std::int64_t width, float* __restrict noise) {
  for (std::int64_t x = 0; x < width; ++x) noise[x] = level_above_noise(levels, noise[x]);
}

/// From the variance of every pixel to its level.
SRCEXTRACT_VECTOR_CLONES
void levels_of_variances(Levels levels, const float* variance, std::int64_t width, float* __restrict level) {
  for (std::int64_t x = 0; x < width; ++x) level[x] = level_of_variance(levels, variance[x]);
}

/// Words for the foreground of a row, a bit a pixel: small enough that it stays in the caches.
std::int64_t words_per_row(std::int64_t width) {
  return (width + pixels_at_a_time - 1) / pixels_at_a_time;
}

}  // namespace

Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const Cpu& where) {
  const std::int64_t width = image.shape.width, words_of_row = words_per_row(width);
  const OneLevel level{floor_to_float(levels->detection)};
  Buffer<std::uint64_t, Cpu> words(image.shape.height * words_of_row, where);
  const auto mark = [&](std::int64_t y) {
    return mark_row(image.pixels.data() + y * width, width, level, words.data() + y * words_of_row);
  };
  return list_runs(image.shape, words.data(), mark, where);
}

Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const SkyMesh<Cpu>& noise,
                    const Cpu& where) {
  const std::int64_t width = image.shape.width, words_of_row = words_per_row(width);
  Buffer<std::uint64_t, Cpu> words(image.shape.height * words_of_row, where);
  const auto mark = [&](std::int64_t y) {
    MeshRow row(noise.grid, noise.rms, noise.rms_bend);
    std::vector<float> level(static_cast<std::size_t>(width));
    row.go_to(y);
    row.fill(level.data());
    levels_of_row(*levels, width, level.data());
    return mark_noisy_row(image.pixels.data() + y * width, width, {level.data()}, words.data() + y * words_of_row);
  };
  return list_runs(image.shape, words.data(), mark, where);
}

Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const Image<float, Cpu>& variance,
                    const Cpu& where) {
  const std::int64_t width = image.shape.width, words_of_row = words_per_row(width);
  Buffer<std::uint64_t, Cpu> words(image.shape.height * words_of_row, where);
  const auto mark = [&](std::int64_t y) {
    std::vector<float> level(static_cast<std::size_t>(width));
    levels_of_variances(*levels, variance.pixels.data() + y * width, width, level.data());
    return mark_noisy_row(image.pixels.data() + y * width, width, {level.data()}, words.data() + y * words_of_row);
  };
  return list_runs(image.shape, words.data(), mark, where);
}

}  // namespace srcextract
