#include "stages/weights/mask_source.hpp"

#include <type_traits>
#include <vector>

#include "stages/ingest/stored_bits.hpp"

namespace srcextract {
namespace {

constexpr std::byte good_pixel{0}, bad_pixel{1};

template <class Stored>
std::byte judge(const std::byte* at, const PixelFormat& format, const BadPixels& bad) {
  const auto stored = load_stored<Stored>(at, format);
  if (is_blank<Stored>(stored, format)) return bad_pixel;
  bool any;
  if constexpr (std::is_integral_v<typename Stored::Value>) {
    any = (bits_of<Stored>(stored, format.bzero) & bad.bits) != 0;
  } else {
    any = stored != 0 && bad.bits != 0;
  }
  return any == (bad.good == GoodPixels::nonzero) ? good_pixel : bad_pixel;
}

}  // namespace

PixelSource mask_source(const PixelSource& map, const BadPixels& bad) {
  PixelSource source;
  source.shape = map.shape;
  source.format = {.bitpix = 8, .blank = static_cast<std::int64_t>(bad_pixel)};
  source.read = [map, bad](std::int64_t first, std::int64_t count, std::byte* out) {
    thread_local std::vector<std::byte> stored;
    const std::int64_t bytes = map.format.bytes();
    stored.resize(static_cast<std::size_t>(count * bytes));
    map.read(first, count, stored.data());
    with_stored_type(map.format.bitpix, [&]<class Stored>(Stored) {
      for (std::int64_t i = 0; i < count; ++i) out[i] = judge<Stored>(stored.data() + i * bytes, map.format, bad);
    });
  };
  return source;
}

int mask_bits(const PixelFormat& format) {
  return format.bitpix > 0 ? format.bitpix : 0;
}

}  // namespace srcextract
