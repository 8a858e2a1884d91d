// Two bright squares on a sky of known noise are two sources: on the CPU, and on a GPU where one can be used.
#include <cstdint>
#include <cstring>
#include <iostream>
#include <random>
#include <vector>

#include "cuda/device/cuda_devices.hpp"
#include "pipeline/engine/extractor.hpp"
#include "pipeline/engine/host_engine.hpp"
#include "pipeline/options/command_line.hpp"

namespace {

constexpr srcextract::Shape shape{64, 48};

std::vector<float> two_squares() {
  std::mt19937 random(1);
  std::normal_distribution<float> sky(100, 1);
  std::vector<float> pixels;
  for (std::int64_t i = 0; i < shape.count(); ++i) pixels.push_back(sky(random));
  for (const std::int64_t corner : {5 * shape.width + 7, 30 * shape.width + 40})
    for (std::int64_t y = 0; y < 4; ++y)
      for (std::int64_t x = 0; x < 4; ++x) pixels[static_cast<std::size_t>(corner + y * shape.width + x)] += 200;
  return pixels;
}

bool has_two(const char* where, const srcextract::Extraction& found) {
  std::cout << where << ": " << found.sources.size() << " sources\n";
  return found.sources.size() == 2;
}

}  // namespace

int main() {
  const std::vector<float> pixels = two_squares();
  const auto read = [&](std::int64_t first, std::int64_t count, std::byte* out) {
    std::memcpy(out, pixels.data() + first, static_cast<std::size_t>(count) * sizeof(float));
  };
  const srcextract::PixelSource plane{shape, {.bitpix = -32, .big_endian = false}, read};
  const srcextract::Cpu host{2};
  bool right = has_two("CPU", srcextract::extract_on_host(plane, {}, host));
  // Not find_cuda_devices(), which throws where there is none.
  if (srcextract::device_works(0)) {
    right = has_two("GPU 0", srcextract::CudaExtractor(0, host).extract(plane, {}, {})) && right;
  }
  // The last library, which is linked with all others.
  const char* const arguments[] = {"srcextract", "--version"};
  std::cout << srcextract::parse_command_line(2, arguments).answer;
  return right ? 0 : 1;
}
