// Sources that a device found in one image and measures in others, and light at given places: what the CPU makes.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/chain/found_elsewhere.hpp"
#include "pipeline/chain/measure_positions.hpp"
#include "tests/pipeline/engine/extractions.hpp"
#include "tests/support/gaps.hpp"
#include "tests/support/stage_records.hpp"

namespace srcextract {
namespace {

#if SRCEXTRACT_HAVE_CUDA

using testing::Field;
using testing::source_of;

constexpr Shape shape{700, 513};

class FoundElsewhereOnDevice : public testing::StageTest<Gpu> {
 protected:
  /// Finds sources in one image and measures them in each of the others, by both back ends: the same bytes, and the
  /// same of every stage. Returns how many there are.
  std::int64_t expect_same(const DetectionImage& image, const std::vector<Exposure>& others, const Config& config,
                           const std::string& name) {
    StageRecord of_cpu, of_cuda;
    const auto found = find_on_host(image, Cpu{2}, {nullptr, &of_cpu});
    const auto found_there = extractor_.find(image, {nullptr, &of_cuda});
    expect_same_stages(of_cpu, of_cuda, name + ", found");
    std::int64_t sources = 0;
    for (const Exposure& other : others) {
      StageRecord cpu_record, cuda_record;
      const Extraction cpu = extract_on_host(other, config, Cpu{2}, {nullptr, &cpu_record}, &found);
      const Extraction cuda = extractor_.extract(other, config, {nullptr, &cuda_record}, found_there.get());
      testing::expect_same(cuda, cpu, name);
      expect_same_stages(cpu_record, cuda_record, name);
      EXPECT_EQ(cuda.found_in.has_value(), true) << name;
      EXPECT_EQ(cuda.found_in->background, cpu.found_in->background) << name;
      EXPECT_TRUE(testing::same_bytes(cuda.check.above.pixels, cpu.check.above.pixels)) << name;
      EXPECT_TRUE(testing::same_bytes(cuda.check.filtered.pixels, cpu.check.filtered.pixels)) << name;
      sources = cpu.sources.size();
    }
    return sources;
  }

  std::int64_t expect_same(const DetectionImage& image, const Exposure& other, const std::string& name) {
    return expect_same(image, std::vector<Exposure>{other}, image.config, name);
  }

  static void expect_same_stages(const StageRecord& cpu, const StageRecord& cuda, const std::string& name) {
    EXPECT_GT(cpu.size(), 3U) << name;
    EXPECT_TRUE(testing::same_stages(cuda, cpu)) << name;
  }

  CudaExtractor extractor_{0, Cpu{2}};
  const Field found_ = testing::star_field(shape, 1000, 12, 120, 4);
  const Field measured_ = testing::star_field(shape, 300, 20, 150, 4);
};

/// What deblends, cleans, and has every column.
Config everything() {
  Config config;
  config.output.segmentation = true;
  config.detection.threshold = 1.5;
  config.convolve.kernel = KernelShape::gaussian;
  config.convolve.fwhm = 3;
  config.deblend = {DeblendMethod::tree, 32, 0.005};
  config.deblend.clean = true;
  config.output.columns = {"all"};
  config.measurement.apertures = {3, 8.5, 40};
  config.measurement.annulus = {3, 24.5};
  config.measurement.gain = 2;
  return config;
}

Field with_gaps(Field field, unsigned seed) {
  const auto holes = testing::gaps(field.shape, 0, seed);
  for (std::size_t i = 0; i < field.pixels.size(); ++i)
    if (holes.variances[i] != holes.variances[i]) field.pixels[i] = testing::nan;
  return field;
}

TEST_F(FoundElsewhereOnDevice, OnEverySky) {
  for (const auto method : {BackgroundMethod::mesh, BackgroundMethod::constant}) {
    Config config;
    config.background.method = method;
    config.output.quicklook = true;
    EXPECT_GT(expect_same({source_of(found_), config}, source_of(measured_), "plain"), 50);
    config = everything();
    config.background.method = method;
    for (const auto unit : {ThresholdUnit::sigma, ThresholdUnit::detection_sigma}) {
      config.detection.threshold_unit = unit;
      config.detection.analysis_threshold = unit == ThresholdUnit::sigma ? 2.5 : 0;
      EXPECT_GT(expect_same({source_of(found_), config}, source_of(measured_), "everything"), 100);
    }
  }
}

TEST_F(FoundElsewhereOnDevice, WithMaskedPixelsInEither) {
  const Field found = with_gaps(found_, 1), measured = with_gaps(measured_, 2);
  for (const MaskNeighbours mask : {MaskNeighbours::correct, MaskNeighbours::blank, MaskNeighbours::none}) {
    Config config = everything();
    config.measurement.mask = mask;
    config.detection.min_area = 3;
    EXPECT_GT(expect_same({source_of(found), config}, source_of(measured_), "found among gaps"), 100);
    EXPECT_GT(expect_same({source_of(found_), config}, source_of(measured), "measured among gaps"), 100);
    EXPECT_GT(expect_same({source_of(found), config}, source_of(measured), "gaps in both"), 100);
  }
}

TEST_F(FoundElsewhereOnDevice, WithMapsOfWeights) {
  for (const auto type : {WeightType::rms, WeightType::weight}) {
    const int kind = type == WeightType::rms ? 0 : 4;
    const Field map{"map", shape, testing::gaps(shape, kind, 5).variances};
    for (const auto method : {BackgroundMethod::mesh, BackgroundMethod::constant}) {
      for (const auto what : {Interpolate::none, Interpolate::variance, Interpolate::all}) {
        Config config = everything();
        config.background.method = method;
        config.weights.type = type;
        config.weights.interpolate = what;
        config.output.check_images = {CheckImage::minus_background, CheckImage::filtered};
        Exposure found(source_of(found_)), measured(source_of(measured_));
        found.weights = measured.weights = source_of(map);
        EXPECT_GT(expect_same({found, config}, measured, "weights of both"), 20);
        Config plain = config;
        plain.weights = {};
        EXPECT_GT(expect_same({source_of(found_), plain}, {measured}, config, "weights of what is measured"), 20);
      }
    }
  }
}

TEST_F(FoundElsewhereOnDevice, WithEveryWayToFind) {
  Config config = everything();
  config.detection.seed = 3;
  config.morphology.operation = MorphologicalOperation::opening;
  EXPECT_GT(expect_same({source_of(found_), config}, source_of(measured_), "seeds, opened"), 50);
  config = everything();
  config.convolve.filter = Filter::matched;
  config.detection.false_discovery_rate = 0.05;
  EXPECT_GT(expect_same({source_of(found_), config}, source_of(measured_), "matched, by a rate"), 50);
  config.detection.false_discovery_rate = 0;
  EXPECT_GT(expect_same({source_of(found_), config}, source_of(measured_), "matched, deblended, cleaned"), 50);
  config = everything();
  config.weights.type = WeightType::none;
  EXPECT_GT(expect_same({source_of(found_), config}, source_of(measured_), "one noise on a mesh"), 50);
}

/// Each of them, one of which is the image in which they were found, as the CPU has it; and again, for what was found
/// is still there, also after images of their own.
TEST_F(FoundElsewhereOnDevice, InSeveralBands) {
  const Config config = everything();
  const Field third = with_gaps(testing::star_field(shape, 50, 3, 150, 4), 3);
  const std::vector<Exposure> bands = {source_of(measured_), source_of(found_), source_of(third), source_of(measured_)};
  for (int round = 0; round < 2; ++round) {
    EXPECT_GT(expect_same({source_of(found_), config}, bands, config, "bands"), 100);
    testing::expect_same(extractor_.extract(source_of(third), config, {}),
                         testing::extract_on_cpu(source_of(third), config), "by itself");
  }
}

/// More runs, sources and pixels above the analysis threshold than there is room for at first; and none.
TEST_F(FoundElsewhereOnDevice, MakesRoom) {
  Config config = testing::above(0.5);
  config.background.method = BackgroundMethod::constant;
  config.output.columns = {"default", "photometry"};
  const Shape large{900, 700};
  const Field empty{"empty", large, std::vector<float>(900 * 700, 0.25F)};
  const Field crowded = testing::random_mask(large, 0.2, 3), other = testing::random_mask(large, 0.4, 4);
  EXPECT_GT(expect_same({source_of(crowded), config}, source_of(other), "crowded"), 10'000);
  EXPECT_EQ(expect_same({source_of(empty), config}, source_of(other), "nothing"), 0);
  config.detection.analysis_threshold = 0.75;
  EXPECT_EQ(expect_same({source_of(empty), config}, source_of(other), "nothing, analysed"), 0);
  Field few = empty;
  few.pixels[345'678] = 3;
  EXPECT_EQ(expect_same({source_of(few), config}, source_of(crowded), "one, analysed among many"), 1);
}

TEST_F(FoundElsewhereOnDevice, SaysWhatTheCpuSaysOfImagesWithoutASky) {
  const Field masked{"masked", shape, std::vector<float>(static_cast<std::size_t>(shape.count()), testing::nan)};
  const Config config;
  const auto reason = [](const auto& work) -> std::string {
    try {
      work();
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.what();
    }
  };
  const DetectionImage no_sky{source_of(masked), config}, good{source_of(found_), config};
  const std::string why = reason([&] { find_on_host(no_sky, Cpu{2}); });
  EXPECT_NE(why.find("the detection image: every pixel is masked"), std::string::npos) << why;
  EXPECT_EQ(reason([&] { extractor_.find(no_sky, {}); }), why);
  const auto found = find_on_host(good, Cpu{2});
  const auto found_there = extractor_.find(good, {});
  const std::string of_other = reason([&] { extract_on_host(source_of(masked), config, Cpu{2}, {}, &found); });
  EXPECT_NE(of_other.find("every pixel is masked"), std::string::npos) << of_other;
  EXPECT_EQ(reason([&] { extractor_.extract(source_of(masked), config, {}, found_there.get()); }), of_other);
  EXPECT_NE(reason([&] { extractor_.find({testing::unreadable(shape), config}, {}); }), "");
  EXPECT_GT(expect_same(good, source_of(measured_), "after failures"), 50);
}

TEST_F(FoundElsewhereOnDevice, LightAtGivenPlaces) {
  std::vector<ForcedPosition> places = {{-3, 5}, {testing::nan, 2}, {0, 0, 3, 2, 30}, {699, 512, 2, 2, 0, 2.5}};
  for (int i = 0; i < 300; ++i) {
    ForcedPosition at{i * 2.31, (i * 37 % 513) + 0.25};
    if (i % 3 != 0) at = {at.x, at.y, 1.5 + i % 5, 1.5, 7.0 * i, i % 2 == 0 ? 0.0 : 3.5};
    places.push_back(at);
  }
  const Field measured = with_gaps(measured_, 2);
  const Field map{"map", shape, testing::gaps(shape, 4, 5).variances};
  for (const bool ellipses : {false, true}) {
    const ForcedPositions positions{places, ellipses};
    for (const auto method : {BackgroundMethod::mesh, BackgroundMethod::constant}) {
      for (const bool weighed : {false, true}) {
        Config config;
        config.background.method = method;
        config.measurement.apertures = {3, 8.5, 40};
        config.output.quicklook = !weighed;
        config.output.check_images = {CheckImage::minus_background};
        config.weights.type = weighed ? WeightType::weight : WeightType::none;
        config.weights.interpolate = ellipses ? Interpolate::all : Interpolate::none;
        config = forced_config(std::move(config), ellipses);
        Exposure exposure(source_of(measured));
        if (weighed) exposure.weights = source_of(map);
        StageRecord of_cpu, of_cuda;
        const Extraction cpu = extract_on_host(exposure, config, Cpu{2}, {nullptr, &of_cpu}, nullptr, &positions);
        const Extraction cuda = extractor_.extract(exposure, config, {nullptr, &of_cuda}, nullptr, &positions);
        testing::expect_same(cuda, cpu, "places");
        expect_same_stages(of_cpu, of_cuda, "places");
        EXPECT_EQ(cpu.sources.size(), 304);
        EXPECT_TRUE(testing::same_bytes(cuda.check.above.pixels, cpu.check.above.pixels));
        testing::expect_same(extractor_.extract(exposure, config, {}, nullptr, &positions), cpu, "places, unrecorded");
      }
    }
  }
}

#endif

}  // namespace
}  // namespace srcextract
