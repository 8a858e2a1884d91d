#include "stages/weights/mask_source.hpp"

#include <vector>

#include "stages/ingest/stored_bits.hpp"
#include "stages/weights/judge_pixel.hpp"

namespace srcextract {
namespace {

constexpr std::byte good_pixel{0}, bad_pixel{1};

}  // namespace

void MaskRead::operator()(std::int64_t first, std::int64_t count, std::byte* out) const {
  thread_local std::vector<std::byte> stored;
  const std::int64_t bytes = map.format.bytes();
  stored.resize(static_cast<std::size_t>(count * bytes));
  map.read(first, count, stored.data());
  const MaskRule rule = rule_of(map.format, bad);
  with_stored_type(map.format.bitpix, [&]<class Stored>(Stored) {
    for (std::int64_t i = 0; i < count; ++i)
      out[i] = judge_pixel<Stored>(load_stored<Stored>(stored.data() + i * bytes, map.format), rule) ? bad_pixel
                                                                                                     : good_pixel;
  });
}

PixelSource mask_source(const PixelSource& map, const BadPixels& bad) {
  PixelSource source;
  source.shape = map.shape;
  source.format = {.bitpix = 8, .blank = static_cast<std::int64_t>(bad_pixel)};
  source.read = MaskRead{map, bad};
  return source;
}

int mask_bits(const PixelFormat& format) {
  return format.bitpix > 0 ? format.bitpix : 0;
}

}  // namespace srcextract
