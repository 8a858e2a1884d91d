#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "stages/math/radix_sort.hpp"
#include "stages/photometry/aperture_box.hpp"
#include "stages/photometry/pixel_keys.hpp"

namespace srcextract {

/// Stores the sorted keys of the pixels of a box on the host (a key: an integer that orders like the pixel value, or a
/// bin index), and counts, ranks and sums them. On a GPU, warps do the same (cuda/photometry/warp_keys.hpp). Results do
/// not depend on the order of the pixels.
class HostKeys {
 public:
  /// Replaces the stored keys by the keys that read(x, y, count, block) selects. read() is called for every block of
  /// each row of the box. Only the first `count` pixels of a block are inside the box.
  template <int Width, class Read>
  void read(const ApertureBox& box, const Read& read) {
    keys_.resize(static_cast<std::size_t>(box.x_end - box.x_begin) * (box.y_end - box.y_begin));
    std::size_t count = 0;
    for (std::int32_t y = box.y_begin; y < box.y_end; ++y) {
      for (std::int32_t x = box.x_begin; x < box.x_end; x += Width) {
        const int in_box = std::min<std::int32_t>(box.x_end - x, Width);
        KeyBlock<Width> block;
        read(x, y, in_box, block);
        if (block.any == 0) continue;
        for (int i = 0; i < in_box; ++i) {
          keys_[count] = block.key[i];
          count += static_cast<std::size_t>(block.wanted[i]);
        }
      }
    }
    keys_.resize(count);
    radix_sort(keys_, scratch_);
  }

  std::int64_t count(const KeyRange& range) const { return end(range) - begin(range); }

  /// Returns the least and the largest key in a range, which must contain at least one key.
  KeyRange extremes(const KeyRange& range) const { return {*begin(range), *(end(range) - 1)}; }

  /// Returns the key of rank `rank`, counted from 0, among the keys in a range, and the key of the next rank. For the
  /// last rank, both are the last key.
  KeyPair pair(const KeyRange& range, std::int64_t rank) const {
    const auto lower = begin(range) + rank, next = lower + 1;
    return {*lower, next < end(range) ? *next : *lower};
  }

  /// Sums f(key), an IntegerSums<N>, over the keys in a range.
  template <int N, class F>
  IntegerSums<N> sum(const KeyRange& range, const F& f) const {
    IntegerSums<N> sums{};
    const auto last = end(range);
    for (auto key = begin(range); key != last; ++key) {
      const IntegerSums<N> one = f(*key);
      for (int k = 0; k < N; ++k) sums.of[k] += one.of[k];
    }
    return sums;
  }

 private:
  using Place = std::vector<std::uint32_t>::const_iterator;

  Place begin(const KeyRange& range) const { return std::lower_bound(keys_.begin(), keys_.end(), range.low); }
  Place end(const KeyRange& range) const { return std::upper_bound(keys_.begin(), keys_.end(), range.high); }

  std::vector<std::uint32_t> keys_, scratch_;
};

}  // namespace srcextract
