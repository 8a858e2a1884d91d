#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "stages/core/host_device.hpp"
#include "stages/math/ordered_key.hpp"
#include "stages/picture/picture.hpp"

namespace srcextract {

/// What display_range has in common on both back ends. The sample that zscale is made from is astropy's: of the pixels
/// that are not masked, in raster order, every n-th.

/// Pixels that are not masked are counted in chunks of so many, one after the other through the whole image, so that
/// the n-th of them is found without a walk through all.
inline constexpr std::int64_t chunk_pixels = 1024;

/// A pixel of the sample: of a chunk, the unmasked pixel that so many others come before.
struct SamplePlace {
  std::int64_t chunk;
  std::int32_t before;
};

/// Where the pixels of the sample are, given how many pixels of each chunk are not masked.
std::vector<SamplePlace> place_sample(std::span<const std::uint32_t> unmasked);

/// IRAF's zscale of a sample in any order, with the parameters of stages/picture/picture.hpp; where it leaves no range,
/// since most of the sample is of one value, the extremes of the sample.
DisplayRange zscale(std::vector<float> sample);

/// The extremes of what is not masked, as keys of the floats; lowest > highest where everything is.
struct KeyExtremes {
  std::int32_t lowest = std::numeric_limits<std::int32_t>::max();
  std::int32_t highest = std::numeric_limits<std::int32_t>::min();

  SRCEXTRACT_HOST_DEVICE void add(float pixel) {
    // Chosen by bits, for of a condition compilers make no vectors.
    const std::int32_t masked = pixel != pixel ? -1 : 0;
    const std::int32_t key = signed_key(pixel) & ~masked;
    add({key | (masked & KeyExtremes().lowest), key | (masked & KeyExtremes().highest)});
  }
  SRCEXTRACT_HOST_DEVICE void add(const KeyExtremes& other) {
    lowest = other.lowest < lowest ? other.lowest : lowest;
    highest = other.highest > highest ? other.highest : highest;
  }
};

/// The range between them; 0 to 1 if there are none.
DisplayRange range_of(const KeyExtremes& extremes);

/// The floats nearest to these limits, and if they leave no range, the narrowest one from `low` up.
DisplayRange range_between(double low, double high);

}  // namespace srcextract
