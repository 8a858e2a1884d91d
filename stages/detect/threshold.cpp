#include "stages/detect/threshold.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "stages/core/contract.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/detect/detection_levels.hpp"
#include "stages/detect/mask_runs.hpp"
#include "stages/math/ordered_key.hpp"
#include "stages/sky/mesh_rows.hpp"

namespace srcextract {

namespace {

/// Number of pixels of a row that are compared with the level at a time.
constexpr std::int64_t pixels_at_a_time = word_pixels<std::uint64_t>;

/// The same level for all pixels of a row. from(x) returns the levels from pixel x on.
struct OneLevel {
  float level;
  float operator[](std::int64_t) const { return level; }
  OneLevel from(std::int64_t) const { return *this; }
};
/// A separate level for each pixel of a row. from(x) returns the levels from pixel x on.
struct EachLevel {
  const float* levels;
  float operator[](std::int64_t i) const { return levels[i]; }
  EachLevel from(std::int64_t x) const { return {levels + x}; }
};

/// Returns a word in which bit i is 1 if pixel i is above its level, for 32 pixels. Compilers turn this form of the
/// loop into vector comparisons and a few ORs.
template <class Level>
inline __attribute__((always_inline)) std::uint32_t half_word(const float* pixels, Level level) {
  std::uint32_t bits = 0;
  for (std::int64_t i = 0; i < pixels_at_a_time / 2; ++i) bits |= (pixels[i] > level[i] ? std::uint32_t{1} : 0) << i;
  return bits;
}

/// Writes the foreground of one row to `words`, with one bit per pixel. Bits beyond the row's end are 0. Returns the
/// number of runs (maximal stretches of foreground pixels) in the row.
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
std::int64_t mark_row(const float* row, std::int64_t width, EachLevel level, std::uint64_t* words) {
  return mark(row, width, level, words);
}

/// Replaces the noise of every pixel of a row by its detection level.
SRCEXTRACT_VECTOR_CLONES
void levels_of_row(Levels levels, std::int64_t width, float* __restrict noise) {
  for (std::int64_t x = 0; x < width; ++x) noise[x] = level_above_noise(levels, noise[x]);
}

/// Computes the detection level of every pixel of a row from its variance.
SRCEXTRACT_VECTOR_CLONES
void levels_of_variances(Levels levels, const float* variance, std::int64_t width, float* __restrict level) {
  for (std::int64_t x = 0; x < width; ++x) level[x] = level_of_variance(levels, variance[x]);
}

/// Finds the runs in the rows [first, end) of an image. The result numbers rows from 0 for row `first`. `begin` is as
/// in segment().
template <class Begin>
Runs<Cpu> segment_rows(const Image<float, Cpu>& image, std::int64_t first, std::int64_t end, const Begin& begin,
                       const Cpu& where) {
  const std::int64_t width = image.shape.width;
  // The foreground has one bit per pixel, so that it mostly stays in the processor's caches.
  const std::int64_t words_of_row = (width + pixels_at_a_time - 1) / pixels_at_a_time;
  Buffer<std::uint64_t, Cpu> words((end - first) * words_of_row, where);
  const auto mark_rows = [&, width = width](std::int64_t row, std::int64_t last, std::int64_t* counts) {
    const HeldRows held(image, first + row, first + last);
    for (auto level_of = begin(); row < last; ++row) {
      const std::int64_t y = first + row;
      *counts++ = mark_row(image.pixels.data() + y * width, width, level_of(y), words.data() + row * words_of_row);
    }
  };
  return list_runs({width, end - first}, words.data(), mark_rows, where);
}

/// Appends the runs of row y to `to`. If `near` is not null, appends only runs that share a pixel with a run of `near`.
void append_row(std::span<const Run> row, std::int32_t y, const Runs<Cpu>* near, std::vector<Run>& to) {
  std::span<const Run> others;
  if (near != nullptr) others = {near->runs.data() + near->row_begin[y], near->runs.data() + near->row_begin[y + 1]};
  for (const Run& run : row) {
    while (!others.empty() && others.front().end <= run.begin) others = others.subspan(1);
    if (near == nullptr || (!others.empty() && others.front().begin < run.end)) to.push_back({y, run.begin, run.end});
  }
}

/// As segment(), for an image whose rows are computed on demand (stages/core/rows_on_demand.hpp). Marks the foreground
/// of a few rows at a time, to save memory.
template <class Begin>
Runs<Cpu> segment_on_demand(const Image<float, Cpu>& image, const Begin& begin, const Cpu& where,
                            const Runs<Cpu>* near) {
  const std::int64_t height = image.shape.height, together = 4 * image.rows->block_rows() * where.threads;
  Runs<Cpu> all{image.shape, {}, Buffer<std::int64_t, Cpu>(height + 1, where)};
  all.row_begin[0] = 0;
  std::vector<Run> runs;
  for (std::int64_t first = 0; first < height; first += together) {
    const std::int64_t end = std::min(first + together, height);
    const Runs<Cpu> part = segment_rows(image, first, end, begin, where);
    for (std::int64_t row = 0; row < end - first; ++row) {
      const Run *from = part.runs.data() + part.row_begin[row], *to = part.runs.data() + part.row_begin[row + 1];
      append_row({from, to}, static_cast<std::int32_t>(first + row), near, runs);
      all.row_begin[first + row + 1] = std::ssize(runs);
    }
  }
  all.runs = Buffer<Run, Cpu>(std::ssize(runs), where);
  std::ranges::copy(runs, all.runs.begin());
  return all;
}

/// Finds the runs of pixels above their levels. begin() is called once for each group of rows that a thread handles.
/// begin() must return a function that converts a row's index y to the OneLevel or EachLevel of the row. `near` is as
/// in find_runs().
template <class Begin>
Runs<Cpu> segment(const Image<float, Cpu>& image, const Begin& begin, const Cpu& where, const Runs<Cpu>* near) {
  SRCEXTRACT_EXPECT(near == nullptr || (near->shape == image.shape && are_in_raster_order(*near)));
  Runs<Cpu> runs = is_on_demand(image) ? segment_on_demand(image, begin, where, near)
                                       : segment_rows(image, 0, image.shape.height, begin, where);
  SRCEXTRACT_ENSURE(are_in_raster_order(runs));
  return runs;
}

}  // namespace

Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const Cpu& where,
                    const Runs<Cpu>* near) {
  SRCEXTRACT_EXPECT(has_its_pixels(image) && !std::isnan(levels->detection));
  const OneLevel level{floor_to_float(levels->detection)};
  return segment(
      image, [=] { return [=](std::int64_t) { return level; }; }, where, near);
}

Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const SkyMesh<Cpu>& noise,
                    const Cpu& where, const Runs<Cpu>* near) {
  SRCEXTRACT_EXPECT(has_its_pixels(image) && noise.grid.image == image.shape && !std::isnan(levels->in_noise));
  const std::int64_t width = image.shape.width;
  const auto begin = [&, width] {
    return [&, width, row = MeshRow::of_rms(noise),
            level = std::vector<float>(static_cast<std::size_t>(width))](std::int64_t y) mutable -> EachLevel {
      row.go_to(y);
      row.fill(level.data());
      levels_of_row(*levels, width, level.data());
      return {level.data()};
    };
  };
  return segment(image, begin, where, near);
}

Runs<Cpu> find_runs(const Image<float, Cpu>& image, const Value<Levels, Cpu>& levels, const Image<float, Cpu>& variance,
                    const Cpu& where, const Runs<Cpu>* near) {
  SRCEXTRACT_EXPECT(are_alike(image, variance) && !std::isnan(levels->in_noise));
  const std::int64_t width = image.shape.width;
  const auto begin = [&, width] {
    return
        [&, width, level = std::vector<float>(static_cast<std::size_t>(width))](std::int64_t y) mutable -> EachLevel {
          const HeldRows held(variance, y, y + 1);
          levels_of_variances(*levels, variance.pixels.data() + y * width, width, level.data());
          return {level.data()};
        };
  };
  return segment(image, begin, where, near);
}

}  // namespace srcextract
