#include "stages/sky/pixel_loops.hpp"

#include <algorithm>
#include <bit>

#include "stages/core/intrinsics.hpp"
#include "stages/core/vector_clones.hpp"

// Each loop that compilers must vectorise is in a function of its own, together with only the variables that it needs.
namespace srcextract {

namespace {

/// Adds the pixels in the interval `inside` to the sums. All of them must be of class 0 of the grid (SumGrid). Each
/// other pixel is replaced by the grid's centre, which adds 0.
SRCEXTRACT_VECTOR_CLONES
void sum_near(const float* pixels, int count, const Interval& inside, const SumGrid& grid, PixelSums& sums) {
  const RoundingConstants round(grid.scale);
  const double round_first = round.first;
  const double round_second = round.second;
  const double centre = grid.centre;
  const auto float_centre = static_cast<float>(centre);
  const float lower = inside.lower;
  const float upper = inside.upper;
  // The sums of bit patterns wrap around modulo 2^64. The subtraction after the loop wraps them back.
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  for (int i = 0; i < count; ++i) {
    const float pixel = ((pixels[i] > lower) & (pixels[i] < upper)) ? pixels[i] : float_centre;
    const double deviation = static_cast<double>(pixel) - centre;
    first += std::bit_cast<std::uint64_t>(deviation + round_first);
    second += std::bit_cast<std::uint64_t>(deviation * deviation + round_second);
  }
  const auto added = static_cast<std::uint64_t>(count);
  sums.first[0].add(static_cast<std::int64_t>(first - added * std::bit_cast<std::uint64_t>(round_first)));
  sums.second[0].add(static_cast<std::int64_t>(second - added * std::bit_cast<std::uint64_t>(round_second)));
}

SRCEXTRACT_VECTOR_CLONES
void count_inside(const float* pixels, int count, const Interval& interval, PixelSums& sums) {
  const float lower = interval.lower;
  const float upper = interval.upper;
  std::int32_t inside = 0;
  std::int32_t below = 0;
  for (int i = 0; i < count; ++i) {
    inside += ((pixels[i] > lower) & (pixels[i] < upper)) ? 1 : 0;
    below += pixels[i] <= lower ? 1 : 0;
  }
  sums.count += inside;
  sums.below += below;
}

/// Adds the pixels of the interval that are not in `near`, the interval of class 0 pixels. Only few pixels are not.
void add_far(const float* pixels, int count, const Interval& interval, const SumGrid& grid, const Interval& near,
             PixelSums& sums) {
  float far[chunk_pixels];
  const int far_count = copy_outside(pixels, count, near, far);
  for (int i = 0; i < far_count; ++i) {
    if (!interval.contains(far[i])) continue;
    const FarTerms terms = far_terms(grid.deviation(far[i]), grid);
    sums.classes = std::max(sums.classes, terms.k + 1);
    sums.first[terms.k].add(terms.first);
    sums.second[terms.k].add(terms.second);
  }
}

SRCEXTRACT_VECTOR_CLONES
void find_bins(const float* pixels, int count, const LinearBins& bins, std::int32_t* out) {
  const double first = bins.first;
  const double per_unit = bins.per_unit;
  for (int i = 0; i < count; ++i) {
    const auto bin = static_cast<std::int32_t>((pixels[i] - first) * per_unit);
    out[i] = std::min(bin, LinearBins::count - 1);
  }
}

constexpr int word_pixels = 32;
constexpr int chunk_words = chunk_pixels / word_pixels;

/// Sets one bit in `marks` for each pixel in the interval, for words * 32 pixels.
SRCEXTRACT_VECTOR_CLONES
void mark_inside(const float* pixels, int words, const Interval& interval, std::uint32_t* marks) {
  const float lower = interval.lower;
  const float upper = interval.upper;
  for (int word = 0; word < words; ++word, pixels += word_pixels) {
    std::uint32_t bits = 0;
    for (int i = 0; i < word_pixels; ++i) bits |= ((pixels[i] > lower) & (pixels[i] < upper)) ? 1u << i : 0u;
    marks[word] = bits;
  }
}

SRCEXTRACT_VECTOR_CLONES
void mark_outside(const float* pixels, int words, const Interval& interval, std::uint32_t* marks) {
  const float lower = interval.lower;
  const float upper = interval.upper;
  for (int word = 0; word < words; ++word, pixels += word_pixels) {
    std::uint32_t bits = 0;
    for (int i = 0; i < word_pixels; ++i) bits |= ((pixels[i] <= lower) | (pixels[i] >= upper)) ? 1u << i : 0u;
    marks[word] = bits;
  }
}

int copy_marked(const float* pixels, const std::uint32_t* marks, int words, float* out) {
  int copied = 0;
  for (int word = 0; word < words; ++word, pixels += word_pixels) {
    for (std::uint32_t bits = marks[word]; bits != 0; bits &= bits - 1) out[copied++] = pixels[std::countr_zero(bits)];
  }
  return copied;
}

// Compilers cannot vectorise a loop that copies the pixels that pass a test. AVX-512 has an instruction for this
// (compress); on other processors mark_inside() finds the pixels, and copy_marked() copies them.
#if SRCEXTRACT_HAVE_CLONES
SRCEXTRACT_AVX512
int copy_words_inside(const float* pixels, int words, const Interval& interval, float* out) {
  const __m512 lower = _mm512_set1_ps(interval.lower);
  const __m512 upper = _mm512_set1_ps(interval.upper);
  int copied = 0;
  for (int i = 0; i < words * word_pixels; i += 16) {
    const __m512 x = _mm512_loadu_ps(pixels + i);
    const __mmask16 inside = _mm512_mask_cmp_ps_mask(_mm512_cmp_ps_mask(x, lower, _CMP_GT_OQ), x, upper, _CMP_LT_OQ);
    // The store of 16 floats cannot reach further than the loop has read pixels.
    _mm512_storeu_ps(out + copied, _mm512_maskz_compress_ps(inside, x));
    copied += std::popcount(static_cast<unsigned int>(inside));
  }
  return copied;
}

SRCEXTRACT_AVX512
int copy_words_outside(const float* pixels, int words, const Interval& interval, float* out) {
  const __m512 lower = _mm512_set1_ps(interval.lower);
  const __m512 upper = _mm512_set1_ps(interval.upper);
  int copied = 0;
  for (int i = 0; i < words * word_pixels; i += 16) {
    const __m512 x = _mm512_loadu_ps(pixels + i);
    const auto outside =
        static_cast<__mmask16>(_mm512_cmp_ps_mask(x, lower, _CMP_LE_OQ) | _mm512_cmp_ps_mask(x, upper, _CMP_GE_OQ));
    _mm512_storeu_ps(out + copied, _mm512_maskz_compress_ps(outside, x));
    copied += std::popcount(static_cast<unsigned int>(outside));
  }
  return copied;
}

/// Does look_at() for whole AVX-512 registers, so that each pixel is loaded once; the separate loops would load each
/// pixel four times. Returns the number of pixels that are done; 0 if the core has pixels that are not near.
SRCEXTRACT_AVX512
int look_at_registers(const float* pixels, int count, const FirstLook& look, PixelSums& sums, PixelCounts& counts,
                      float*& outside, float*& inside) {
  if (!look.near.contains(look.core)) return 0;
  constexpr int width = 16;
  const RoundingConstants round(look.grid.scale);
  const __m512d centre = _mm512_set1_pd(look.grid.centre), round_first = _mm512_set1_pd(round.first),
                round_second = _mm512_set1_pd(round.second);
  const __m512 centres = _mm512_set1_ps(static_cast<float>(look.grid.centre));
  const __m512 core_lower = _mm512_set1_ps(look.core.lower), core_upper = _mm512_set1_ps(look.core.upper);
  const __m512 window_lower = _mm512_set1_ps(look.window.lower), window_upper = _mm512_set1_ps(look.window.upper);
  const __m512i one = _mm512_set1_epi32(1);
  __m512i unmasked = _mm512_setzero_si512(), below = unmasked;
  __m512i first[2] = {unmasked, unmasked}, second[2] = {unmasked, unmasked};
  const auto add_half = [&](int half, __m256 of_half) SRCEXTRACT_AVX512 {
    const __m512d deviation = _mm512_sub_pd(_mm512_cvtps_pd(of_half), centre);
    first[half] = _mm512_add_epi64(first[half], _mm512_castpd_si512(_mm512_add_pd(deviation, round_first)));
    const __m512d square = _mm512_mul_pd(deviation, deviation);
    second[half] = _mm512_add_epi64(second[half], _mm512_castpd_si512(_mm512_add_pd(square, round_second)));
  };
  const int done = count / width * width;
  for (int i = 0; i < done; i += width) {
    const __m512 x = _mm512_loadu_ps(pixels + i);
    const __mmask16 number = _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q);
    const __mmask16 above = _mm512_cmp_ps_mask(x, core_lower, _CMP_GT_OQ);
    const __mmask16 in_core = _mm512_mask_cmp_ps_mask(above, x, core_upper, _CMP_LT_OQ);
    const __mmask16 not_above = _mm512_cmp_ps_mask(x, window_lower, _CMP_LE_OQ);
    const __mmask16 in_window = _mm512_mask_cmp_ps_mask(_knot_mask16(not_above), x, window_upper, _CMP_LT_OQ);
    unmasked = _mm512_mask_add_epi32(unmasked, number, unmasked, one);
    below = _mm512_mask_add_epi32(below, not_above, below, one);
    const __m512 near = _mm512_mask_mov_ps(centres, in_core, x);
    add_half(0, _mm512_castps512_ps256(near));
    add_half(1, _mm512_extractf32x8_ps(near, 1));
    const __mmask16 out_of_core = _kandn_mask16(in_core, number);
    // The store of 16 floats cannot reach further than the loop has read pixels.
    _mm512_storeu_ps(outside, _mm512_maskz_compress_ps(out_of_core, x));
    outside += std::popcount(static_cast<unsigned int>(out_of_core));
    _mm512_storeu_ps(inside, _mm512_maskz_compress_ps(in_window, x));
    inside += std::popcount(static_cast<unsigned int>(in_window));
  }
  counts.unmasked += _mm512_reduce_add_epi32(unmasked);
  counts.below_window += _mm512_reduce_add_epi32(below);
  const auto of_rounding = [&](double constant) {
    return static_cast<std::uint64_t>(done) * std::bit_cast<std::uint64_t>(constant);
  };
  const auto sum = [](const __m512i(&halves)[2]) SRCEXTRACT_AVX512 {
    return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(_mm512_add_epi64(halves[0], halves[1])));
  };
  sums.first[0].add(static_cast<std::int64_t>(sum(first) - of_rounding(round.first)));
  sums.second[0].add(static_cast<std::int64_t>(sum(second) - of_rounding(round.second)));
  return done;
}
#endif

SRCEXTRACT_BASELINE
int look_at_registers(const float* /*pixels*/, int /*count*/, const FirstLook& /*look*/, PixelSums& /*sums*/,
                      PixelCounts& /*counts*/, float*& /*outside*/, float*& /*inside*/) {
  return 0;
}

SRCEXTRACT_BASELINE
int copy_words_inside(const float* pixels, int words, const Interval& interval, float* out) {
  std::uint32_t marks[chunk_words];
  mark_inside(pixels, words, interval, marks);
  return copy_marked(pixels, marks, words, out);
}

SRCEXTRACT_BASELINE
int copy_words_outside(const float* pixels, int words, const Interval& interval, float* out) {
  std::uint32_t marks[chunk_words];
  mark_outside(pixels, words, interval, marks);
  return copy_marked(pixels, marks, words, out);
}

/// Does what add_inside() does, but leaves sums.count and sums.below unchanged.
void add_sums(const float* pixels, int count, const Interval& interval, const SumGrid& grid, const Interval& near,
              PixelSums& sums) {
  sum_near(pixels, count, interval.within(near), grid, sums);
  if (!near.contains(interval)) add_far(pixels, count, interval, grid, near, sums);
}

SRCEXTRACT_VECTOR_CLONES
void count_unmasked(const float* pixels, int count, const Interval& window, PixelCounts& counts) {
  const float lower = window.lower;
  std::int32_t unmasked = 0;
  std::int32_t below = 0;
  for (int i = 0; i < count; ++i) {
    unmasked += pixels[i] == pixels[i] ? 1 : 0;
    below += pixels[i] <= lower ? 1 : 0;
  }
  counts.unmasked += unmasked;
  counts.below_window += below;
}

}  // namespace

void add_inside(const float* pixels, int count, const Interval& interval, const SumGrid& grid, const Interval& near,
                PixelSums& sums) {
  count_inside(pixels, count, interval, sums);
  add_sums(pixels, count, interval, grid, near, sums);
}

void look_at(const float* pixels, int count, const FirstLook& look, PixelSums& sums, PixelCounts& counts,
             float*& outside, float*& inside) {
  const int done = look_at_registers(pixels, count, look, sums, counts, outside, inside);
  if (done == count) return;
  pixels += done;
  count -= done;
  add_sums(pixels, count, look.core, look.grid, look.near, sums);
  count_unmasked(pixels, count, look.window, counts);
  outside += copy_outside(pixels, count, look.core, outside);
  inside += copy_inside(pixels, count, look.window, inside);
}

// Finds extremes by integer keys that are ordered as the floats. The smallest pixel has the least unsigned distance of
// keys above the interval's lower end; the largest pixel has the least distance below the upper end. Keys outside the
// interval wrap around to larger distances. Minima of floats are not used, since compilers do not vectorise them: the
// result for -0 and +0 depends on order.
SRCEXTRACT_VECTOR_CLONES
void widen(const float* pixels, int count, const Interval& interval, Extremes& extremes) {
  const std::int32_t first = signed_key(next_above(interval.lower));
  const std::int32_t last = signed_key(next_below(interval.upper));
  std::uint32_t above_first = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t below_last = std::numeric_limits<std::uint32_t>::max();
  for (int i = 0; i < count; ++i) {
    const auto key = static_cast<std::uint32_t>(signed_key(pixels[i]));
    above_first = std::min(above_first, key - static_cast<std::uint32_t>(first));
    below_last = std::min(below_last, static_cast<std::uint32_t>(last) - key);
  }
  const std::int64_t smallest = std::int64_t{first} + above_first;
  const std::int64_t largest = std::int64_t{last} - below_last;
  if (smallest <= last) {
    extremes.smallest = std::min(extremes.smallest, value_of_signed_key(static_cast<std::int32_t>(smallest)));
  }
  if (largest >= first) {
    extremes.largest = std::max(extremes.largest, value_of_signed_key(static_cast<std::int32_t>(largest)));
  }
}

SRCEXTRACT_VECTOR_CLONES
double smallest_distance(const float* pixels, int count, double centre) {
  // Bit patterns of positive doubles are ordered as the doubles, with NaN above infinity. After subtraction of one, the
  // pattern of 0 wraps around to the largest.
  std::uint64_t smallest = static_cast<std::uint64_t>(bits_of(std::numeric_limits<double>::infinity())) - 1;
  for (int i = 0; i < count; ++i) {
    const double deviation = static_cast<double>(pixels[i]) - centre;
    const std::uint64_t distance = std::bit_cast<std::uint64_t>(deviation) << 1 >> 1;
    smallest = std::min(smallest, distance - 1);
  }
  return std::bit_cast<double>(smallest + 1);
}

int copy_inside(const float* pixels, int count, const Interval& interval, float* out) {
  const int words = count / word_pixels;
  int copied = copy_words_inside(pixels, words, interval, out);
  for (int i = words * word_pixels; i < count; ++i) {
    if (interval.contains(pixels[i])) out[copied++] = pixels[i];
  }
  return copied;
}

int copy_outside(const float* pixels, int count, const Interval& interval, float* out) {
  const int words = count / word_pixels;
  int copied = copy_words_outside(pixels, words, interval, out);
  for (int i = words * word_pixels; i < count; ++i) {
    if (pixels[i] <= interval.lower || pixels[i] >= interval.upper) out[copied++] = pixels[i];
  }
  return copied;
}

void count_into_bins(const float* pixels, int count, const LinearBins& bins, BinTables& tables) {
  auto& [first, second, third, fourth] = tables.tables;
  if (bins.per_unit == 0) {
    first[0] += static_cast<std::uint32_t>(count);
    return;
  }
  std::int32_t found[chunk_pixels];
  find_bins(pixels, count, bins, found);
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    ++first[static_cast<std::size_t>(found[i])];
    ++second[static_cast<std::size_t>(found[i + 1])];
    ++third[static_cast<std::size_t>(found[i + 2])];
    ++fourth[static_cast<std::size_t>(found[i + 3])];
  }
  for (; i < count; ++i) ++first[static_cast<std::size_t>(found[i])];
}

}  // namespace srcextract
