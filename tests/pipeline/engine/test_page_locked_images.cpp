// Images in page-locked memory: the catalogue is the CPU's.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/pipeline/engine/extractions.hpp"
#include "tests/support/rounds.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "cuda/device/pinned.hpp"
#include "stages/ingest/decode.hpp"

namespace srcextract {
namespace {

using testing::Field;

/// 5 sigma above one sky.
Config one_sky() {
  Config config;
  config.background.method = BackgroundMethod::constant;
  config.detection.connectivity = 4;
  config.detection.min_area = 1;
  config.output.segmentation = true;
  return config;
}

/// A field as a file would have it, in page-locked memory, from some byte of it on; or in memory of any kind.
class LockedField {
 public:
  LockedField(const Field& field, const PixelFormat& format, std::int64_t offset = 0)
      : shape_(field.shape),
        format_(format),
        memory_(field.shape.count() * std::int64_t{format.bytes()} + offset),
        first_(offset) {
    put(field);
  }

  /// Another field of the shape in the same memory.
  void put(const Field& field) {
    with_stored_type(format_.bitpix, [&]<class Stored>(Stored) {
      auto* out = memory_.data() + first_;
      for (const float pixel : field.pixels) {
        const auto stored = static_cast<typename Stored::Value>(pixel);
        typename Stored::Bits bits;
        std::memcpy(&bits, &stored, sizeof(bits));
        if (format_.big_endian) bits = swap_bytes(bits);
        std::memcpy(out, &bits, sizeof(bits));
        out += sizeof(bits);
      }
    });
  }

  PixelSource source() const {
    PixelSource source = file();
    source.memory = memory_.data() + first_;
    return source;
  }

  /// The same where nobody knows that it lies in memory.
  PixelSource file() const {
    const auto copy = [from = memory_.data() + first_, bytes = format_.bytes()](std::int64_t first, std::int64_t count,
                                                                                std::byte* out) {
      std::memcpy(out, from + first * bytes, static_cast<std::size_t>(count * bytes));
    };
    return {shape_, format_, copy};
  }

 private:
  Shape shape_;
  PixelFormat format_;
  PinnedBuffer memory_;
  std::int64_t first_;
};

class PageLockedImages : public testing::StageTest<Gpu> {
 protected:
  std::int64_t expect_same(const LockedField& stored, const Config& config, const std::string& name) {
    return expect_same(stored.source(), testing::extract_on_cpu(stored.file(), config), config, name);
  }
  std::int64_t expect_same(const Exposure& exposure, const Extraction& cpu, const Config& config,
                           const std::string& name) {
    testing::expect_same(extractor_.extract(exposure, config, {}), cpu, name);
    return cpu.sources.size();
  }

  CudaExtractor extractor_{0, Cpu{2}};
};

/// Odd heights, a last piece of a few pixels, and an image smaller than a piece; masked pixels in every piece of them.
TEST_F(PageLockedImages, HaveTheCatalogueOfTheCpuInEveryFormat) {
  const Shape shapes[] = {{2051, 1777}, {1024, 513}, {524289, 1}, {300, 200}};
  const PixelFormat formats[] = {{.bitpix = -32},
                                 {.bitpix = -32, .big_endian = false},
                                 {.bitpix = 32, .bscale = 0.5, .bzero = 7, .blank = 1003},
                                 {.bitpix = 16, .blank = 1003},
                                 {.bitpix = 8, .blank = 100},
                                 {.bitpix = -64},
                                 {.bitpix = 64, .big_endian = false}};
  for (const Shape& shape : shapes) {
    for (const PixelFormat& format : formats) {
      const double sky = format.bitpix == 8 ? 100 : 1000;
      const std::string name = std::to_string(shape.width) + " x " + std::to_string(shape.height) + ", BITPIX " +
                               std::to_string(format.bitpix);
      for (unsigned image = 0; image < 2; ++image) {
        Field field = testing::star_field(shape, sky, 10, 800, image);
        for (std::size_t i = 0; i < field.pixels.size(); ++i) {
          if (format.bitpix == 8) field.pixels[i] = std::clamp(field.pixels[i], 0.0F, 255.0F);
          if (format.bitpix > 0) continue;
          if (i % 1009 == image) field.pixels[i] = std::numeric_limits<float>::quiet_NaN();
          if (i % 2003 == image) field.pixels[i] = std::numeric_limits<float>::infinity();
        }
        const LockedField stored(field, format);
        EXPECT_GT(expect_same(stored, one_sky(), name), 20);
      }
    }
  }
}

TEST_F(PageLockedImages, ComeOneAfterTheOtherThroughTheSameMemory) {
  constexpr Shape shape{1500, testing::share(1203)};
  const auto sky = [&](unsigned seed) {
    return testing::star_field(shape, 100.0 * seed, 3 + seed, seed % 2 == 0 ? 50 : 2000, seed);
  };
  LockedField stored(sky(0), {});
  for (unsigned seed = 0; seed < 8; ++seed) {
    stored.put(sky(seed));
    expect_same(stored, one_sky(), std::to_string(seed));
  }
}

/// By turns with images from files, of the same shape and configuration or of others.
TEST_F(PageLockedImages, MayBeAmongOthers) {
  constexpr Shape shape{1031, 701};
  const LockedField stored(testing::star_field(shape, 1000, 10, 500, 1), {});
  const LockedField other(testing::star_field(shape, 50, 2, 200, 2), {});
  const LockedField small(testing::star_field({90, 70}, 50, 2, 200, 3), {});
  Config by_mesh = one_sky();
  by_mesh.background.method = BackgroundMethod::mesh;
  Config both = one_sky();
  both.detection.sign = DetectionSign::both;
  both.output.segmentation = false;
  const Config plain = one_sky();
  for (int time = 0; time < 2; ++time) {
    expect_same(other.file(), testing::extract_on_cpu(other.file(), plain), plain, "from a file");
    expect_same(stored, plain, "page-locked");
    expect_same(other.file(), testing::extract_on_cpu(other.file(), plain), plain, "from a file, after one");
    expect_same(stored, by_mesh, "by a mesh");
    expect_same(stored, plain, "page-locked after another configuration");
    expect_same(stored, both, "of both signs");
    expect_same(small, plain, "small");
  }
}

TEST_F(PageLockedImages, MayBeMasked) {
  constexpr Shape shape{1031, 701};
  const LockedField stored(testing::star_field(shape, 1000, 10, 500, 1), {});
  Field left_out{"mask", shape, std::vector<float>(static_cast<std::size_t>(shape.count()), 0)};
  std::fill_n(left_out.pixels.begin(), shape.count() / 2, std::numeric_limits<float>::quiet_NaN());
  const LockedField mask(left_out, {});
  const Config config = one_sky();
  Exposure here(stored.file()), there(stored.source());
  here.mask = mask.file();
  there.mask = mask.source();
  const Extraction cpu = testing::extract_on_cpu(here, config);
  ASSERT_EQ(cpu.background.all.count, shape.count() - shape.count() / 2);
  expect_same(there, cpu, config, "masked");
  expect_same(stored, config, "not masked");
  expect_same(there, cpu, config, "masked after one that is not");
}

/// The steps are launched again for an image that has more runs than there was room for.
TEST_F(PageLockedImages, MayBeCrowded) {
  constexpr Shape shape{900, 700};
  Field dark = testing::random_mask(shape, 0.5, 1);
  for (float& pixel : dark.pixels) pixel = pixel / 4;
  Config config = testing::above(0.5);
  config.background.method = BackgroundMethod::constant;
  EXPECT_EQ(expect_same(LockedField(dark, {}), config, "dark"), 0);
  EXPECT_GT(expect_same(LockedField(testing::random_mask(shape, 0.2, 2), {}), config, "crowded"), 50'000);
  EXPECT_EQ(expect_same(LockedField(dark, {}), config, "dark again"), 0);
}

TEST_F(PageLockedImages, MayBeginAtAnyByte) {
  constexpr Shape shape{1031, 701};
  const Field field = testing::star_field(shape, 1000, 10, 500, 1);
  for (const int bitpix : {-32, 16}) {
    for (const std::int64_t offset : {1, 2, 4}) {
      const PixelFormat format{.bitpix = bitpix};
      const LockedField stored(field, format, offset);
      expect_same(stored, one_sky(), "from byte " + std::to_string(offset));
    }
  }
}

/// A file that ends too early, an image without a sky: what comes next finds nothing of them.
TEST_F(PageLockedImages, GoOnAfterOneThatIsRefused) {
  constexpr Shape shape{1031, testing::share(2011)};
  const LockedField stored(testing::star_field(shape, 1000, 10, 500, 1), {});
  const Field nothing{
      "masked", shape,
      std::vector<float>(static_cast<std::size_t>(shape.count()), std::numeric_limits<float>::infinity())};
  const LockedField masked(nothing, {});
  PixelSource cut = stored.file();
  cut.read = [whole = stored.file().read, end = shape.count() / 2](std::int64_t first, std::int64_t count,
                                                                   std::byte* out) {
    if (first + count > end) throw Error(ErrorKind::input, "the file ends too early");
    whole(first, count, out);
  };
  for (int time = 0; time < 2; ++time) {
    EXPECT_GT(expect_same(stored, one_sky(), "whole"), 0);
    EXPECT_THROW(extractor_.extract(cut, one_sky(), {}), Error);
    EXPECT_GT(expect_same(stored, one_sky(), "after a file that ends too early"), 0);
    EXPECT_THROW(extractor_.extract(masked.source(), one_sky(), {}), Error);
  }
}

}  // namespace
}  // namespace srcextract
#endif
