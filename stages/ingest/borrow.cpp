#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "stages/core/masked_pixel.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/vector_clones.hpp"
#include "stages/ingest/ingest.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t pixels_per_piece = std::int64_t{1} << 17;

/// Whether the source is in memory as unscaled, aligned float32 pixels in the host's byte order.
bool are_floats(const PixelSource& source) {
  const PixelFormat& format = source.format;
  return source.memory != nullptr && format.bitpix == -32 && !format.big_endian && format.bscale == 1.0 &&
         format.bzero == 0.0 && std::bit_cast<std::uintptr_t>(source.memory) % alignof(float) == 0;
}

struct Looked {
  std::uint32_t masked = 0;
  std::uint32_t foreign = 0;  ///< number of pixels that are infinite or a NaN with other bits than masked_pixel
};

SRCEXTRACT_VECTOR_CLONES Looked look_at(const float* pixels, std::int64_t count) {
  constexpr std::uint32_t infinity = 0x7f800000U, masked = std::bit_cast<std::uint32_t>(masked_pixel);
  Looked looked;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(pixels[i]);
    const bool is_masked = bits == masked;
    looked.masked += is_masked ? 1U : 0U;
    looked.foreign += ((bits & 0x7fffffffU) >= infinity) & !is_masked ? 1U : 0U;
  }
  return looked;
}

}  // namespace

bool borrow(const PixelSource& source, Pixels<Cpu>& pixels, const Cpu& where) {
  if (!are_floats(source)) return false;
  const auto* const first = reinterpret_cast<const float*>(source.memory);
  std::atomic<std::int64_t> masked = 0;
  std::atomic<bool> foreign = false;
  parallel_for(source.shape.count(), pixels_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    if (foreign) return;
    const Looked looked = look_at(first + begin, end - begin);
    masked += looked.masked;
    if (looked.foreign > 0) foreign = true;
  });
  if (foreign) return false;
  pixels.masked = MaskCounts{.nan = masked};
  pixels.image.shape = source.shape;
  pixels.image.pixels = Buffer<float, Cpu>::borrowed(const_cast<float*>(first), source.shape.count(), where);
  return true;
}

}  // namespace srcextract
