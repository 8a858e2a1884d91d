// The CUDA back end of a build without the CUDA toolkit. Its functions report that the back end is missing.
#include "cuda/device/cuda_devices.hpp"
#include "cuda/ingest/device_pixels.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

[[noreturn]] void throw_not_built() {
  throw Error(ErrorKind::device,
              "this srcextract was built without the CUDA back end; use --backend cpu, or build it again where the "
              "CUDA toolkit is installed and nvcc is on PATH");
}

}  // namespace

bool cuda_built() {
  return false;
}

std::string cuda_version() {
  return "not built";
}

void limit_device_memory(std::int64_t) {}

CudaDevice find_cuda_device(int) {
  throw_not_built();
}

CudaDevice start_cuda_device(int) {
  throw_not_built();
}

int count_cuda_devices() {
  throw_not_built();
}

std::vector<CudaDevice> find_cuda_devices() {
  throw_not_built();
}

bool device_works(int) {
  return false;
}

std::optional<int> device_of(const void*) {
  throw_not_built();
}

Written written_by(int, std::uintptr_t) {
  throw_not_built();
}

DeviceOfThread::DeviceOfThread() = default;

DeviceOfThread::~DeviceOfThread() = default;

struct DeviceReader::Impl {};

DeviceReader::DeviceReader(int) {}

DeviceReader::~DeviceReader() = default;

// NOLINTNEXTLINE(performance-unnecessary-value-param): the body with CUDA keeps it
DevicePixels::DevicePixels(const DevicePlace&, const Shape&, const PixelFormat&, std::shared_ptr<DeviceReader>) {
  throw_not_built();
}

void DevicePixels::read_rows(std::span<const std::int64_t>, std::byte*) const {
  throw_not_built();
}

void DevicePixels::copy(const std::int64_t*, std::int64_t, std::int64_t, std::byte*) const {
  throw_not_built();
}

}  // namespace srcextract
