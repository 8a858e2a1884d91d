#include "cuda/ingest/device_pixels.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

#include "cuda/device/device.hpp"
#include "cuda/device/memory.hpp"
#include "cuda/device/pinned.hpp"
#include "cuda/ingest/decode.hpp"
#include "stages/core/error.hpp"
#include "stages/weights/judge_pixel.hpp"

namespace srcextract {

namespace {

/// Largest number of bytes of pixels that are copied to the host at a time.
constexpr std::int64_t most_at_once = std::int64_t{4} << 20;

/// Reads pixels, stored in device memory in any layout of rows and columns, by their index in the image.
template <class Bits>
class Elements {
 public:
  Elements(const DevicePlace& place, std::int64_t width, bool big_endian)
      : address_(place.address), width_(width), row_step_(place.steps[0]), column_step_(place.steps[1]) {
    constexpr auto size = static_cast<std::int64_t>(sizeof(Bits));
    const auto at = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address_));
    aligned_ = at % size == 0 && row_step_ % size == 0 && column_step_ % size == 0;
    if (place.turned) turn_ = static_cast<Bits>(Bits{0x80} << (big_endian ? 0 : 8 * (size - 1)));
  }

  __device__ Bits operator[](std::int64_t pixel) const { return at(pixel / width_, pixel % width_); }
  __device__ Bits at(std::int64_t y, std::int64_t x) const {
    const std::byte* const from = address_ + y * row_step_ + x * column_step_;
    Bits bits;
    if (aligned_)
      bits = *reinterpret_cast<const Bits*>(from);
    else
      for (std::size_t i = 0; i < sizeof(Bits); ++i) reinterpret_cast<std::byte*>(&bits)[i] = from[i];
    return static_cast<Bits>(bits ^ turn_);
  }
  __device__ std::int64_t width() const { return width_; }

 private:
  const std::byte* address_;
  std::int64_t width_, row_step_, column_step_;
  bool aligned_ = true;
  Bits turn_ = 0;
};

template <class Stored>
__global__ void judge_kernel(Elements<typename Stored::Bits> stored, std::int64_t count, MaskRule rule, bool swap,
                             float* out, MaskCounts* masked) {
  std::int64_t bad = 0;
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    typename Stored::Bits bits = stored[i];
    if (swap) bits = swap_bytes(bits);
    typename Stored::Value value;
    memcpy(&value, &bits, sizeof(value));
    const bool is_bad = judge_pixel<Stored>(value, rule);
    bad += is_bad;
    out[i] = is_bad ? masked_pixel : 0.0f;
  }
  add_over_warp(masked->blank, bad);
}

/// Copies stored pixels, unchanged, to consecutive memory. Unless `rows` is null, row k of the output is row rows[k] of
/// the image.
template <class Bits>
__global__ void gather_kernel(Elements<Bits> stored, const std::int64_t* rows, std::int64_t first, std::int64_t count,
                              Bits* out) {
  for (std::int64_t i = thread_index(); i < count; i += thread_total()) {
    const std::int64_t y = (first + i) / stored.width(), x = (first + i) % stored.width();
    out[i] = stored.at(rows == nullptr ? y : rows[y], x);
  }
}

void require_usable(cudaError_t status) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  throw Error(ErrorKind::device,
              std::string("the GPU on which the array is said to lie, or its stream, cannot be used (") +
                  cudaGetErrorString(status) +
                  "); if a fault has ended the work of a GPU, only a new process can use it again");
}

bool is_plain(const DevicePlace& place, const Shape& shape, const PixelFormat& format) {
  const std::int64_t bytes = format.bytes();
  return !place.turned && place.steps[1] == bytes && (place.steps[0] == bytes * shape.width || shape.height == 1) &&
         reinterpret_cast<std::uintptr_t>(place.address) % static_cast<std::uintptr_t>(bytes) == 0;
}

}  // namespace

DeviceOfThread::DeviceOfThread() {
  if (cudaGetDevice(&before_) == cudaSuccess) return;
  cudaGetLastError();  // clears the error: a caller that needs a device gets the error again and reports it
  before_ = -1;
}

DeviceOfThread::~DeviceOfThread() {
  if (before_ >= 0) cudaSetDevice(before_);
}

struct DeviceReader::Impl {
  explicit Impl(int index) : device(index) {}

  int device;
  std::mutex turn;
  std::unique_ptr<Stream> stream;
  PinnedBuffer memory{0};

  /// Returns page-locked memory of at least `bytes` bytes.
  std::byte* room(std::int64_t bytes) {
    if (!stream) stream = std::make_unique<Stream>(device);
    if (memory.size() < bytes) {
      memory = PinnedBuffer(0);
      memory = PinnedBuffer(bytes);
    }
    return memory.data();
  }
};

DeviceReader::DeviceReader(int device) : impl_(std::make_unique<Impl>(device)) {}

DeviceReader::~DeviceReader() = default;

std::optional<int> device_of(const void* address) {
  cudaPointerAttributes attributes{};
  const cudaError_t status = cudaPointerGetAttributes(&attributes, address);
  if (status == cudaErrorInvalidValue) {
    cudaGetLastError();
    return std::nullopt;
  }
  require_usable(status);
  if (attributes.type == cudaMemoryTypeUnregistered) return std::nullopt;
  return attributes.device;
}

Written written_by(int device, std::uintptr_t stream) {
  const DeviceOfThread of_caller;
  require_usable(cudaSetDevice(device));
  cudaEvent_t event = nullptr;
  require_usable(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  Written written(event, [](cudaEvent_t made) { cudaEventDestroy(made); });
  require_usable(cudaEventRecord(event, reinterpret_cast<cudaStream_t>(stream)));
  return written;
}

DevicePixels::DevicePixels(const DevicePlace& place, const Shape& shape, const PixelFormat& format,
                           std::shared_ptr<DeviceReader> reader)
    : place_(place), shape_(shape), format_(format), reader_(std::move(reader)) {
  if (!reader_) reader_ = std::make_shared<DeviceReader>(place.device);
}

void DevicePixels::read_rows(std::span<const std::int64_t> rows, std::byte* out) const {
  copy(rows.data(), 0, std::ssize(rows) * shape_.width, out);
}

void DevicePixels::copy(const std::int64_t* rows, std::int64_t first, std::int64_t count, std::byte* out) const {
  DeviceReader::Impl& reader = reader_->impl();
  const std::lock_guard turn(reader.turn);
  const DeviceOfThread of_caller;
  use_device(place_.device);
  const std::int64_t bytes = format_.bytes();
  const std::int64_t at_once = std::min(count, most_at_once / bytes);
  const auto for_rows = static_cast<std::int64_t>(sizeof(std::int64_t)) * (rows == nullptr ? 0 : count / shape_.width);
  std::byte* const memory = reader.room(for_rows + at_once * bytes);
  if (for_rows > 0) std::memcpy(memory, rows, static_cast<std::size_t>(for_rows));
  const auto* const rows_there = rows == nullptr ? nullptr : reinterpret_cast<const std::int64_t*>(memory);
  const Gpu& where = reader.stream->where();
  wait_in(where);
  for (std::int64_t done = 0; done < count; done += at_once) {
    const std::int64_t piece = std::min(at_once, count - done);
    with_stored_type(format_.bitpix, [&]<class Stored>(Stored) {
      using Bits = typename Stored::Bits;
      gather_kernel<Bits><<<grid_for(piece, where), block_threads, 0, where.stream>>>(
          Elements<Bits>(place_, shape_.width, format_.big_endian), rows_there, first + done, piece,
          reinterpret_cast<Bits*>(memory + for_rows));
    });
    check_launch();
    check(cudaStreamSynchronize(where.stream));
    std::memcpy(out + done * bytes, memory + for_rows, static_cast<std::size_t>(piece * bytes));
  }
}

void DevicePixels::wait_in(const Gpu& where) const {
  if (where.device != place_.device)
    throw Error(ErrorKind::device, "pixels in the memory of GPU " + std::to_string(place_.device) +
                                       " were to be read on GPU " + std::to_string(where.device) +
                                       "; extract them where they lie");
  if (place_.written) check(cudaStreamWaitEvent(where.stream, place_.written.get(), 0));
}

void DevicePixels::decode(float* out, MaskCounts* masked, const Gpu& where) const {
  wait_in(where);
  const std::int64_t count = shape_.count();
  const bool plain = is_plain(place_, shape_, format_);
  with_stored_type(format_.bitpix, [&]<class Stored>(Stored) {
    using Bits = typename Stored::Bits;
    if (plain)
      decode_kernel<Stored><<<grid_for(count, where), block_threads, 0, where.stream>>>(
          reinterpret_cast<const Bits*>(place_.address), count, make_decoder(format_), out, masked);
    else
      decode_kernel<Stored><<<grid_for(count, where), block_threads, 0, where.stream>>>(
          Elements<Bits>(place_, shape_.width, format_.big_endian), count, make_decoder(format_), out, masked);
  });
  check_launch();
}

void DevicePixels::judge(const BadPixels& bad, float* out, MaskCounts* masked, const Gpu& where) const {
  wait_in(where);
  const std::int64_t count = shape_.count();
  with_stored_type(format_.bitpix, [&]<class Stored>(Stored) {
    judge_kernel<Stored><<<grid_for(count, where), block_threads, 0, where.stream>>>(
        Elements<typename Stored::Bits>(place_, shape_.width, format_.big_endian), count, rule_of(format_, bad),
        format_.big_endian, out, masked);
  });
  check_launch();
}

}  // namespace srcextract
