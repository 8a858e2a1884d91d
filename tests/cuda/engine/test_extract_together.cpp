// Small images that share a launch: each is what it would be by itself, whatever its neighbours are.
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "tests/cuda/engine/extractions.hpp"

namespace srcextract {
namespace {

#if SRCEXTRACT_HAVE_CUDA

using testing::above;
using testing::Field;
using testing::source_of;

constexpr Shape small{64, 64};

/// As many different fields of stars, of mean 0 and sigma 1.
std::vector<Field> skies(std::int64_t count, const Shape& shape, unsigned seed = 1) {
  std::vector<Field> fields;
  for (unsigned i = 0; i < count; ++i) fields.push_back(testing::star_field(shape, 0, 1, 200, seed + i));
  return fields;
}

Field masked(const Shape& shape) {
  return {"masked", shape,
          std::vector<float>(static_cast<std::size_t>(shape.count()), std::numeric_limits<float>::quiet_NaN())};
}

std::vector<PixelSource> sources_of(const std::vector<Field>& fields) {
  std::vector<PixelSource> sources;
  for (const Field& field : fields) sources.push_back(source_of(field));
  return sources;
}

/// A field's values as a file may have them.
class StoredField {
 public:
  template <class T>
  static StoredField of(T, const Field& field, const PixelFormat& format) {
    StoredField stored{field.shape, format};
    for (const float value : field.pixels) stored.add(static_cast<T>(std::clamp(20 + 5 * value, 0.0F, 200.0F)));
    return stored;
  }

  PixelSource source() const {
    return {shape_, format_, [this](std::int64_t first, std::int64_t count, std::byte* out) {
              const auto bytes = static_cast<std::size_t>(format_.bytes());
              std::memcpy(out, bytes_.data() + static_cast<std::size_t>(first) * bytes,
                          static_cast<std::size_t>(count) * bytes);
            }};
  }

 private:
  StoredField(const Shape& shape, const PixelFormat& format) : shape_(shape), format_(format) {}

  template <class T>
  void add(T value) {
    std::byte bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    if (format_.big_endian) std::reverse(std::begin(bytes), std::end(bytes));
    bytes_.insert(bytes_.end(), std::begin(bytes), std::end(bytes));
  }

  Shape shape_;
  PixelFormat format_;
  std::vector<std::byte> bytes_;
};

std::string message_of(const std::exception_ptr& failure) {
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// That each is what the CPU makes of it, be it a failure.
void expect_all_as_on_cpu(CudaExtractor& extractor, const std::vector<PixelSource>& sources, const Config& config,
                          const std::string& name = "") {
  const std::vector<Extracted> cuda = extractor.extract_together(sources, config);
  ASSERT_EQ(cuda.size(), sources.size()) << name;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::string image = name + " image " + std::to_string(i);
    std::exception_ptr failure;
    Extraction cpu;
    try {
      cpu = testing::extract_on_cpu(sources[i], config);
    } catch (...) {
      failure = std::current_exception();
    }
    EXPECT_EQ(message_of(cuda[i].failure), message_of(failure)) << image;
    if (!failure && !cuda[i].failure) testing::expect_same(cuda[i].extraction, cpu, image);
  }
}

class ExtractTogether : public testing::StageTest<Gpu> {
 protected:
  void expect_as_on_cpu(const std::vector<PixelSource>& sources, const Config& config, const std::string& name = "") {
    expect_all_as_on_cpu(extractor_, sources, config, name);
  }

  CudaExtractor extractor_{0, Cpu{2}};
};

TEST_F(ExtractTogether, AnyNumberOfAnySmallShape) {
  for (const Shape& shape : {small, Shape{1, 1}, Shape{31, 33}, Shape{300, 200}, Shape{1, 4000}, Shape{512, 512}}) {
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{2}, images_in_a_launch(shape, Config{})}) {
      const std::vector<Field> fields = skies(count, shape);
      const std::string name = std::to_string(count) + " of " + std::to_string(shape.width);
      expect_as_on_cpu(sources_of(fields), Config{}, name);
      expect_as_on_cpu(sources_of(fields), above(3), name);
    }
  }
}

TEST_F(ExtractTogether, HardImagesAmongOthers) {
  for (const Field& hard : testing::hostile_fields()) {
    if (images_in_a_launch(hard.shape, Config{}) < 3) continue;
    const Field sky = testing::star_field(hard.shape, 0, 1, 200, 3);
    expect_as_on_cpu({source_of(hard), source_of(sky), source_of(hard)}, above(0.5), hard.name);
    expect_as_on_cpu({source_of(hard), source_of(sky), source_of(hard)}, Config{}, hard.name);
  }
}

TEST_F(ExtractTogether, SourcesThatNeedASeed) {
  Config config;
  config.output.segmentation = true;
  config.detection.threshold = 1;
  config.detection.seed = 3;
  for (const Shape& shape : {small, Shape{300, 200}})
    expect_as_on_cpu(sources_of(skies(images_in_a_launch(shape, config), shape)), config, "seeds");
  Config crowded = above(0.5);
  crowded.background.method = BackgroundMethod::constant;
  crowded.detection.seed = 1.5;
  const Field hard = testing::random_mask(small, 0.45, 3);
  Field seeds{"every other pixel", small, {}};
  for (std::int64_t i = 0; i < small.count(); ++i) seeds.pixels.push_back(i % 2 == 0 ? 1.0F : 2.0F);
  expect_as_on_cpu({source_of(hard), source_of(seeds), source_of(hard)}, crowded, "more seeds than there is room for");
}

TEST_F(ExtractTogether, EveryTypeOfPixelSideBySide) {
  const Field sky = testing::star_field(small, 0, 1, 100, 5);
  const std::vector<StoredField> stored{
      StoredField::of(std::uint8_t{}, sky, {.bitpix = 8, .bscale = 0.5, .bzero = -3, .blank = 21}),
      StoredField::of(std::int16_t{}, sky, {.bitpix = 16, .bzero = 32768}),
      StoredField::of(std::int16_t{}, sky, {.bitpix = 16, .blank = 20, .big_endian = false}),
      StoredField::of(std::int32_t{}, sky, {.bitpix = 32, .bscale = 1e-3}),
      StoredField::of(std::int64_t{}, sky, {.bitpix = 64}),
      StoredField::of(float{}, sky, {.bitpix = -32}),
      StoredField::of(float{}, sky, {.bitpix = -32, .bscale = 2, .big_endian = false}),
      StoredField::of(double{}, sky, {.bitpix = -64}),
      StoredField::of(double{}, sky, {.bitpix = -64, .bscale = 1e37, .big_endian = false})};  // beyond float32
  std::vector<PixelSource> sources;
  for (const StoredField& field : stored) sources.push_back(field.source());
  Config config;
  config.detection.threshold = 2;
  expect_as_on_cpu(sources, config);
  std::reverse(sources.begin(), sources.end());
  expect_as_on_cpu(sources, config);
}

TEST_F(ExtractTogether, OneThatCannotBeReadFailsAlone) {
  const std::vector<Field> fields = skies(3, small);
  std::vector<PixelSource> sources = sources_of(fields);
  for (std::size_t i = 0; i <= fields.size(); ++i) {
    std::vector<PixelSource> with_one = sources;
    with_one.insert(with_one.begin() + static_cast<std::ptrdiff_t>(i), testing::unreadable(small));
    expect_as_on_cpu(with_one, Config{});
    const std::vector<Extracted> done = extractor_.extract_together(with_one, Config{});
    EXPECT_EQ(message_of(done[i].failure), "the disk is gone");
    EXPECT_EQ(std::count_if(done.begin(), done.end(), [](const Extracted& image) { return image.failure; }), 1);
  }
}

TEST_F(ExtractTogether, OneWithoutBackgroundFailsAlone) {
  std::vector<Field> fields = skies(4, small);
  fields[2] = masked(small);
  const std::vector<Extracted> done = extractor_.extract_together(sources_of(fields), Config{});
  for (std::size_t i = 0; i < fields.size(); ++i) EXPECT_EQ(done[i].failure != nullptr, i == 2) << i;
  expect_as_on_cpu(sources_of(fields), Config{});
}

TEST_F(ExtractTogether, MakesRoomForACrowdedOne) {
  std::vector<Field> fields = skies(5, small);
  expect_as_on_cpu(sources_of(fields), above(0.5));
  fields[3] = testing::random_mask(small, 0.5, 9);
  expect_as_on_cpu(sources_of(fields), above(0.5), "half");
  for (std::size_t i = 0; i < small.width * small.height; ++i) {
    fields[1].pixels[i] = (i + i / 64) % 2 == 0 ? 1.0F : 0.0F;  // 2048 sources
  }
  expect_as_on_cpu(sources_of(fields), above(0.5), "checkerboard");
  expect_as_on_cpu(sources_of(skies(5, small)), Config{});
}

TEST_F(ExtractTogether, GroupAfterGroup) {
  const std::vector<Field> first = skies(9, small), second = skies(9, {80, 50});
  for (const std::size_t count : {5, 2, 9, 1, 3}) {
    for (const std::vector<Field>* fields : {&first, &first, &second}) {
      const std::vector<Field> group(fields->end() - static_cast<std::ptrdiff_t>(count), fields->end());
      Config deeper;
      deeper.detection.threshold = 2;
      expect_as_on_cpu(sources_of(group), Config{});
      expect_as_on_cpu(sources_of(group), deeper);
    }
    const Field large = testing::star_field({700, 600}, 0, 1, 300, 8);
    testing::expect_same(extractor_.extract(source_of(large), Config{}, {}),
                         testing::extract_on_cpu(source_of(large), Config{}), "a large one between");
  }
  EXPECT_TRUE(extractor_.extract_together({}, Config{}).empty());
}

TEST_F(ExtractTogether, TellsWhatEachCost) {
  const std::vector<Field> fields = skies(3, small);
  for (const Extracted& image : extractor_.extract_together(sources_of(fields), Config{})) {
    std::vector<std::string> stages;
    for (const auto& [stage, seconds] : image.times) {
      stages.push_back(stage);
      EXPECT_GE(seconds, 0);
    }
    EXPECT_THAT(stages, ::testing::ElementsAre("ingest", "detect", "columns"));
  }
}

TEST_F(ExtractTogether, RefusesWhatCannotShareALaunch) {
  const std::vector<Field> fields = skies(most_images_in_a_launch + 1, small);
  EXPECT_THROW(extractor_.extract_together(sources_of(fields), Config{}), Error);
  const Field other = testing::star_field({64, 63}, 0, 1, 200, 1);
  EXPECT_THROW(extractor_.extract_together(std::vector{source_of(fields[0]), source_of(other)}, Config{}), Error);
  expect_as_on_cpu({source_of(fields[0])}, Config{});
}

TEST_F(ExtractTogether, SeveralThreadsAtOnce) {
  constexpr int threads = 4;
  std::vector<std::jthread> workers;
  for (unsigned worker = 0; worker < threads; ++worker) {
    workers.emplace_back([worker] {
      CudaExtractor own(0, Cpu{1});
      const std::vector<Field> fields = skies(most_images_in_a_launch, small, 100 * worker);
      for (int group = 0; group < 5; ++group) expect_all_as_on_cpu(own, sources_of(fields), Config{});
    });
  }
}

#else

TEST(ExtractTogether, IsTested) {
  GTEST_SKIP() << "built without the CUDA toolkit";
}

#endif

}  // namespace
}  // namespace srcextract
