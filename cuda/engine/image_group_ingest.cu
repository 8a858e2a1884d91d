#include "cuda/engine/image_group_ingest.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "cuda/ingest/decode.hpp"
#include "cuda/ingest/rice_parts.hpp"
#include "pipeline/chain/stage_list.hpp"

namespace srcextract {

namespace {

constexpr int decode_threads = 1024;

/// Where an image is on the device, and how it was stored.
struct ImageToDecode {
  const std::byte* stored;
  Decoder decoder;
  int bitpix;
  float* out;
  MaskCounts* masked;
};

struct ImagesToDecode {
  ImageToDecode image[most_images_in_a_launch];
};
static_assert(sizeof(ImagesToDecode) < 4096);  // a kernel's parameters

/// A block decodes an image, if it is of this type.
template <class Stored>
__global__ void __launch_bounds__(decode_threads)
    decode_images_kernel(const __grid_constant__ ImagesToDecode images, int bitpix, std::int64_t count) {
  __shared__ MaskCounts masked;
  const ImageToDecode& own = images.image[blockIdx.x];
  if (own.bitpix != bitpix) return;
  if (threadIdx.x == 0) masked = {};
  __syncthreads();
  decode_pixels<Stored>(reinterpret_cast<const typename Stored::Bits*>(own.stored), count, own.decoder, threadIdx.x,
                        blockDim.x, own.out, masked);
  __syncthreads();
  if (threadIdx.x == 0) *own.masked = masked;
}

Reading read_all(const PixelSource& source, std::byte* out) {
  const auto begin = std::chrono::steady_clock::now();
  Reading reading;
  try {
    if (source.shape.count() > 0) source.read(0, source.shape.count(), out);
  } catch (...) {
    reading.failure = std::current_exception();
  }
  reading.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return reading;
}

/// As many bytes as the longest type of pixel has.
constexpr std::int64_t most_bytes = 8;

}  // namespace

std::vector<Reading> GroupIngester::read(std::span<const PixelSource> sources, std::span<const Pixels<Gpu>> images,
                                         Way way) {
  const std::int64_t count = images.front().image.shape.count();
  make_room(static_cast<std::int64_t>(images.size()) * bus_room(count * most_bytes));
  std::vector<Reading> readings;
  images_.clear();
  bytes_ = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (i < sources.size() && way == Way::compressed) {
      const auto begin = std::chrono::steady_clock::now();
      const bool taken = take_tiles(sources[i], bus_room(count * most_bytes));
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
      if (taken) {
        readings.push_back({elapsed.count(), nullptr});
        continue;
      }
    }
    std::byte* const place = stored_.data() + bytes_;
    if (i < sources.size()) readings.push_back(read_all(sources[i], place));
    const bool there = i < sources.size() && !readings[i].failure;
    const PixelFormat format = there ? sources[i].format : PixelFormat{};
    const std::int64_t bytes = count * format.bytes();
    if (!there && bytes > 0) std::memset(place, 0xff, static_cast<std::size_t>(bytes));  // NaN in either byte order
    images_.push_back({format, bytes_, bus_room(bytes)});
    bytes_ += images_.back().bytes;
  }
  return readings;
}

/// The tiles of an image as they are, behind the table of them, if that is shorter than the room.
bool GroupIngester::take_tiles(const PixelSource& source, std::int64_t room) {
  const CompressedRead* const read = CompressedRead::of(source);
  const std::optional<RicePlane> plane = read == nullptr ? std::nullopt : read->rice();
  if (!plane || room <= bus_alignment) return false;
  const auto parts = RiceParts::of(*plane, source.shape.width, room, room - bus_alignment, Cpu{1});
  if (!parts || parts->parts().size() != 1 || !parts->others().empty()) return false;
  const RiceParts::Part& part = parts->parts().front();
  StoredImage image{source.format, bytes_, bus_room(part.table_bytes()) + part.bytes,
                    make_rice_format(*plane, source.format)};
  image.tiles = part.tiles();
  image.streams = bytes_ + bus_room(part.table_bytes());
  std::memcpy(stored_.data() + image.begin, parts->tiles().data(), parts->tiles().size_bytes());
  for (const RiceParts::Slice& slice : part.slices) parts->write(slice, stored_.data() + image.streams + slice.first);
  images_.push_back(image);
  bytes_ += image.bytes;
  return true;
}

bool GroupIngester::send(std::span<Pixels<Gpu>> images) {
  if (bytes_ > 0) {
    check(cudaMemcpyAsync(there_.data(), stored_.data(), static_cast<std::size_t>(bytes_), cudaMemcpyHostToDevice,
                          where_.stream));
  }
  ImagesToDecode all{};
  for (std::size_t i = 0; i < images.size(); ++i) {
    const PixelFormat& format = images_[i].format;
    const int bitpix = images_[i].tiles == 0 ? format.bitpix : 0;  // tiles are decoded by another kernel
    all.image[i] = {there_.data() + images_[i].begin, make_decoder(format), bitpix, images[i].image.pixels.data(),
                    images[i].masked.data()};
  }
  for (const int bitpix : {8, 16, 32, 64, -32, -64}) {
    const auto of_type = [&](const StoredImage& image) { return image.tiles == 0 && image.format.bitpix == bitpix; };
    if (std::none_of(images_.begin(), images_.end(), of_type)) continue;
    with_stored_type(bitpix, [&]<class Stored>(Stored) {
      decode_images_kernel<Stored><<<static_cast<unsigned int>(images.size()), decode_threads, 0, where_.stream>>>(
          all, bitpix, images.front().image.shape.count());
    });
    check_launch();
  }
  return decode_tiles(images);
}

bool GroupIngester::decode_tiles(std::span<Pixels<Gpu>> images) {
  static_assert(most_images_in_a_launch <= most_rice_images);
  if (std::ranges::all_of(images_, [](const StoredImage& image) { return image.tiles == 0; })) return true;
  int* const damaged = damage_.clear(where_);
  std::vector<RiceImage> compressed;
  const float* randoms = nullptr;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const StoredImage& stored = images_[i];
    if (stored.tiles == 0) continue;
    MaskCounts* const masked = images[i].masked.data();
    check(cudaMemsetAsync(masked, 0, sizeof(MaskCounts), where_.stream));
    compressed.push_back({reinterpret_cast<const DeviceTile*>(there_.data() + stored.begin), stored.tiles,
                          there_.data() + stored.streams, images[i].image.shape.width, images[i].image.pixels.data(),
                          masked, damaged, stored.rice});
    if (const float* const numbers = randoms_.of(stored.rice.dither, where_)) randoms = numbers;
  }
  decode_rice_images(compressed, randoms, where_, where_.stream);
  return !damage_.raised(where_);
}

void GroupIngester::make_room(std::int64_t bytes) {
  if (there_.size() >= bytes) return;
  there_ = {};
  stored_ = PinnedBuffer(bytes);
  there_ = Buffer<std::byte, Gpu>(bytes, where_);
}

}  // namespace srcextract
