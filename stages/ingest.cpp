#include "stages/ingest.hpp"

#include <mutex>
#include <vector>

#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/decode.hpp"

namespace srcextract {

namespace {

/// Pixels a thread reads at a time: small enough to be decoded while still in its cache.
constexpr std::int64_t chunk_pixels = std::int64_t{1} << 17;

template <class Stored>
SRCEXTRACT_VECTOR_CLONES MaskCounts decode(const std::byte* stored, std::int64_t count, const Decoder& decoder,
                                           float* out) {
  MaskCounts counts;
  for (std::int64_t i = 0; i < count; ++i) {
    typename Stored::Bits bits;
    std::memcpy(&bits, stored + i * static_cast<std::int64_t>(sizeof(bits)), sizeof(bits));
    out[i] = decode_pixel<Stored>(bits, decoder, counts);
  }
  return counts;
}

/// At most chunk_pixels of them, where they are or in memory of this thread.
const std::byte* stored_pixels(const PixelSource& source, std::int64_t first, std::int64_t count) {
  if (source.memory != nullptr) return source.memory + first * source.format.bytes();
  thread_local std::vector<std::byte> stored;
  stored.resize(static_cast<std::size_t>(chunk_pixels * source.format.bytes()));
  source.read(first, count, stored.data());
  return stored.data();
}

}  // namespace

void ingest(const PixelSource& source, Pixels<Cpu>& pixels, const Cpu& where) {
  pixels.masked = MaskCounts{};
  float* out = pixels.image.pixels.data();
  const Decoder decoder = make_decoder(source.format);
  std::mutex totals;
  parallel_for(source.shape.count(), chunk_pixels, where, [&](std::int64_t begin, std::int64_t end) {
    const std::byte* stored = stored_pixels(source, begin, end - begin);
    MaskCounts counts;
    with_stored_type(source.format.bitpix,
                     [&]<class Stored>(Stored) { counts = decode<Stored>(stored, end - begin, decoder, out + begin); });
    const std::lock_guard lock(totals);
    pixels.masked->nan += counts.nan;
    pixels.masked->infinite += counts.infinite;
    pixels.masked->blank += counts.blank;
  });
}

}  // namespace srcextract
