// What a process pays before a GPU has done its first image: each step after the other, in milliseconds.
//   bench_start CONFIG SIZE [NANOSECONDS]   NANOSECONDS: of the monotonic clock, when the process was started
//   bench_start SIZE   nothing but a context and one copy of as many pixels: the floor of such a process
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "config/config.hpp"
#include "cuda/device/check.hpp"
#include "cuda/device/cuda_devices.hpp"
#include "cuda/device/device.hpp"
#include "cuda/device/pinned.hpp"
#include "pipeline/engine/extractor.hpp"
#include "tests/support/fields.hpp"

namespace srcextract {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

class Steps {
 public:
  void done(const char* step) {
    const auto now = Clock::now();
    std::printf("%-60s %9.3f\n", step, milliseconds(now - last_));
    last_ = Clock::now();
  }
  void begin() { last_ = Clock::now(); }

 private:
  Clock::time_point last_ = Clock::now();
};

void report(const char* path, std::int64_t size, const char* started) {
  Steps steps;
  if (started != nullptr)
    std::printf(
        "%-60s %9.3f\n", "start of the process",
        milliseconds(Clock::now().time_since_epoch() - std::chrono::nanoseconds(std::strtoll(started, nullptr, 10))));
  steps.begin();
  int count = 0;
  check(cudaGetDeviceCount(&count));
  steps.done("driver");
  check(cudaInitDevice(0, 0, 0));
  check(cudaSetDevice(0));
  check(cudaFree(nullptr));
  steps.done("context");
  find_cuda_device(0);
  steps.done("properties of the device");

  const testing::Field field = testing::star_field({size, size}, 100, 10, 1000, 1);
  const PixelSource source{field.shape, {.big_endian = false}, [&](auto first, auto pixels, std::byte* out) {
                             std::memcpy(out, field.pixels.data() + first,
                                         static_cast<std::size_t>(pixels) * sizeof(float));
                           }};
  const Config config = load_given(path).config;
  const Exposure exposure{{source}};
  steps.begin();
  {
    const PinnedBuffer slots(std::int64_t{4} << 20);  // of a worker: Ingester's slots
    steps.done("4 MiB of page-locked memory");
  }
  steps.done("... given back");
  {
    const PinnedBuffer large(std::int64_t{64} << 20);
    steps.done("64 MiB of page-locked memory");
  }
  steps.done("... given back");
  auto first = std::make_unique<CudaExtractor>(0, Cpu{1});
  (void)first->extract(exposure, config, {});
  steps.done("first image of the process");
  (void)first->extract(exposure, config, {});
  steps.done("second image, the same memory and graph");
  auto second = std::make_unique<CudaExtractor>(0, Cpu{1});
  steps.begin();
  (void)second->extract(exposure, config, {});
  steps.done("first image of another extractor");
  steps.begin();
  first.reset();
  steps.done("end of an extractor");
  second.reset();
  steps.done("end of the other");
  check(cudaDeviceReset());
  steps.done("end of the context");
}

/// A context, and one copy of so many pixels.
void copy_once(std::int64_t size) {
  const Stream stream(0);
  const std::int64_t bytes = size * size * std::int64_t{sizeof(float)};
  const PinnedBuffer pixels(bytes);
  Buffer<std::byte, Gpu> there(bytes, stream.where());
  check(cudaMemcpyAsync(there.data(), pixels.data(), static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                        stream.where().stream));
  synchronize(stream.where());
  std::_Exit(0);
}

}  // namespace
}  // namespace srcextract

int main(int argc, char** argv) {
  if (argc == 2) srcextract::copy_once(std::strtoll(argv[1], nullptr, 10));
  if (argc < 3) return 2;
  srcextract::report(argv[1], std::strtoll(argv[2], nullptr, 10), argc > 3 ? argv[3] : nullptr);
}
