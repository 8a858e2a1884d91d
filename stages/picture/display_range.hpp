#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "stages/core/host_device.hpp"
#include "stages/math/ordered_key.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract {

/// Code of display_range() that host and GPU share. The sample for zscale equals that of astropy: every n-th pixel that
/// is not masked, in raster order.

/// Number of pixels in a chunk. Unmasked pixels are counted per chunk, so that the n-th unmasked pixel is found without
/// reading all pixels again.
inline constexpr std::int64_t chunk_pixels = 1024;

/// Location of a pixel of the sample: the unmasked pixel of chunk number `chunk` that follows `before` other unmasked
/// pixels of this chunk.
struct SamplePlace {
  std::int64_t chunk;
  std::int32_t before;
};

/// Computes the locations of the sample's pixels from the number of unmasked pixels in each chunk.
std::vector<SamplePlace> place_sample(std::span<const std::uint32_t> unmasked);

/// Returns IRAF's zscale range of a sample in any order, with the parameters given in stages/picture/picture.hpp. If
/// most of the sample has one value, the zscale range is empty; the extremes of the sample are then returned.
DisplayRange zscale(std::vector<float> sample);

/// The extremes of unmasked pixels, as integer keys that have the same order as the floats. If all pixels are masked,
/// lowest > highest.
struct KeyExtremes {
  std::int32_t lowest = std::numeric_limits<std::int32_t>::max();
  std::int32_t highest = std::numeric_limits<std::int32_t>::min();

  SRCEXTRACT_HOST_DEVICE void add(float pixel) {
    // The result is selected by bit masks, because compilers do not vectorise a condition here.
    const std::int32_t masked = pixel != pixel ? -1 : 0;
    const std::int32_t key = signed_key(pixel) & ~masked;
    add({key | (masked & KeyExtremes().lowest), key | (masked & KeyExtremes().highest)});
  }
  SRCEXTRACT_HOST_DEVICE void add(const KeyExtremes& other) {
    lowest = other.lowest < lowest ? other.lowest : lowest;
    highest = other.highest > highest ? other.highest : highest;
  }
};

/// Returns the range between the extremes; 0 to 1 if all pixels are masked.
DisplayRange range_of(const KeyExtremes& extremes);

/// Returns the range of the floats nearest to these limits. If the first float is not below the second, returns the
/// narrowest range that begins at the first float (or ends at it, if it is the largest float).
DisplayRange range_between(double low, double high);

}  // namespace srcextract
