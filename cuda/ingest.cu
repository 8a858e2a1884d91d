#include "stages/ingest.hpp"

#include <cstdint>

#include "cuda/launch.hpp"
#include "cuda/pinned.hpp"
#include "stages/core/parallel.hpp"
#include "stages/decode.hpp"

namespace srcextract {

namespace {

/// Stored bytes that travel at a time: long enough for full bus speed, short enough that reading the next chunk
/// overlaps the copy of this one.
constexpr std::int64_t chunk_bytes = std::int64_t{16} << 20;
constexpr std::int64_t read_bytes = std::int64_t{1} << 20;

__device__ void atomic_add(std::int64_t& to, std::int64_t amount) {
  atomicAdd(reinterpret_cast<unsigned long long*>(&to), static_cast<unsigned long long>(amount));
}

template <class Stored>
__global__ void decode_kernel(const typename Stored::Bits* stored, std::int64_t count, Decoder decoder, float* out,
                              MaskCounts* masked) {
  MaskCounts counts;
  for (std::int64_t i = thread_index(); i < count; i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
    out[i] = decode_pixel<Stored>(stored[i], decoder, counts);
  }
  if (counts.nan != 0) atomic_add(masked->nan, counts.nan);
  if (counts.infinite != 0) atomic_add(masked->infinite, counts.infinite);
  if (counts.blank != 0) atomic_add(masked->blank, counts.blank);
}

/// One of the two chunks under way: filled on the host while the other is copied and decoded.
struct Chunk {
  Chunk(std::int64_t bytes, const Gpu& where) : host(bytes), device(bytes, where) {}

  PinnedBuffer host;
  Buffer<std::byte, Gpu> device;
  Event sent;  ///< the host side may be filled again
};

void read_chunk(const PixelSource& source, std::int64_t first, std::int64_t count, std::byte* out, const Cpu& readers) {
  const int bytes = source.format.bytes();
  parallel_for(count, read_bytes / bytes, readers, [&](std::int64_t begin, std::int64_t end) {
    source.read(first + begin, end - begin, out + begin * bytes);
  });
}

}  // namespace

void ingest(const PixelSource& source, Pixels<Gpu>& pixels, const Gpu& where) {
  const std::int64_t total = source.shape.count();
  const int bytes = source.format.bytes();
  const std::int64_t chunk_pixels = std::min(total, chunk_bytes / bytes);
  const Decoder decoder = make_decoder(source.format);
  const Cpu readers{where.host_threads};

  check(cudaMemsetAsync(pixels.masked.data(), 0, sizeof(MaskCounts), where.stream));
  Chunk chunks[2] = {{chunk_pixels * bytes, where}, {total > chunk_pixels ? chunk_pixels * bytes : 0, where}};
  for (std::int64_t first = 0, turn = 0; first < total; first += chunk_pixels, ++turn) {
    const std::int64_t count = std::min(chunk_pixels, total - first);
    Chunk& chunk = chunks[turn % 2];
    chunk.sent.wait();
    read_chunk(source, first, count, chunk.host.data(), readers);
    check(cudaMemcpyAsync(chunk.device.data(), chunk.host.data(), static_cast<std::size_t>(count * bytes),
                          cudaMemcpyHostToDevice, where.stream));
    chunk.sent.record(where.stream);
    with_stored_type(source.format.bitpix, [&]<class Stored>(Stored) {
      decode_kernel<Stored><<<std::min(blocks_for(count), 4096u), block_threads, 0, where.stream>>>(
          reinterpret_cast<const typename Stored::Bits*>(chunk.device.data()), count, decoder,
          pixels.image.pixels.data() + first, pixels.masked.data());
    });
    check_launch();
  }
}

}  // namespace srcextract
