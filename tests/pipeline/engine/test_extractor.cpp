// One CudaExtractor for image after image: the catalogue is the CPU's, whatever it has kept from the images before.
#include <gmock/gmock.h>

#include <cstring>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/chain/measure_positions.hpp"
#include "tests/pipeline/engine/extractions.hpp"
#include "tests/support/crowd_scene.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/stage_records.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "cuda/device/pinned.hpp"
#endif

namespace srcextract {
namespace {

#if SRCEXTRACT_HAVE_CUDA

using testing::above;
using testing::bytes_of;
using testing::Field;
using testing::source_of;

class Extractor : public testing::StageTest<Gpu> {
 protected:
  /// Extracts the field on both and returns the number of sources.
  std::int64_t expect_same(const Field& field, const Config& config, const Observer& observer = {}) {
    const Extraction cpu = testing::extract_on_cpu(source_of(field), config);
    testing::expect_same(extractor_.extract(source_of(field), config, observer), cpu, field.name);
    return cpu.sources.size();
  }

  /// The same of a field that may be refused, which both then are to say in the same words; whether it is.
  bool expect_same_or_refused(const Field& field, const Config& config) {
    try {
      testing::extract_on_cpu(source_of(field), config);
    } catch (const Error& error) {
      EXPECT_THAT([&] { extractor_.extract(source_of(field), config, {}); },
                  ::testing::ThrowsMessage<Error>(::testing::StrEq(error.what())))
          << field.name;
      return true;
    }
    expect_same(field, config);
    return false;
  }

  CudaExtractor extractor_{0, Cpu{2}};
};

TEST_F(Extractor, FitsCrowdsAndTellsItsTimes) {
  Config config;
  config.crowd.method = CrowdMethod::joint;
  testing::set_psf(testing::psf_table(81, 0.5, 6, {testing::CrowdScene::star()}), config);
  config = crowd_config(config);
  int times = 0;
  Observer observer;
  observer.on_stage = [&](const char*, double) { ++times; };
  for (const std::uint32_t seed : {51U, 52U}) {
    const testing::CrowdScene scene(seed, 60);
    const Field field{"crowd", scene.image().shape, scene.pixels};
    EXPECT_GT(expect_same(field, config, observer), 20);
  }
  EXPECT_GE(times, 6);
}

TEST_F(Extractor, GivesTheCatalogueOfTheCpuImageAfterImage) {
  const Config config = above(0.5);
  const std::vector<Field> fields = testing::hostile_fields();
  std::size_t refused = 0;
  for (int time = 0; time < 2; ++time)
    for (const Field& field : fields) refused += expect_same_or_refused(field, config) ? 1 : 0;
  EXPECT_LT(refused, fields.size() / 4);
}

TEST_F(Extractor, MakesRoomForACrowdedImageAfterAnEmptyOne) {
  constexpr Shape shape{900, 700};
  Field dark = testing::random_mask(shape, 0.5, 1);
  for (float& pixel : dark.pixels) pixel = pixel / 4;
  EXPECT_EQ(expect_same(dark, above(0.5)), 0);
  EXPECT_GT(expect_same(testing::random_mask(shape, 0.2, 2), above(0.5)), 50'000);
  EXPECT_EQ(expect_same(dark, above(0.5)), 0);
  EXPECT_GT(expect_same(testing::random_mask(shape, 0.45, 3), above(0.5)), 10'000);
}

TEST_F(Extractor, FollowsTheShapeAndTheConfiguration) {
  const Field wide = testing::star_field({1030, 300}, 1000, 10, 400, 4);
  const Field tall = testing::star_field({300, 1030}, 1000, 10, 400, 5);
  Config deeper;
  deeper.detection.threshold = 2;
  deeper.detection.min_area = 2;
  for (const Field* field : {&wide, &tall, &wide}) {
    EXPECT_GT(expect_same(*field, deeper), expect_same(*field, Config{}));
  }
}

/// A name of its own: compute-sanitizer would take minutes for it.
class LargeExtractor : public Extractor {};

/// So large that the clip leaves which quads are bright: for seeds as well, below and above its limit, of image after
/// image by one graph, and not for an image that is convolved.
TEST_F(LargeExtractor, FindsTheSameInLargeImagesWhereverTheyAreRead) {
  const std::int64_t height = testing::sanitized ? 200 : 2056;
  Field field = testing::star_field({4096, height}, 3, 10, 1000, 21);
  const Field second = testing::star_field({4096, height}, 1, 3, 700, 22);
  for (std::size_t i = 5; i < field.pixels.size(); i += 1009) field.pixels[i] = testing::nan;
  for (const double sigmas : {1.5, 5.0}) {
    for (const Baseline reference : {Baseline::zero, Baseline::background}) {
      Config config;
      config.background.method = BackgroundMethod::constant;
      config.detection.threshold = sigmas;
      config.detection.reference = reference;
      config.detection.seed = 2 * sigmas;
      config.deblend.method = DeblendMethod::none;
      EXPECT_GT(expect_same(field, config), 0);
      EXPECT_GT(expect_same(second, config), 0);
      if (sigmas < 5) continue;
      config.convolve.kernel = KernelShape::gaussian;
      config.convolve.fwhm = 3;
      EXPECT_GT(expect_same(field, config), 0);
    }
  }
}

TEST_F(Extractor, GoesOnAfterAnImageThatIsRefused) {
  const Field sky = testing::star_field({200, 100}, 0, 1, 200, 6);
  Field masked{"masked", sky.shape, std::vector<float>(sky.pixels.size(), std::numeric_limits<float>::quiet_NaN())};
  EXPECT_THROW(extractor_.extract(source_of(masked), Config{}, {}), Error);
  EXPECT_GT(expect_same(sky, Config{}), 0);
  EXPECT_THROW(extractor_.extract(testing::unreadable(sky.shape), Config{}, {}), Error);
  EXPECT_GT(expect_same(sky, Config{}), 0);
}

// Several chunks, the last of them short; 16 bits a pixel, so that chunks of stored pixels are not those of values.
TEST_F(Extractor, TakesPixelsFromMemoryPageLockedOrNot) {
  constexpr Shape shape{3001, 2503};
  const Field mask = testing::random_mask(shape, 0.01, 8);
  std::vector<std::int16_t> stored(mask.pixels.begin(), mask.pixels.end());
  const auto bytes = shape.count() * std::int64_t{2};
  PinnedBuffer locked(bytes);
  std::memcpy(locked.data(), stored.data(), static_cast<std::size_t>(bytes));
  const Extraction cpu = testing::extract_on_cpu(source_of(mask), above(0.5));
  ASSERT_GT(cpu.sources.size(), 1000);
  for (const std::byte* memory : {reinterpret_cast<const std::byte*>(stored.data()), std::as_const(locked).data()}) {
    const auto copy = [memory](std::int64_t first, std::int64_t count, std::byte* out) {
      std::memcpy(out, memory + first * 2, static_cast<std::size_t>(count) * 2);
    };
    const PixelSource source{shape, {.bitpix = 16, .big_endian = false}, copy, memory};
    for (int image = 0; image < 3; ++image) {
      EXPECT_TRUE(bytes_of(extractor_.extract(source, above(0.5), {}).sources) == bytes_of(cpu.sources)) << image;
    }
    expect_same(testing::star_field({500, 400}, 0, 1, 200, 7), Config{});
  }
}

TEST_F(Extractor, SeveralAtOnceDoNotDisturbEachOther) {
  constexpr int threads = 6;
  std::vector<Field> fields;
  for (unsigned seed = 0; seed < threads; ++seed)
    fields.push_back(testing::star_field({1500 + 40 * seed, 1200}, 0, 1, 300, seed));
  std::vector<std::string> expected, found(threads);
  for (const Field& field : fields) {
    const Extraction cpu = testing::extract_on_cpu(source_of(field), Config{});
    EXPECT_GT(cpu.sources.size(), 1000);
    expected.push_back(bytes_of(cpu.sources));
  }
  {
    std::vector<std::jthread> workers;
    for (std::size_t worker = 0; worker < threads; ++worker) {
      workers.emplace_back([&, worker] {
        CudaExtractor own(0, Cpu{1});
        for (int image = 0; image < 5; ++image) {
          const Extraction cuda = own.extract(source_of(fields[worker]), Config{}, {});
          found[worker] = bytes_of(cuda.sources);
          if (found[worker] != expected[worker]) return;
        }
      });
    }
  }
  for (std::size_t worker = 0; worker < threads; ++worker) EXPECT_TRUE(found[worker] == expected[worker]) << worker;
}

TEST_F(Extractor, TellsOfEveryStageAndRecordsIt) {
  const Field sky = testing::star_field({500, 400}, 0, 1, 200, 7);
  std::vector<std::string> stages;
  StageRecord record;
  const Observer observer{[&](const char* stage, double seconds) {
                            EXPECT_GE(seconds, 0);
                            stages.push_back(stage);
                          },
                          &record};
  const std::int64_t sources = expect_same(sky, Config{}, observer);
  EXPECT_EQ(stages,
            (std::vector<std::string>{"ingest", "background", "subtract", "threshold", "label", "measure", "columns"}));
  using testing::values_of;
  EXPECT_EQ(values_of(record, "ingest", "pixel"), std::vector<double>(sky.pixels.begin(), sky.pixels.end()));
  EXPECT_EQ(values_of(record, "label", "components kept"), std::vector<double>{static_cast<double>(sources)});
  EXPECT_EQ(std::ssize(values_of(record, "measure", "npix")), sources);
  EXPECT_EQ(std::ssize(values_of(record, "columns", "NUMBER")), sources);
  EXPECT_EQ(values_of(record, "threshold", "row").size(), values_of(record, "label", "label").size());
}

#else

TEST(Extractor, IsTested) {
  GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif

}  // namespace
}  // namespace srcextract
