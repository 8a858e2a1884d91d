// Tiles that RICE_1 compressed, decoded on the device: where they lie there, through the bus from page-locked memory,
// and from files in the page cache.
#include <benchmark/benchmark.h>

#if SRCEXTRACT_HAVE_CUDA
#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>

#include "cuda/device/timing.hpp"
#include "cuda/ingest/ingest.hpp"
#include "cuda/ingest/rice_images.hpp"
#include "cuda/ingest/rice_parts.hpp"
#include "io/image/fits_image.hpp"
#include "tests/bench/stages/benchmarks.hpp"
#include "tests/bench/stages/compressed_field.hpp"

namespace srcextract::bench {
namespace {

constexpr int repetitions = 25;
constexpr std::int64_t side = compressed_side, count = side * side;
constexpr int images_of_stream = 16;
constexpr int ways_of_stream = 8;  // workers, each with an image of its own

template <class Pixel>
FitsImage open_field() {
  return select_images(compressed_field<Pixel>(), "auto").at(0).open();
}

/// The compressed tiles of an image, as they cross the bus: the table, then the streams.
template <class Pixel>
class CompressedTiles {
 public:
  CompressedTiles() {
    const FitsImage image = open_field<Pixel>();
    const PixelSource source = image.plane(1);
    const std::optional<RicePlane> plane = CompressedRead::of(source)->rice();
    constexpr std::int64_t room = std::int64_t{1} << 28;
    const auto parts = plane ? RiceParts::of(*plane, side, room, room, place<Cpu>()) : std::nullopt;
    if (!parts || parts->parts().size() != 1)
      throw std::runtime_error("the tiles of the field are not as they should be");
    const RiceParts::Part& part = parts->parts().front();
    streams_ = (part.table_bytes() + 15) / 16 * 16;
    bytes_ = PinnedBuffer(streams_ + part.bytes);
    std::memcpy(bytes_.data(), parts->tiles().data(), parts->tiles().size_bytes());
    for (const RiceParts::Slice& slice : part.slices) parts->write(slice, bytes_.data() + streams_ + slice.first);
    image_.count = part.tiles();
    image_.width = side;
    image_.format = make_rice_format(*plane, source.format);
  }

  std::int64_t bytes() const { return bytes_.size(); }
  Dither dither() const { return image_.format.dither; }

  void send(std::byte* there, cudaStream_t stream) const {
    check(cudaMemcpyAsync(there, bytes_.data(), static_cast<std::size_t>(bytes()), cudaMemcpyHostToDevice, stream));
  }

  /// To be decoded from there.
  RiceImage image(const std::byte* there, Pixels<Gpu>& pixels, int* damaged) const {
    RiceImage image = image_;
    image.tiles = reinterpret_cast<const DeviceTile*>(there);
    image.streams = there + streams_;
    image.out = pixels.image.pixels.data();
    image.masked = pixels.masked.data();
    image.damaged = damaged;
    return image;
  }

 private:
  PinnedBuffer bytes_{0};
  std::int64_t streams_ = 0;
  RiceImage image_;
};

/// Streams, each with room for the compressed bytes of an image, and its pixels.
template <class Pixel>
class Decoding {
 public:
  explicit Decoding(int ways) : ways_(static_cast<std::size_t>(ways)) {
    for (Way& way : ways_) {
      const Gpu& where = way.stream.where();
      way.there = Buffer<std::byte, Gpu>(tiles_.bytes(), where);
      way.damaged = filled<int>(1, 0, where);
      way.pixels = Pixels<Gpu>({side, side}, where);
      check(cudaMemsetAsync(way.pixels.masked.data(), 0, sizeof(MaskCounts), where.stream));
      way.image = tiles_.image(way.there.data(), way.pixels, way.damaged.data());
      tiles_.send(way.there.data(), where.stream);
      synchronize(where);
    }
    for (Way& way : ways_) decode(way);
    require_whole();
  }

  /// One of the streams, to send and decode on.
  struct Way {
    Stream stream{0};
    Buffer<std::byte, Gpu> there;
    Buffer<int, Gpu> damaged;
    Pixels<Gpu> pixels;
    RiceImage image;
    DeviceRandoms randoms;
  };

  std::span<Way> ways() { return ways_; }
  std::int64_t bytes() const { return tiles_.bytes(); }
  void send(Way& way) { tiles_.send(way.there.data(), way.stream.where().stream); }
  void decode(Way& way) {
    const Gpu& where = way.stream.where();
    decode_rice_image(way.image, way.randoms.of(tiles_.dither(), where), where, where.stream);
  }

  void require_whole() const {
    for (const Way& way : ways_)
      if (to_host(way.damaged, way.stream.where())[0] != 0)
        throw std::runtime_error("tiles that are whole seem damaged");
  }

 private:
  CompressedTiles<Pixel> tiles_;
  std::vector<Way> ways_;
};

template <class Pixel>
void finish(benchmark::State& state, std::int64_t compressed_bytes) {
  state.SetBytesProcessed(count * static_cast<std::int64_t>(sizeof(Pixel)));
  state.counters["compressed_bytes"] = static_cast<double>(compressed_bytes);
}

/// An image whose bytes are on the device.
template <class Pixel>
void time_resident(benchmark::State& state) {
  Decoding<Pixel> decoding(1);
  auto& way = decoding.ways().front();
  cudaStream_t stream = way.stream.where().stream;
  for ([[maybe_unused]] auto unused : state) {
    TimedEvent begin, end;
    decoding.decode(way);  // while it is at this, the one that is timed is queued
    begin.record(stream);
    decoding.decode(way);
    end.record(stream);
    end.wait();
    state.SetIterationTime(end.seconds_since(begin));
  }
  decoding.require_whole();
  finish<Pixel>(state, decoding.bytes());
}

/// Image after image from page-locked memory, on as many streams as there are `ways`: while some are decoded the next
/// crosses the bus. Time an image.
template <class Pixel>
void time_pinned(benchmark::State& state, int ways) {
  Decoding<Pixel> decoding(ways);
  for ([[maybe_unused]] auto unused : state) {
    const auto begin = std::chrono::steady_clock::now();
    for (int round = 0; round < images_of_stream / ways; ++round)
      for (auto& way : decoding.ways()) {
        decoding.send(way);
        decoding.decode(way);
      }
    for (const auto& way : decoding.ways()) synchronize(way.stream.where());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(elapsed.count() / images_of_stream);
  }
  decoding.require_whole();
  finish<Pixel>(state, decoding.bytes());
}

/// One thread's way from a file to the device, kept from image to image.
template <class Pixel>
struct FileReader {
  explicit FileReader(int threads) : stream(0, threads) {}

  void read() {
    const FitsImage image = open_field<Pixel>();
    ingester.ingest(image.plane(1), pixels);
    synchronize(stream.where());
  }

  Stream stream;
  Ingester ingester{stream.where()};
  Pixels<Gpu> pixels{{side, side}, stream.where()};
};

/// A file in the page cache to pixels on the device; so many of these side by side, one after the other. Time an image.
template <class Pixel>
void time_files(benchmark::State& state, int readers) {
  constexpr int images_each = 8;
  std::vector<std::unique_ptr<FileReader<Pixel>>> all;
  for (int i = 0; i < readers; ++i)
    all.push_back(std::make_unique<FileReader<Pixel>>(std::max(1, place<Cpu>().threads / readers)));
  for (const auto& one : all) one->read();
  const int images = readers == 1 ? 1 : images_each;
  for ([[maybe_unused]] auto unused : state) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> threads;
    for (const auto& one : all)
      threads.emplace_back([&one, images] {
        use_device(0);
        for (int image = 0; image < images; ++image) one->read();
      });
    for (std::thread& thread : threads) thread.join();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(elapsed.count() / (readers * images));
  }
  finish<Pixel>(state, 0);
}

template <class Pixel>
void add_rice(const std::string& format) {
  const auto name = [&](const std::string& what) {
    return "cuda/rice_" + what + "_" + format + "/" + std::to_string(side);
  };
  add_repeated(name("one"), repetitions, time_resident<Pixel>);
  add_repeated(name("pinned"), repetitions, [](benchmark::State& state) { time_pinned<Pixel>(state, 2); });
  add_repeated(name("pinned_stream"), repetitions,
               [](benchmark::State& state) { time_pinned<Pixel>(state, ways_of_stream); });
  add_repeated(name("file"), repetitions, [](benchmark::State& state) { time_files<Pixel>(state, 1); });
  add_repeated(name("file_stream"), repetitions, [](benchmark::State& state) { time_files<Pixel>(state, 8); });
}

}  // namespace

void add_cuda_rice() {
  add_rice<std::int16_t>("int16");
  add_rice<float>("dithered");
}

}  // namespace srcextract::bench
#endif
