#include "pipeline/outputs/completeness/altered_image.hpp"

#include <cstring>
#include <utility>

#include "pipeline/chain/read_frame.hpp"

namespace srcextract {
namespace {

/// Reads the pixels for read_exposure, which calls the functions of this class.
struct FrameReader {
  const Cpu& cpu;

  const Cpu& where() const { return cpu; }
  Pixels<Cpu> room_for(const Shape& shape) const { return {shape, cpu}; }
  void read(const PixelSource& source, Pixels<Cpu>& pixels) const { ingest(source, pixels, cpu); }
  template <class Result>
  void done(const char*, const Result&) const {}
};

}  // namespace

Image<float, Cpu> frame_of(const ImageInput& input, const Cpu& where) {
  Pixels<Cpu> pixels(input.exposure.shape(), where);
  FrameReader reader{where};
  read_exposure(Exposure(input.exposure.planes), input.config(), pixels, reader);
  return std::move(pixels.image);
}

Exposure exposure_with(const Exposure& exposure, const Image<float, Cpu>& image) {
  const auto* const memory = reinterpret_cast<const std::byte*>(image.pixels.data());
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(float));
  const auto read = [memory](std::int64_t first, std::int64_t count, std::byte* out) {
    std::memcpy(out, memory + first * bytes, static_cast<std::size_t>(count * bytes));
  };
  Exposure with = exposure;
  with.planes = {PixelSource{image.shape, {.bitpix = -32, .big_endian = false}, read, memory}};
  return with;
}

Config config_of_altered(const Config& given) {
  Config config = given;
  config.combine = {};
  config.flags = {};
  config.kept = {};
  config.output = {};
  config.fit.reliability = false;
  return config;
}

}  // namespace srcextract
