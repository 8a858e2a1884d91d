#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "stages/core/host_device.hpp"
#include "stages/math/ordered_key.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract {

/// Code of display_range common to both back ends. The sample for zscale is that of astropy: every n-th of the pixels
/// that are not masked, in raster order.

/// Number of pixels in a chunk. Unmasked pixels are counted per chunk, so that the n-th is found without going through
/// all pixels.
inline constexpr std::int64_t chunk_pixels = 1024;

/// Where a pixel of the sample is: the unmasked pixel of a chunk that has `before` unmasked ones before it.
struct SamplePlace {
  std::int64_t chunk;
  std::int32_t before;
};

/// Finds where the pixels of the sample are, from the number of unmasked pixels in each chunk.
std::vector<SamplePlace> place_sample(std::span<const std::uint32_t> unmasked);

/// Returns IRAF's zscale range of a sample in any order, with the parameters in stages/picture/picture.hpp. If most of
/// the sample has one value, so that zscale leaves no range, returns the extremes of the sample.
DisplayRange zscale(std::vector<float> sample);

/// The extremes of unmasked pixels, as integer keys that order like floats; lowest > highest if all are masked.
struct KeyExtremes {
  std::int32_t lowest = std::numeric_limits<std::int32_t>::max();
  std::int32_t highest = std::numeric_limits<std::int32_t>::min();

  SRCEXTRACT_HOST_DEVICE void add(float pixel) {
    // Bits are selected by masks, since compilers do not turn this condition into vectors.
    const std::int32_t masked = pixel != pixel ? -1 : 0;
    const std::int32_t key = signed_key(pixel) & ~masked;
    add({key | (masked & KeyExtremes().lowest), key | (masked & KeyExtremes().highest)});
  }
  SRCEXTRACT_HOST_DEVICE void add(const KeyExtremes& other) {
    lowest = other.lowest < lowest ? other.lowest : lowest;
    highest = other.highest > highest ? other.highest : highest;
  }
};

/// The range between the extremes; 0 to 1 if there are none.
DisplayRange range_of(const KeyExtremes& extremes);

/// The range of the floats nearest to these limits. If these are equal, the narrowest range from `low` up.
DisplayRange range_between(double low, double high);

}  // namespace srcextract
