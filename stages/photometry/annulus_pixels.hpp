#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "stages/math/ordered_key.hpp"
#include "stages/photometry/lanes.hpp"
#include "stages/photometry/source_shape.hpp"

namespace srcextract {

/// Pixels from one value to another, both included, as keys in the order of the floats (stages/math/ordered_key.hpp).
struct KeyRange {
  std::uint32_t low, high;

  SRCEXTRACT_HOST_DEVICE bool holds(std::uint32_t key) const { return key >= low && key <= high; }
};

/// The key of a pixel: -0 is +0.
SRCEXTRACT_HOST_DEVICE inline std::uint32_t key_of_pixel(float value) {
  return ordered_key(value == 0 ? 0.0F : value);
}

/// Of the pixels x with low <= x <= high.
SRCEXTRACT_HOST_DEVICE inline KeyRange keys_between(double low, double high) {
  return {key_of_pixel(ceil_to_float(low)), key_of_pixel(floor_to_float(high))};
}

/// The median of so many pixels.
struct Middle {
  double value;
  std::int32_t count;
};

/// The pixels of an annulus about (cx, cy) that are neither masked nor of a source.
struct AnnulusPixels {
  const PhotometryImage& image;
  double cx, cy;
  double inner_square, outer_square;

  /// Width pixels of row y from x on, of which `count` are in the box.
  template <int Width>
  struct Block {
    std::int32_t wanted[Width];
    std::int32_t any;
    float pixel[Width];
  };
  template <int Width>
  SRCEXTRACT_HOST_DEVICE Block<Width> block_at(std::int32_t x, std::int32_t y, int count) const {
    Block<Width> block;
    block.any = 0;
    const double dy2 = (y - cy) * (y - cy);
    for (int i = 0; i < Width; ++i) {
      const double square = (x + i - cx) * (x + i - cx) + dy2;
      block.wanted[i] = (i < count ? 1 : 0) & (square >= inner_square ? 1 : 0) & (square < outer_square ? 1 : 0);
      block.any |= block.wanted[i];
    }
    if (block.any == 0) return block;
    const std::int64_t here = image.at(x, y);
    for (int i = 0; i < Width; ++i) {
      block.pixel[i] = i < count ? image.pixels[here + i] : 0.0F;
      block.wanted[i] &= is_finite(block.pixel[i]) ? 1 : 0;
    }
    if (image.owner != nullptr)
      for (int i = 0; i < Width; ++i) block.wanted[i] &= i < count && image.owner[here + i] > nobodys_pixel ? 0 : 1;
    return block;
  }

  /// The median of those in a range: of an even number the mean of the two in the middle. Both are found by their
  /// ranks, from counts in bins of keys that become narrower, so that no order of pixels is to be kept.
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE Middle middle(const Lanes& lanes, const ApertureBox& box, const KeyRange& range) const {
    KeyRange within = range;
    std::int64_t total = -1, rank = 0, below = 0, inside = 0;
    while (total < 0 || (within.low < within.high && inside > 1)) {
      const int shift = shift_of(within);
      const std::int64_t* const bins = count_keys(lanes, box, within, shift);
      if (total < 0) {
        total = 0;
        for (int bin = 0; bin < most_bins; ++bin) total += bins[bin];
        if (total == 0) return {0, 0};
        rank = (total - 1) / 2;
      }
      std::uint32_t bin = 0;
      for (; below + bins[bin] <= rank; ++bin) below += bins[bin];
      inside = bins[bin];
      within.low += bin << shift;
      const std::uint32_t last = within.low + ((std::uint32_t{1} << shift) - 1);
      if (last < within.high) within.high = last;
    }
    const std::uint32_t lower = within.low < within.high ? least_key(lanes, box, within) : within.low;
    const bool one = total % 2 == 1 || below + inside > rank + 1;
    const std::uint32_t upper = one ? lower : least_key(lanes, box, {lower + 1, range.high});
    const double sum = static_cast<double>(value_of_ordered_key(lower)) + value_of_ordered_key(upper);
    return {sum / 2, static_cast<std::int32_t>(total)};
  }

  /// Their standard deviation.
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE double deviation(const Lanes& lanes, const ApertureBox& box, const KeyRange& range,
                                          const Middle& about) const {
    constexpr int width = Lanes::width;
    const auto add = [&](std::int32_t x, std::int32_t y, int count, BlockSums<2, width>& sums) {
      sums = {};
      const Block<width> block = block_at<width>(x, y, count);
      if (block.any == 0) return;
      for (int i = 0; i < width; ++i) {
        const bool kept = block.wanted[i] != 0 && range.holds(key_of_pixel(block.pixel[i]));
        const double off = kept ? block.pixel[i] - about.value : 0.0;
        sums.of[0][i] = off;
        sums.of[1][i] = off * off;
      }
    };
    const Sums<2> sums = lanes.template sum_of_blocks<2>(box, add);
    const double mean = sums.of[0] / about.count, variance = sums.of[1] / about.count - mean * mean;
    return variance > 0 ? std::sqrt(variance) : 0.0;
  }

 private:
  /// So that a range has no more than most_bins bins of 2^shift keys.
  SRCEXTRACT_HOST_DEVICE static int shift_of(const KeyRange& range) {
    int shift = 0;
    while ((range.high - range.low) >> shift >= most_bins) ++shift;
    return shift;
  }

  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE const std::int64_t* count_keys(const Lanes& lanes, const ApertureBox& box,
                                                        const KeyRange& range, int shift) const {
    constexpr int width = Lanes::width;
    return lanes.bins(box, [&](std::int32_t x, std::int32_t y, int count, auto& bins) {
      const Block<width> block = block_at<width>(x, y, count);
      if (block.any == 0) return;
      std::int64_t ones[width];
      std::int32_t bin[1][width];
      for (int i = 0; i < width; ++i) {
        const std::uint32_t key = key_of_pixel(block.pixel[i]);
        const bool kept = block.wanted[i] != 0 && range.holds(key);
        ones[i] = 1;
        bin[0][i] = kept ? static_cast<std::int32_t>((key - range.low) >> shift) : most_bins;
      }
      bins.begin(ones);
      bins.add(bin);
    });
  }

  /// The least key in a range that holds one.
  template <class Lanes>
  SRCEXTRACT_HOST_DEVICE std::uint32_t least_key(const Lanes& lanes, const ApertureBox& box,
                                                 const KeyRange& range) const {
    constexpr double beyond = -1e10;
    return static_cast<std::uint32_t>(-lanes.max(box, [&](std::int32_t x, std::int32_t y) {
      const Block<1> one = block_at<1>(x, y, 1);
      if (one.any == 0 || one.wanted[0] == 0) return beyond;
      const std::uint32_t key = key_of_pixel(one.pixel[0]);
      return range.holds(key) ? -static_cast<double>(key) : beyond;
    }));
  }
};

}  // namespace srcextract
