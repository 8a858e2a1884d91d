#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/math/splitmix64.hpp"
#include "stages/sky/deviation_sums.hpp"

namespace srcextract {

/// A small sample spread evenly over an image, drawn before the clipping reads every pixel. The sample defines the grid
/// of the sums (SumGrid) and Background::zero_share. All else that is derived from the sample is a guess: a wrong guess
/// costs time but changes no result.

SRCEXTRACT_HOST_DEVICE inline int sample_size(std::int64_t count) {
  constexpr std::int64_t mega = std::int64_t{1} << 20;
  const int wanted = count < 32 * mega ? 4096 : count < 128 * mega ? 8192 : 16384;
  return count < wanted ? static_cast<int>(count) : wanted;
}

/// The index in the image of pixel i of the sample. The image is divided into `samples` equal parts, and one pixel is
/// taken at a pseudo-random position in each part. Positions at a fixed step could coincide with a periodic pattern of
/// the image.
SRCEXTRACT_HOST_DEVICE inline std::int64_t sample_position(int i, int samples, std::int64_t count) {
  const std::int64_t part = count / samples;
  const int rest = static_cast<int>(count % samples);  // i * count / samples = i * part + i * rest / samples
  const int before = i * rest / samples;
  const int after = (i + 1) * rest / samples;
  return i * part + before +
         static_cast<std::int64_t>(splitmix64(i) % static_cast<std::uint64_t>(part + after - before));
}

/// Makes the grid from a sorted sample of `size` unmasked pixels: the centre is the median, and the scale is the
/// interquartile range rounded down to a power of two. If that range is 0, the scale is 0. The caller must then set the
/// scale to power_of_two_below() of the smallest |d| > 0 of the whole image, or to 1 if there is none.
SRCEXTRACT_HOST_DEVICE inline SumGrid grid_of_sample(const float* sorted, int size) {
  if (size == 0) return {0, 0};
  const double spread = static_cast<double>(sorted[3 * static_cast<std::int64_t>(size) / 4]) - sorted[size / 4];
  return {sorted[size / 2], spread > 0 ? power_of_two_below(spread) : 0};
}

/// Guessed intervals for the pass that reads every pixel of the image.
struct ClipGuess {
  Interval core;    ///< should be inside every clipped set: its pixels are summed at once, and pixels outside are kept
  Interval window;  ///< should contain the medians of all clipped sets: its pixels are kept
};

/// A bound on the difference between the rank of a value in the sample and its rank in the image, as fractions of all
/// pixels. One sample in sixteen thousand exceeds the bound.
SRCEXTRACT_HOST_DEVICE inline double rank_margin(int size) {
  return 2 / sqrt(static_cast<double>(size)) + 2.0 / size;
}

/// The interval of values between two ranks, both included. The ranks `lower` and `upper` are fractions of all pixels.
SRCEXTRACT_HOST_DEVICE inline Interval window_between(const float* sorted, int size, double lower, double upper) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const auto first = static_cast<std::int64_t>(floor(lower * size));
  const auto last = static_cast<std::int64_t>(ceil(upper * size));
  return {first >= 0 && first < size ? next_below(sorted[first]) : -infinity,
          last >= 0 && last < size ? next_above(sorted[last]) : infinity};
}

/// A window with more than this fraction of the image's pixels would cost more to keep than another pass over the
/// image.
inline constexpr double largest_window = 0.15;

/// Guesses core and window for the clipping of the image by clipping the sample. `sums` and `squares` have size + 1
/// elements: running sums, from 0, of the deviations of the sorted sample from the grid's centre, and of their squares.
/// `sorted` may be an evenly drawn part of the sample; `margin` must still be rank_margin() of the whole sample.
/// count_up_to(value) must return the number of pixels of the sorted sample that are at most `value`.
template <class CountUpTo>
SRCEXTRACT_HOST_DEVICE ClipGuess guess_clip(const float* sorted, const double* sums, const double* squares, int size,
                                            double margin, const SumGrid& grid, double kappa,
                                            std::int64_t max_iterations, const CountUpTo& count_up_to) {
  // The core reaches from the median to this fraction of the distance to the limits of the last iteration.
  constexpr double core_share = 0.85;
  constexpr int most_rounds = 32;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (size == 0) return {{0, 0}, {-infinity, infinity}};
  int begin = 0;
  int end = size;
  int lowest = size / 2;
  int highest = size / 2;
  double median = sorted[size / 2];
  double reach = 0;
  for (int round = 0; round < most_rounds; ++round) {
    const double n = end - begin;
    const double mean = (sums[end] - sums[begin]) / n;
    const double variance = (squares[end] - squares[begin]) / n - mean * mean;
    const int middle = begin + (end - begin) / 2;
    median = sorted[middle];
    reach = kappa * sqrt(variance > 0 ? variance : 0);
    lowest = middle < lowest ? middle : lowest;
    highest = middle > highest ? middle : highest;
    if (max_iterations > 0 && round >= max_iterations) break;
    const int next_begin = count_up_to(median - reach);
    const int next_end = count_up_to(median + reach);
    if ((next_begin <= begin && next_end >= end) || next_begin >= next_end) break;
    begin = next_begin > begin ? next_begin : begin;
    end = next_end < end ? next_end : end;
  }

  ClipGuess guess;
  const double half = core_share * reach;
  const double near = 0.99 * grid.near();
  const double lower = median - half > grid.centre - near ? median - half : grid.centre - near;
  const double upper = median + half < grid.centre + near ? median + half : grid.centre + near;
  guess.core = {ceil_to_float(lower), floor_to_float(upper)};
  const double first = static_cast<double>(lowest) / size - margin;
  const double last = static_cast<double>(highest) / size + margin;
  const bool narrow = last - first <= largest_window || last - first <= 2 * margin;
  guess.window =
      narrow ? window_between(sorted, size, first, last) : window_between(sorted, size, 0.5 - margin, 0.5 + margin);
  return guess;
}

/// The guess with a binary search in the sorted sample as count_up_to, for use by one thread.
inline ClipGuess guess_clip(const float* sorted, const double* sums, const double* squares, int size, double margin,
                            const SumGrid& grid, double kappa, std::int64_t max_iterations) {
  return guess_clip(sorted, sums, squares, size, margin, grid, kappa, max_iterations, [&](double value) {
    return static_cast<int>(std::upper_bound(sorted, sorted + size, value) - sorted);
  });
}

}  // namespace srcextract
