#include "stages/ingest/ingest.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/ingest/decode.hpp"

namespace srcextract {

namespace {

/// Number of pixels that a thread reads at a time. A piece of this size (at most 1 MB) stays in the cache until the
/// thread decodes it.
constexpr std::int64_t chunk_pixels = std::int64_t{1} << 17;

/// Decodes all pixels, but does not look for BLANK. The decoder is passed by value and no pixel causes a branch, so
/// that compilers vectorise this loop for every stored type.
template <class Stored>
SRCEXTRACT_VECTOR_CLONES MaskCounts decode_values(const std::byte* stored, std::int64_t count, Decoder decoder,
                                                  float* out) {
  decoder.has_blank = false;
  MaskCounts counts;
  for (std::int64_t i = 0; i < count; ++i) {
    typename Stored::Bits bits;
    std::memcpy(&bits, stored + i * static_cast<std::int64_t>(sizeof(bits)), sizeof(bits));
    out[i] = decode_pixel<Stored>(bits, decoder, counts);
  }
  return counts;
}

/// Masks the pixels whose stored bits equal `blank`. Returns the number of these pixels.
template <class Bits>
SRCEXTRACT_VECTOR_CLONES std::int64_t mask_equal(const std::byte* stored, std::int64_t count, Bits blank, float* out) {
  std::int64_t equal = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, stored + i * static_cast<std::int64_t>(sizeof(bits)), sizeof(bits));
    out[i] = bits == blank ? masked_pixel : out[i];
    equal += bits == blank ? 1 : 0;
  }
  return equal;
}

/// Decodes `count` pixels with the results and counts of decode_pixel(). Two vectorised loops are used: the first
/// decodes all values, the second masks BLANK.
template <class Stored>
MaskCounts decode(const std::byte* stored, std::int64_t count, const Decoder& decoder, float* out) {
  MaskCounts counts = decode_values<Stored>(stored, count, decoder, out);
  if constexpr (std::numeric_limits<typename Stored::Value>::is_integer) {
    if (!decoder.has_blank || !std::in_range<typename Stored::Value>(decoder.blank)) return counts;
    auto blank = static_cast<typename Stored::Bits>(decoder.blank);
    if (decoder.swap) blank = swap_bytes(blank);
    counts.blank = mask_equal(stored, count, blank, out);
    // decode_values() has counted a BLANK pixel as infinite if its scaled value is beyond the range of float32. A BLANK
    // pixel must count only as BLANK, so these counts are subtracted.
    float unused;
    const MaskCounts each = decode_values<Stored>(reinterpret_cast<const std::byte*>(&blank), 1, decoder, &unused);
    counts.infinite -= counts.blank * each.infinite;
  }
  return counts;
}

/// Returns the address of the stored pixels [first, first + count), at most chunk_pixels of them. If the source is in
/// memory, the address is there. Else the pixels are read into a buffer of this thread, which stays valid until this
/// thread's next call.
const std::byte* stored_pixels(const PixelSource& source, std::int64_t first, std::int64_t count) {
  if (source.memory != nullptr) return source.memory + first * source.format.bytes();
  thread_local std::vector<std::byte> stored;
  const auto bytes = static_cast<std::size_t>(count * source.format.bytes());
  std::vector<std::byte> own = std::exchange(stored, {});  // read() may call this function again in this thread
  if (own.size() < bytes) own.resize(bytes);
  source.read(first, count, own.data());
  stored = std::move(own);
  return stored.data();
}

MaskCounts read_pixels(const PixelSource& source, const Decoder& decoder, std::int64_t begin, std::int64_t end,
                       float* out) {
  const std::byte* stored = stored_pixels(source, begin, end - begin);
  MaskCounts counts;
  with_stored_type(source.format.bitpix,
                   [&]<class Stored>(Stored) { counts = decode<Stored>(stored, end - begin, decoder, out); });
  return counts;
}

/// Several threads may add to `total` at the same time.
void add(MaskCounts& total, const MaskCounts& counts) {
  std::atomic_ref(total.nan) += counts.nan;
  std::atomic_ref(total.infinite) += counts.infinite;
  std::atomic_ref(total.blank) += counts.blank;
}

}  // namespace

void ingest(const PixelSource& source, Pixels<Cpu>& pixels, const Cpu& where) {
  pixels.masked = MaskCounts{};
  float* out = pixels.image.pixels.data();
  const Decoder decoder = make_decoder(source.format);
  parallel_for(source.shape.count(), chunk_pixels, where, [&](std::int64_t begin, std::int64_t end) {
    add(*pixels.masked, read_pixels(source, decoder, begin, end, out + begin));
  });
}

Image<float, Cpu> ingest_on_demand(const PixelSource& source, const std::shared_ptr<RowMemory>& memory,
                                   MaskCounts* masked) {
  const auto once = std::make_shared<CountedOnce>(source.shape.height);
  return image_on_demand<float>(source.shape, memory,
                                [source, decoder = make_decoder(source.format), once, masked](
                                    float* image, std::int64_t begin, std::int64_t end) {
                                  const std::int64_t width = source.shape.width;
                                  MaskCounts counts;
                                  for (std::int64_t first = begin * width; first < end * width; first += chunk_pixels) {
                                    const std::int64_t last = std::min(first + chunk_pixels, end * width);
                                    add(counts, read_pixels(source, decoder, first, last, image + first));
                                  }
                                  if (masked != nullptr) once->add(begin, end, [&] { add(*masked, counts); });
                                });
}

Image<float, Cpu> ingest_image(const PixelSource& source, const Cpu& where, const std::shared_ptr<RowMemory>& memory) {
  if (memory) return ingest_on_demand(source, memory, nullptr);
  return std::move(ingest(source, where).image);
}

}  // namespace srcextract
