// Images that RICE_1 compressed, decoded by the device and by the host.
#if SRCEXTRACT_HAVE_CUDA
#include "cuda/ingest/ingest.hpp"
#include "cuda/ingest/rice_images.hpp"
#include "stages/core/error.hpp"
#include "tests/parity/rice_support.hpp"
#include "tests/pipeline/engine/extractions.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/same_bytes.hpp"

namespace srcextract {
namespace {

struct Decoded {
  std::vector<float> pixels;
  MaskCounts masked;
  std::string error = {};
};

Decoded of(const Pixels<Cpu>& pixels) {
  return {{pixels.image.pixels.begin(), pixels.image.pixels.end()}, *pixels.masked};
}

template <class Read>
Decoded or_error(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    return {{}, {}, error.what()};
  }
}

Decoded decode_on_host(const PixelSource& source) {
  return or_error([&] { return of(ingest(source, Cpu{2})); });
}

void expect_same(const Decoded& ours, const Decoded& wanted, const std::string& name) {
  EXPECT_EQ(ours.error, wanted.error) << name;
  EXPECT_TRUE(testing::same_bytes(ours.pixels, wanted.pixels)) << name;
  EXPECT_EQ(ours.masked.nan, wanted.masked.nan) << name;
  EXPECT_EQ(ours.masked.infinite, wanted.masked.infinite) << name;
  EXPECT_EQ(ours.masked.blank, wanted.masked.blank) << name;
}

/// Whether there are enough tiles for the device, and few enough that RICE_1 did not compress.
bool is_for_device(const RicePlane& plane) {
  std::int64_t others = 0;
  for (std::int64_t tile = 0; tile < plane.tiles; ++tile) others += plane.tile(tile).stream.empty();
  return plane.tiles >= 32 && others <= plane.tiles / 8;
}

/// A sky with bands of 4 rows, one of so many, whose values are too far apart to be quantised.
std::vector<float> sky_of_extremes(long width, long height, long every) {
  std::vector<float> pixels = testing::compressible_sky<float>(width, height, 1);
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const auto band = static_cast<long>(i) / width / 4;
    if (band % every == 1) pixels[i] = i % 2 == 0 ? 1e30F : -1e-30F;
  }
  return pixels;
}

class RiceParity : public testing::StageTest<Gpu> {
 protected:
  void SetUp() override {
    testing::StageTest<Gpu>::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    where_ = backend().where();
    where_.host_threads = 3;
    ingester_ = std::make_unique<Ingester>(where_);
  }

  /// What the device makes of the compressed tiles; nothing if it leaves the image to the host.
  std::optional<Decoded> decode_there(const PixelSource& source) {
    Pixels<Gpu> pixels(source.shape, where_);
    if (!ingester_->ingest_compressed(source, pixels)) return std::nullopt;
    return of(to_host(pixels, where_));
  }

  Decoded decode_whichever_way(const PixelSource& source) {
    return or_error([&] {
      Pixels<Gpu> pixels(source.shape, where_);
      ingester_->ingest(source, pixels);
      return of(to_host(pixels, where_));
    });
  }

  testing::CompressedFiles files_;
  Gpu where_;
  std::unique_ptr<Ingester> ingester_;
};

TEST_F(RiceParity, TilesOfEveryKind) {
  int there = 0;
  for (const auto& [width, height] : {std::pair(229L, 67L), {1031L, 300L}, {33L, 1025L}})
    for (const testing::NamedFile& file : testing::files_of_tiles(width, height)) {
      const std::string name = file.name + " of " + std::to_string(width) + " x " + std::to_string(height);
      const FitsImage image = files_.open(file.bytes);
      const PixelSource source = image.plane(1);
      const Decoded wanted = decode_on_host(source);
      const std::optional<Decoded> ours = decode_there(source);
      const std::optional<RicePlane> plane = CompressedRead::of(source)->rice();
      ASSERT_TRUE(plane) << name;
      EXPECT_EQ(ours.has_value(), wanted.error.empty() && is_for_device(*plane)) << name;
      if (ours) expect_same(*ours, wanted, name);
      there += ours.has_value();
      expect_same(decode_whichever_way(source), wanted, name);
    }
  EXPECT_GE(there, 180);
}

// More bytes than a part has, from one ingester that has decoded others; and through all random numbers.
TEST_F(RiceParity, LargeImages) {
  const testing::Compression dithered{.quantize = 16, .dither = SUBTRACTIVE_DITHER_2};
  for (const std::string& bytes :
       {testing::compressed_sky<float>(dithered, 21000, 40),
        testing::compressed_sky<float>({.quantize = 4}, 4096, 2500),
        testing::compressed_sky<std::int16_t>({}, 6000, 4000), testing::compressed_sky<std::int16_t>({}, 64, 64)}) {
    const FitsImage image = files_.open(bytes);
    const PixelSource source = image.plane(1);
    const std::optional<Decoded> ours = decode_there(source);
    ASSERT_TRUE(ours);
    expect_same(*ours, decode_on_host(source), std::to_string(source.shape.width));
  }
}

TEST_F(RiceParity, PartsTakeTurns) {
  std::mt19937 random(3);
  std::vector<std::int32_t> noise(std::size_t{5000} * 4000);
  for (std::int32_t& pixel : noise) pixel = static_cast<std::int32_t>(random());
  const FitsImage image = files_.open(testing::compressed_file({}, 32, TINT, {5000, 4000}, noise));
  const PixelSource source = image.plane(1);
  const std::optional<Decoded> ours = decode_there(source);
  ASSERT_TRUE(ours);
  expect_same(*ours, decode_on_host(source), "noise");
}

// The same error as of the host, or the same pixels, whatever was changed in the tiles or in what the table says of
// them.
TEST_F(RiceParity, DamagedFiles) {
  std::mt19937 random(11);
  const std::vector<std::string> good{
      testing::compressed_sky<std::int16_t>({}, 200, 90), testing::compressed_sky<std::int32_t>({}, 200, 90),
      testing::compressed_sky<std::uint8_t>({.tile = {32, 8}}, 200, 90),
      testing::with_card(testing::compressed_sky<std::int32_t>({}, 200, 90), "ZBITPIX", "16"),
      testing::compressed_sky<float>({.quantize = 4, .dither = SUBTRACTIVE_DITHER_1}, 200, 90)};
  int damaged = 0, whole = 0;
  for (int trial = 0; trial < testing::rounds(1200); ++trial) {
    std::string bytes = good[static_cast<std::size_t>(trial) % good.size()];
    const std::size_t table = bytes.find("END", 2880) / 2880 * 2880 + 2880;
    for (unsigned change = 0; change <= random() % 3; ++change) {
      const std::size_t at = table + random() % (bytes.size() - table);
      if (random() % 2 == 0)
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
      else
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), std::min<std::size_t>(30, bytes.size() - at),
                    static_cast<char>(random()));
    }
    std::optional<FitsImage> image;
    try {
      image = files_.open(bytes);
    } catch (const Error&) {
      continue;
    }
    const PixelSource source = image->plane(1);
    const Decoded wanted = decode_on_host(source);
    (wanted.error.empty() ? whole : damaged)++;
    expect_same(decode_whichever_way(source), wanted, std::to_string(trial));
    if (wanted.error.empty()) continue;
    const Decoded ours = or_error([&] {
      EXPECT_FALSE(decode_there(source)) << trial;
      return wanted;
    });
    EXPECT_EQ(ours.error, wanted.error) << trial;
  }
  EXPECT_GT(damaged, testing::rounds(1200) / 20);
  EXPECT_GT(whole, testing::rounds(1200) / 20);
}

// One that reaches through planes, few large ones, another method, many that cannot be quantised: left to the host.
TEST_F(RiceParity, WhatIsLeftToTheHost) {
  const testing::Compression dithered{.quantize = 4, .dither = SUBTRACTIVE_DITHER_1};
  const std::vector<std::string> files{
      testing::compressed_file(dithered, -32, TFLOAT, {200, 64}, sky_of_extremes(200, 64, 2)),
      testing::compressed_file({.tile = {200, 1, 2}}, 16, TSHORT, {200, 32, 2},
                               testing::compressible_sky<std::int16_t>(200, 64, 1)),
      testing::compressed_sky<std::int16_t>({.tile = {200, 64}}, 200, 64),
      testing::compressed_sky<std::int16_t>({.method = GZIP_2}, 200, 64)};
  for (const std::string& bytes : files) {
    const FitsImage image = files_.open(bytes);
    const PixelSource source = image.plane(1);
    EXPECT_FALSE(decode_there(source));
    expect_same(decode_whichever_way(source), decode_on_host(source), "");
  }
}

// Tiles that could not be quantised among those that were: rows, and parts of rows.
TEST_F(RiceParity, AFewTilesOfAnotherForm) {
  for (const std::vector<long>& tile : {std::vector<long>{200, 1}, {200, 2}, {50, 4}}) {
    const testing::Compression dithered{.tile = tile, .quantize = 4, .dither = SUBTRACTIVE_DITHER_2};
    const FitsImage image =
        files_.open(testing::compressed_file(dithered, -32, TFLOAT, {200, 300}, sky_of_extremes(200, 300, 18)));
    const PixelSource source = image.plane(1);
    const std::optional<RicePlane> plane = CompressedRead::of(source)->rice();
    ASSERT_TRUE(plane);
    int others = 0;
    for (std::int64_t number = 0; number < plane->tiles; ++number) others += plane->tile(number).stream.empty();
    EXPECT_GT(others, 0);
    const std::optional<Decoded> ours = decode_there(source);
    ASSERT_TRUE(ours);
    expect_same(*ours, decode_on_host(source), std::to_string(tile[0]));
  }
}

TEST_F(RiceParity, PlanesOfCubes) {
  const FitsImage image = files_.open(testing::compressed_file({.tile = {200, 1, 1}}, 16, TSHORT, {200, 32, 3},
                                                               testing::compressible_sky<std::int16_t>(200, 96, 1)));
  for (std::int64_t number = 1; number <= 3; ++number) {
    const PixelSource source = image.plane(number);
    const std::optional<Decoded> ours = decode_there(source);
    ASSERT_TRUE(ours);
    expect_same(*ours, decode_on_host(source), std::to_string(number));
  }
}

// Compressed or not, whole or damaged, one after the other on one extractor.
TEST_F(RiceParity, ImagesOfSeveralTypesOneAfterTheOther) {
  CudaExtractor extractor(0, Cpu{2});
  const testing::Compression dithered{.quantize = 4, .dither = SUBTRACTIVE_DITHER_1};
  std::vector<std::string> bytes{testing::compressed_sky<std::int16_t>({}, 100, 90, 1),
                                 testing::compressed_sky<float>(dithered, 100, 90, 2),
                                 testing::compressed_sky<std::uint8_t>({.tile = {20, 10}}, 100, 90, 3),
                                 testing::compressed_sky<std::int16_t>({.method = GZIP_1}, 100, 90, 4),
                                 testing::compressed_sky<double>(dithered, 100, 90, 5),
                                 testing::compressed_sky<std::int32_t>({}, 100, 90, 6)};
  const auto expect_all = [&] {
    std::vector<FitsImage> images;
    std::vector<PixelSource> sources;
    for (const std::string& file : bytes) images.push_back(files_.open(file));
    for (const FitsImage& image : images) sources.push_back(image.plane(1));
    for (std::size_t i = 0; i < sources.size(); ++i) {
      std::string wanted, failure;
      Extraction on_cpu, on_gpu;
      try {
        on_cpu = testing::extract_on_cpu(sources[i], Config{});
      } catch (const Error& error) {
        wanted = error.what();
      }
      try {
        on_gpu = extractor.extract(sources[i], Config{}, {});
      } catch (const Error& error) {
        failure = error.what();
      }
      EXPECT_EQ(failure, wanted) << i;
      if (wanted.empty() && failure.empty()) testing::expect_same(on_gpu, on_cpu, "image " + std::to_string(i));
    }
  };
  expect_all();
  std::fill(bytes[5].end() - 6000, bytes[5].end(), '\xff');
  std::fill(bytes[0].end() - 3000, bytes[0].end(), '\0');
  expect_all();
  bytes.resize(1);
  expect_all();
}

// The kernel by itself.
TEST_F(RiceParity, TheKernelDecodesEveryType) {
  std::vector<FitsImage> images;
  for (const testing::NamedFile& file : testing::files_of_tiles(229, 67))
    if (images.size() < 32) images.push_back(files_.open(file.bytes));
  DeviceRandoms randoms;
  Buffer<int, Gpu> damaged = filled<int>(static_cast<std::int64_t>(images.size()), 0, where_);
  std::vector<Buffer<DeviceTile, Gpu>> tables;
  std::vector<Buffer<std::byte, Gpu>> streams;
  std::vector<Pixels<Gpu>> pixels;
  std::vector<RiceImage> compressed;
  std::vector<PixelSource> sources;
  const float* numbers = nullptr;
  for (const FitsImage& image : images) {
    const PixelSource source = image.plane(1);
    const std::optional<RicePlane> plane = CompressedRead::of(source)->rice();
    constexpr std::int64_t room = 1 << 24;
    const auto parts = RiceParts::of(*plane, source.shape.width, room, room, Cpu{1});
    if (!parts) continue;
    const RiceParts::Part& part = parts->parts().front();
    std::vector<std::byte> bytes(static_cast<std::size_t>(part.bytes));
    parts->write(part.slices.front(), bytes.data());
    tables.push_back(backend().put(std::vector<DeviceTile>(parts->tiles().begin(), parts->tiles().end())));
    streams.push_back(backend().put(bytes));
    pixels.emplace_back(source.shape, where_);
    check(cudaMemsetAsync(pixels.back().masked.data(), 0, sizeof(MaskCounts), where_.stream));
    if (const float* const some = randoms.of(plane->dither, where_)) numbers = some;
    compressed.push_back({tables.back().data(), part.tiles(), streams.back().data(), source.shape.width,
                          pixels.back().image.pixels.data(), pixels.back().masked.data(),
                          damaged.data() + compressed.size(), make_rice_format(*plane, source.format)});
    sources.push_back(source);
  }
  ASSERT_GT(compressed.size(), 10U);
  for (const RiceImage& image : compressed) decode_rice_image(image, numbers, where_, where_.stream);
  for (std::size_t i = 0; i < sources.size(); ++i)
    expect_same(of(to_host(pixels[i], where_)), decode_on_host(sources[i]), std::to_string(i));
  for (const int one : to_host(damaged, where_)) EXPECT_EQ(one, 0);
}

}  // namespace
}  // namespace srcextract
#endif
