#include "stages/picture/picture.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/picture/display_range.hpp"
#include "stages/picture/picture_bin.hpp"
#include "stages/picture/render_picture.hpp"

namespace srcextract {

namespace {

/// A thread processes piece_pixels pixels at a time, in strips of strip_pixels pixels. The bins of a strip are computed
/// together.
constexpr std::int64_t piece_pixels = std::int64_t{1} << 18;
constexpr std::int64_t strip_pixels = 1024;

SRCEXTRACT_VECTOR_CLONES
KeyExtremes extremes_of(const float* pixels, std::int64_t count) {
  KeyExtremes found;
  for (std::int64_t i = 0; i < count; ++i) found.add(pixels[i]);
  return found;
}

SRCEXTRACT_VECTOR_CLONES
std::uint32_t count_unmasked(const float* pixels, std::int64_t count) {
  std::uint32_t unmasked = 0;
  for (std::int64_t i = 0; i < count; ++i) unmasked += pixels[i] == pixels[i] ? 1 : 0;
  return unmasked;
}

/// Sets found[i] to the bin of pixel i, or to `masked` if the pixel is masked.
SRCEXTRACT_VECTOR_CLONES
void find_bins(const float* pixels, std::int64_t count, const GreyBins& bins, std::int32_t masked,
               std::int32_t* found) {
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t bin = bin_of(bins, pixels[i]);
    found[i] = pixels[i] == pixels[i] ? bin : masked;
  }
}

/// Calls f(first, bins, count) for every strip of the pixels [begin, end), where `bins` are the bins of the strip's
/// pixels. The bin of a masked pixel is `masked`.
template <class F>
void for_each_strip(const float* pixels, std::int64_t begin, std::int64_t end, const GreyBins& bins,
                    std::int32_t masked, const F& f) {
  std::array<std::int32_t, strip_pixels> found;
  for (std::int64_t first = begin; first < end; first += strip_pixels) {
    const std::int64_t count = std::min(strip_pixels, end - first);
    find_bins(pixels + first, count, bins, masked, found.data());
    f(first, found.data(), count);
  }
}

KeyExtremes find_extremes(const Image<float, Cpu>& image, const Cpu& where) {
  KeyExtremes all;
  std::mutex mutex;
  parallel_for(image.shape.count(), piece_pixels, where, [&](std::int64_t begin, std::int64_t end) {
    const HeldRows held = rows_of_pixels(image, begin, end);
    const KeyExtremes found = extremes_of(image.pixels.data() + begin, end - begin);
    const std::lock_guard lock(mutex);
    all.add(found);
  });
  return all;
}

/// Returns the unmasked pixel of a chunk that follows `before` other unmasked pixels.
float find_unmasked(const float* chunk, std::int32_t before) {
  while (*chunk != *chunk || before-- > 0) ++chunk;
  return *chunk;
}

std::vector<float> draw_sample(const Image<float, Cpu>& image, const Cpu& where) {
  const std::int64_t count = image.shape.count();
  std::vector<std::uint32_t> unmasked(static_cast<std::size_t>((count + chunk_pixels - 1) / chunk_pixels));
  parallel_for(std::ssize(unmasked), piece_pixels / chunk_pixels, where, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t chunk = first; chunk < last; ++chunk) {
      const std::int64_t begin = chunk * chunk_pixels, end = std::min(begin + chunk_pixels, count);
      const HeldRows held = rows_of_pixels(image, begin, end);
      unmasked[static_cast<std::size_t>(chunk)] = count_unmasked(image.pixels.data() + begin, end - begin);
    }
  });
  std::vector<float> sample;
  for (const SamplePlace& place : place_sample(unmasked)) {
    const std::int64_t begin = place.chunk * chunk_pixels;
    const HeldRows held = rows_of_pixels(image, begin, std::min(begin + chunk_pixels, count));
    sample.push_back(find_unmasked(image.pixels.data() + begin, place.before));
  }
  return sample;
}

}  // namespace

DisplayRange display_range(const Image<float, Cpu>& image, const QuicklookConfig& config, const Cpu& where) {
  if (config.limits == Limits::values) return range_between(config.low, config.high);
  if (config.limits == Limits::minmax) return range_of(find_extremes(image, where));
  return zscale(draw_sample(image, where));
}

Buffer<std::uint32_t, Cpu> count_bins(const Image<float, Cpu>& image, const DisplayRange& range, std::int64_t bins,
                                      const Cpu& where) {
  Buffer<std::uint32_t, Cpu> counts(bins, where);
  std::ranges::fill(counts, 0);
  const GreyBins division = divide(range, bins);
  const auto masked = static_cast<std::int32_t>(bins);
  std::mutex mutex;
  parallel_for(image.shape.count(), piece_pixels, where, [&](std::int64_t begin, std::int64_t end) {
    const HeldRows held = rows_of_pixels(image, begin, end);
    std::vector<std::uint32_t> here(static_cast<std::size_t>(bins) + 1, 0);
    for_each_strip(image.pixels.data(), begin, end, division, masked,
                   [&](std::int64_t, const std::int32_t* found, std::int64_t count) {
                     for (std::int64_t i = 0; i < count; ++i) ++here[static_cast<std::size_t>(found[i])];
                   });
    const std::lock_guard lock(mutex);
    for (std::int64_t bin = 0; bin < bins; ++bin) counts[bin] += here[static_cast<std::size_t>(bin)];
  });
  return counts;
}

Image<std::uint8_t, Cpu> draw_grey(const Image<float, Cpu>& image, const DisplayRange& range,
                                   const Buffer<std::uint8_t, Cpu>& table, const Cpu& where) {
  Image<std::uint8_t, Cpu> result(image.shape, where);
  const GreyBins division = divide(range, table.size());
  std::vector<std::uint8_t> grey(table.begin(), table.end());
  grey.push_back(0);  // grey of masked pixels
  const auto masked = static_cast<std::int32_t>(table.size());
  parallel_for(image.shape.count(), piece_pixels, where, [&](std::int64_t begin, std::int64_t end) {
    const HeldRows held = rows_of_pixels(image, begin, end);
    for_each_strip(image.pixels.data(), begin, end, division, masked,
                   [&](std::int64_t first, const std::int32_t* found, std::int64_t count) {
                     std::uint8_t* drawn = result.pixels.data() + first;
                     for (std::int64_t i = 0; i < count; ++i) drawn[i] = grey[static_cast<std::size_t>(found[i])];
                   });
  });
  return result;
}

Picture render_picture(const Image<float, Cpu>& image, const QuicklookConfig& config, const Cpu& where) {
  return render_picture_with(image, config, where, [](Image<std::uint8_t, Cpu>&& drawn) { return std::move(drawn); });
}

}  // namespace srcextract
