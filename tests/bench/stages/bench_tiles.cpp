// RICE-compressed images, decompressed by all threads and by CFITSIO, which has one: what comes of an image on disk, in
// the page cache, are its stored pixels in memory.
#include <chrono>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "io/image/fits_image.hpp"
#include "tests/bench/stages/benchmarks.hpp"
#include "tests/bench/stages/compressed_field.hpp"

namespace srcextract::bench {
namespace {

constexpr int repetitions = 15;
constexpr std::int64_t size = compressed_side;
constexpr std::int64_t chunk_pixels = std::int64_t{1} << 17;  ///< that stages/ingest/ingest.cpp reads at once
constexpr std::int64_t images_a_thread = 4;

template <class Pixel>
void read_with_cfitsio(Pixel* pixels) {
  fitsfile* fits = nullptr;
  int status = 0, any_null = 0;
  Pixel null = std::is_integral_v<Pixel> ? Pixel{0} : std::numeric_limits<Pixel>::quiet_NaN();
  fits_open_image(&fits, compressed_field<Pixel>().c_str(), READONLY, &status);
  fits_read_img(fits, std::is_integral_v<Pixel> ? TSHORT : TFLOAT, 1, size * size, &null, pixels, &any_null, &status);
  fits_close_file(fits, &status);
  if (status) throw std::runtime_error("CFITSIO cannot read the image: status " + std::to_string(status));
}

template <class Pixel>
void read(Pixel* pixels, const Cpu& where) {
  const FitsImage image = select_images(compressed_field<Pixel>(), "auto").at(0).open();
  const PixelSource source = image.plane(1);
  parallel_for(source.shape.count(), chunk_pixels, where, [&](std::int64_t begin, std::int64_t end) {
    source.read(begin, end - begin, reinterpret_cast<std::byte*>(pixels + begin));
  });
}

/// An image for a thread, several times over.
template <class Pixel>
void read_stream(const Cpu& where) {
  parallel_for(where.threads * images_a_thread, 1, where, [](std::int64_t, std::int64_t) {
    thread_local std::vector<Pixel> pixels(size * size);
    read(pixels.data(), Cpu{1});
  });
}

template <class Pixel>
void add_format(const std::string& format) {
  const auto add_one = [&](const std::string& what, std::int64_t images, const auto& function) {
    add_repeated("cpu/" + what + "_" + format + "/" + std::to_string(size), repetitions,
                 [images, function](benchmark::State& state) {
                   for ([[maybe_unused]] auto unused : state) {
                     const auto begin = std::chrono::steady_clock::now();
                     function();
                     const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
                     state.SetIterationTime(elapsed.count() / static_cast<double>(images));
                   }
                   state.SetBytesProcessed(size * size * static_cast<std::int64_t>(sizeof(Pixel)));
                   state.counters["cores"] = place<Cpu>().threads;
                 });
  };
  static std::vector<Pixel> pixels;
  const auto room = [] {
    pixels.resize(size * size);
    return pixels.data();
  };
  add_one("cfitsio", 1, [room] { read_with_cfitsio(room()); });
  add_one("tiles_one_thread", 1, [room] { read(room(), Cpu{1}); });
  add_one("tiles", 1, [room] { read(room(), place<Cpu>()); });
  add_one("tiles_stream", place<Cpu>().threads * images_a_thread, [] { read_stream<Pixel>(place<Cpu>()); });
}

}  // namespace

void add_cpu_tiles() {
  add_format<std::int16_t>("int16");
  add_format<float>("dithered");
}

}  // namespace srcextract::bench
