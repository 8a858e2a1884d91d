#include "cuda/ingest/ingest.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "cuda/ingest/decode.hpp"
#include "cuda/ingest/device_pixels.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

/// Smallest number of pixels of a piece, and the number of which piece sizes are multiples; neither limits the last
/// piece. Pixels in page-locked memory are copied to the device in pieces, each 7/8 of the remaining pixels. Fewer
/// pieces mean fewer pauses on the bus; a small last piece shortens the wait at the end, since a piece is decoded only
/// after its arrival.
constexpr std::int64_t least_piece = mebibyte / 2, piece_grain = mebibyte / 4;
static_assert(least_piece % piece_grain == 0);

std::int64_t next_piece(std::int64_t left) {
  const std::int64_t most = (left - left / 8 + piece_grain - 1) / piece_grain * piece_grain;
  return std::min(left, std::max(most, least_piece));
}

/// Returns the number of bytes of a chunk, for pixels whose stored size differs from that of a float. Longer chunks
/// mean fewer pauses on the bus, but a longer wait at the end: the last chunk is decoded only after its arrival.
std::int64_t straight_chunk(std::int64_t image_bytes) {
  return std::clamp(image_bytes / 16 / mebibyte * mebibyte, mebibyte, 8 * mebibyte);
}

bool is_page_locked(const std::byte* address) {
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, address));
  return attributes.type == cudaMemoryTypeHost;
}

/// Whether the stored pixels are in page-locked host memory, from which the bus copies at full speed.
bool is_page_locked(const PixelSource& source) {
  const std::int64_t bytes = source.shape.count() * source.format.bytes();
  return source.memory != nullptr && bytes > 0 && is_page_locked(source.memory) &&
         is_page_locked(source.memory + bytes - 1);
}

/// If the stored pixels are already in device memory, queues their decoding, and returns true. For a map of bad pixels,
/// queues DevicePixels::judge() instead. Returns false if the pixels are in host memory or in a file.
bool ingest_there(const PixelSource& source, Pixels<Gpu>& pixels, const Gpu& where) {
  float* const out = pixels.image.pixels.data();
  const DevicePixels* const there = DevicePixels::of(source);
  if (there != nullptr) {
    there->decode(out, pixels.masked.data(), where);
    return true;
  }
  const MaskRead* const mask = source.read.target<MaskRead>();
  const DevicePixels* const map = mask == nullptr ? nullptr : DevicePixels::of(mask->map);
  if (map != nullptr) map->judge(mask->bad, out, pixels.masked.data(), where);
  return map != nullptr;
}

}  // namespace

Ingester::Ingester(const Gpu& where) : where_(where), lanes_{{where.device}, {where.device}} {}

void Ingester::ingest(const PixelSource& source, Pixels<Gpu>& pixels) {
  if (ingest_compressed(source, pixels)) return;
  check(cudaMemsetAsync(pixels.masked.data(), 0, sizeof(MaskCounts), where_.stream));
  if (ingest_there(source, pixels, where_)) return;
  if (is_page_locked(source))
    return source.format.bytes() == sizeof(float) ? send_in_place(source, pixels) : send_in_chunks(source, pixels);
  ingest_plain(source, pixels);
}

/// Reads stored pixels with all host threads, and sends the pixels through slots, pieces of page-locked memory.
void Ingester::ingest_plain(const PixelSource& source, Pixels<Gpu>& pixels) {
  const std::int64_t total = source.shape.count(), pixel_bytes = source.format.bytes();
  const std::int64_t at_once = lane_bytes() / pixel_bytes;
  make_lanes_wide(std::min(lane_bytes(), total * pixel_bytes));
  make_slots();
  const Fork fork(*this);
  parallel_for(total, at_once, Cpu{where_.host_threads}, [&](std::int64_t begin, std::int64_t end) {
    use_device(where_.device);  // a new thread begins with current device 0
    read(source, begin, end - begin, pixels);
  });
}

/// Sends stored pixels of the size of a float from page-locked memory. The pixels are copied into the result's memory
/// and decoded in place, so no copy must wait for free memory.
void Ingester::send_in_place(const PixelSource& source, Pixels<Gpu>& pixels) {
  const std::int64_t total = source.shape.count();
  const cudaStream_t bus = lanes_[0].stream.where().stream;
  float* const out = pixels.image.pixels.data();
  const Fork fork(*this);
  std::size_t pieces = 0;
  for (std::int64_t first = 0, count = 0; first < total; first += count) {
    count = next_piece(total - first);
    check(cudaMemcpyAsync(out + first, source.memory + first * source.format.bytes(),
                          static_cast<std::size_t>(count * source.format.bytes()), cudaMemcpyHostToDevice, bus));
    if (pieces == come_.size()) come_.emplace_back();
    come_[pieces++].record(bus);
  }
  pieces = 0;
  for (std::int64_t first = 0, count = 0; first < total; first += count) {
    count = next_piece(total - first);
    check(cudaStreamWaitEvent(where_.stream, come_[pieces++].get(), 0));
    decode(source.format, reinterpret_cast<const std::byte*>(out + first), first, count, pixels, where_);
  }
}

/// Sends stored pixels whose size differs from that of a float from page-locked memory, in chunks, through the memory
/// of the lanes.
void Ingester::send_in_chunks(const PixelSource& source, Pixels<Gpu>& pixels) {
  const std::int64_t total = source.shape.count();
  const std::int64_t image_bytes = total * source.format.bytes();
  const std::int64_t bytes = straight_chunk(image_bytes);
  const std::int64_t chunk_pixels = bytes / source.format.bytes();
  make_lanes_wide(std::min(bytes, image_bytes));
  const Fork fork(*this);
  for (std::int64_t first = 0; first < total; first += chunk_pixels) {
    const std::int64_t count = std::min(chunk_pixels, total - first);
    Lane& lane = next_lane();
    check(cudaMemcpyAsync(lane.memory.data(), source.memory + first * source.format.bytes(),
                          static_cast<std::size_t>(count * source.format.bytes()), cudaMemcpyHostToDevice,
                          lane.stream.where().stream));
    decode(source.format, lane.memory.data(), first, count, pixels, lane.stream.where());
  }
}

/// Reads `count` pixels, at most as many as a lane's memory holds, and sends them through slots. Thread-safe. Each
/// thread fills a slot, queues its copy, and continues with the next slot, independently of other threads.
void Ingester::read(const PixelSource& source, std::int64_t first, std::int64_t count, Pixels<Gpu>& pixels) {
  const std::int64_t pixel_bytes = source.format.bytes(), at_once = slot_bytes() / pixel_bytes;
  Lane& lane = next_lane();
  const cudaStream_t stream = lane.stream.where().stream;
  for (std::int64_t done = 0; done < count; done += at_once) {
    const std::int64_t length = std::min(at_once, count - done);
    Slot& slot = slots_[next_slot_++ % slots_.size()];
    const std::lock_guard slot_turn(slot.turn);
    slot.sent.wait();
    source.read(first + done, length, slot.memory);
    const std::lock_guard lane_turn(lane.turn);
    check(cudaMemcpyAsync(lane.memory.data() + done * pixel_bytes, slot.memory,
                          static_cast<std::size_t>(length * pixel_bytes), cudaMemcpyHostToDevice, stream));
    slot.sent.record(stream);
    if (done + length == count) decode(source.format, lane.memory.data(), first, count, pixels, lane.stream.where());
  }
}

/// Queues the decoding of pixels that will be at `stored` when the stream's earlier work is done.
void Ingester::decode(const PixelFormat& format, const std::byte* stored, std::int64_t first, std::int64_t count,
                      Pixels<Gpu>& pixels, const Gpu& where) {
  with_stored_type(format.bitpix, [&]<class Stored>(Stored) {
    decode_kernel<Stored><<<grid_for(count, where), block_threads, 0, where.stream>>>(
        reinterpret_cast<const typename Stored::Bits*>(stored), count, make_decoder(format),
        pixels.image.pixels.data() + first, pixels.masked.data());
  });
  check_launch();
}

void Ingester::make_lanes_wide(std::int64_t bytes) {
  for (Lane& lane : lanes_) {
    if (lane.memory.size() >= bytes) continue;
    lane.memory = {};
    lane.stream.give_back_kept_memory();
    lane.memory = Buffer<std::byte, Gpu>(bytes, lane.stream.where());
  }
}

/// Allocates two slots for a single reading thread. For several threads, allocates a slot for each, and two more, which
/// are being sent while all threads fill slots.
void Ingester::make_slots() {
  if (!slots_.empty()) return;
  const std::int64_t count = where_.host_threads > 1 ? where_.host_threads + 2 : 2;
  slot_memory_ = PinnedBuffer(count * slot_bytes());
  for (std::int64_t slot = 0; slot < count; ++slot) slots_.emplace_back(slot_memory_.data() + slot * slot_bytes());
}

/// Makes work that is queued later in the lanes wait for work already queued in the stream.
void Ingester::fork() {
  begun_.record(where_.stream);
  for (Lane& lane : lanes_) check(cudaStreamWaitEvent(lane.stream.where().stream, begun_.get(), 0));
}

/// Makes work that is queued later in the stream wait for work already queued in the lanes. Errors are ignored: they
/// are faults of the device, which the next CUDA call reports. Sets the device again, since this thread may have worked
/// for an image on another device while it waited in parallel_for().
void Ingester::join() noexcept {
  cudaSetDevice(where_.device);
  for (Lane& lane : lanes_) {
    cudaEventRecord(lane.done.get(), lane.stream.where().stream);
    cudaStreamWaitEvent(where_.stream, lane.done.get(), 0);
  }
}

void ingest(const PixelSource& source, Pixels<Gpu>& pixels, const Gpu& where) {
  Ingester(where).ingest(source, pixels);
}

}  // namespace srcextract
