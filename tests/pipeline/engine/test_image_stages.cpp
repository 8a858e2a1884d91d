// One CudaExtractor with every stage that an image may go through: what it makes is what the CPU makes.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tests/pipeline/engine/extractions.hpp"
#include "tests/support/gaps.hpp"

namespace srcextract {
namespace {

#if SRCEXTRACT_HAVE_CUDA

using testing::Field;
using testing::source_of;

class ImageStages : public testing::StageTest<Gpu> {
 protected:
  /// Extracts the exposure on both and returns the number of sources.
  std::int64_t expect_same(const Exposure& exposure, const Config& config, const std::string& name) {
    const Extraction cpu = testing::extract_on_cpu(exposure, config);
    testing::expect_same(extractor_.extract(exposure, config, {}), cpu, name);
    return cpu.sources.size();
  }

  CudaExtractor extractor_{0, Cpu{2}};
};

Config convolved() {
  Config config;
  config.convolve.kernel = KernelShape::gaussian;
  config.convolve.fwhm = 3;
  config.detection.threshold_unit = ThresholdUnit::detection_sigma;
  config.output.quicklook = config.output.segmentation = true;
  return config;
}

Exposure difference_of(const Field& reference, const Field& fresh, std::shared_ptr<const PixelMap> map = nullptr) {
  auto frame = std::make_shared<ReferenceFrame>();
  frame->planes = {source_of(reference)};
  frame->map = std::move(map);
  return {{source_of(fresh)}, frame};
}

TEST_F(ImageStages, FollowTheConfigurationFromImageToImage) {
  const Field sky = testing::star_field({700, 513}, 1000, 12, 400, 4);
  const Exposure one(source_of(sky));
  Config cleaned = convolved();
  cleaned.morphology.operation = MorphologicalOperation::opening;
  Config hat = convolved();
  hat.convolve = {};
  hat.convolve.kernel = KernelShape::mexican_hat;
  hat.convolve.sigma = 2;
  hat.convolve.edges = Edges::reflect;
  for (int round = 0; round < 2; ++round) {
    EXPECT_GT(expect_same(one, Config{}, "plain"), 100);
    EXPECT_GT(expect_same(one, convolved(), "gaussian"), 100);
    EXPECT_GT(expect_same(one, cleaned, "opened"), 100);
    EXPECT_GT(expect_same(one, hat, "mexican hat"), 100);
  }
}

TEST_F(ImageStages, CombineHostileFields) {
  Config config = convolved();
  for (const Field& field : testing::hostile_fields()) {
    if (field.shape.width < 33 || field.shape.height < 33) continue;
    const Field sky = testing::star_field(field.shape, 0, 1, 200, 3);
    for (const auto method : {CombineMethod::mean, CombineMethod::chi_square, CombineMethod::median}) {
      config.combine.method = method;
      config.detection.threshold_unit = ThresholdUnit::absolute;
      config.detection.threshold = 2;
      expect_same({{source_of(field), source_of(sky), source_of(sky)}, nullptr}, config, field.name);
    }
  }
}

TEST_F(ImageStages, LookForWhatIsFainterToo) {
  Field sky = testing::star_field({700, 513}, 1000, 12, 400, 4);
  for (std::size_t i = 0; i < sky.pixels.size(); ++i)
    if (i / 700 % 40 < 6 && i % 700 % 50 < 7) sky.pixels[i] -= 300;
  Config config = convolved();
  config.output.check_images = {CheckImage::minus_background, CheckImage::objects};
  for (const DetectionSign sign : {DetectionSign::both, DetectionSign::negative, DetectionSign::positive}) {
    config.detection.sign = sign;
    for (const BackgroundMethod method : {BackgroundMethod::mesh, BackgroundMethod::constant}) {
      config.background.method = method;
      EXPECT_GT(expect_same(source_of(sky), config, "sign"), 50);
    }
  }
}

TEST_F(ImageStages, KeepWhatHasASeed) {
  const Field sky = testing::star_field({700, 513}, 1000, 12, 400, 4);
  Config config;
  config.output.segmentation = true;
  config.detection.threshold = 2;
  config.detection.seed = 5;
  const std::int64_t of_one = expect_same(source_of(sky), config, "seeds");
  EXPECT_GT(of_one, 50);
  config.background.method = BackgroundMethod::constant;
  EXPECT_GT(expect_same(source_of(sky), config, "seeds, one sky"), 50);
  config.morphology.operation = MorphologicalOperation::opening;
  EXPECT_GT(expect_same(source_of(sky), config, "seeds, opened"), 50);
  config.morphology = {};
  config.convolve = convolved().convolve;
  config.detection.threshold_unit = ThresholdUnit::detection_sigma;
  EXPECT_GT(expect_same(source_of(sky), config, "seeds, convolved"), 50);
  config.detection = {};
  config.detection.threshold_unit = ThresholdUnit::mag_per_arcsec2;
  config.measurement.zero_point = 25;
  config.measurement.pixel_scale = 0.5;
  config.detection.threshold = 20;
  config.detection.seed = 19;
  EXPECT_GT(expect_same(source_of(sky), config, "seeds by surface brightness"), 50);
}

/// More runs of seeds than there is room for, in few runs of what they seed.
TEST_F(ImageStages, MakeRoomForSeeds) {
  Config config = testing::above(0.5);
  config.background.method = BackgroundMethod::constant;
  config.detection.seed = 1.5;
  const Field empty{"empty", {900, 700}, std::vector<float>(900 * 700, 0.25F)};
  expect_same(source_of(empty), config, "empty");
  Field full{"full", {900, 700}, {}};
  for (std::int64_t i = 0; i < full.shape.count(); ++i) full.pixels.push_back(i % 2 == 0 ? 1.0F : 2.0F);
  EXPECT_EQ(expect_same(source_of(full), config, "full"), 1);
}

/// More runs above the threshold than there is room for, of which the opening leaves few.
TEST_F(ImageStages, MakeRoomForWhatIsCleanedAway) {
  Config config = testing::above(0.5);
  config.morphology.operation = MorphologicalOperation::opening;
  const Field empty{"empty", {900, 700}, std::vector<float>(900 * 700, 0.25F)};
  expect_same(source_of(empty), config, "empty");
  const Field crowded = testing::random_mask({900, 700}, 0.45, 3);
  EXPECT_GT(expect_same(source_of(crowded), config, "crowded"), 1000);
}

TEST_F(ImageStages, TellTouchingSourcesApart) {
  const Field sky = testing::star_field({700, 513}, 1000, 12, 120, 4);
  Config config;
  config.output.segmentation = true;
  config.detection.threshold = 1.5;
  const std::int64_t islands = expect_same(source_of(sky), config, "islands");
  config.deblend = {DeblendMethod::tree, 32, 0.005};
  EXPECT_GT(expect_same(source_of(sky), config, "deblended"), islands);
  config.background.method = BackgroundMethod::constant;
  EXPECT_GT(expect_same(source_of(sky), config, "deblended, one sky"), islands);
  config.convolve = convolved().convolve;
  EXPECT_GT(expect_same(source_of(sky), config, "deblended, convolved"), 50);
  config.detection.seed = 3;
  config.detection.analysis_threshold = 2;
  EXPECT_GT(expect_same(source_of(sky), config, "deblended, with seeds"), 50);
  EXPECT_GT(expect_same(source_of(sky), Config{}, "islands again"), 50);
}

/// One island of few runs, and more peaks than there is room for sources.
TEST_F(ImageStages, MakeRoomForWhatIsDivided) {
  Config config = testing::above(0.5);
  config.background.method = BackgroundMethod::constant;
  config.given_sky.level = "0";
  config.given_sky.rms = "1";
  config.deblend = {DeblendMethod::tree, 32, 0};
  const Field empty{"empty", {900, 700}, std::vector<float>(900 * 700, 0.25F)};
  expect_same(source_of(empty), config, "empty");
  Field lattice{"lattice", {900, 700}, {}};
  for (std::int64_t y = 0; y < 700; ++y)
    for (std::int64_t x = 0; x < 900; ++x) lattice.pixels.push_back(x % 4 == 2 && y % 4 == 2 ? 40.0F : 1.25F);
  EXPECT_EQ(expect_same(source_of(lattice), config, "lattice"), 900 / 4 * (700 / 4));
}

TEST_F(ImageStages, SubtractFramesOfOneFieldAlignedOrNot) {
  const Shape shape{600, 411};
  const Field reference = testing::star_field(shape, 1000, 12, 400, 4);
  Field fresh = testing::star_field(shape, 1100, 13, 400, 4);
  for (std::int64_t k = 0; k < 20; ++k) {
    const auto at = static_cast<std::size_t>((15 * k + 40) * shape.width + 25 * k + 60);
    for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, static_cast<std::size_t>(shape.width)})
      fresh.pixels[at + offset] += k % 2 == 0 ? 3000.0F : -3000.0F;
  }
  auto map = std::make_shared<PixelMap>(shape);
  for (std::int64_t row = 0; row < map->nodes.height; ++row) {
    for (std::int64_t column = 0; column < map->nodes.width; ++column) {
      map->x.push_back(static_cast<double>(column * PixelMap::step) + 0.3);
      map->y.push_back(static_cast<double>(row * PixelMap::step) * 0.999 - 0.2);
    }
  }
  Config config;
  config.output.quicklook = config.output.segmentation = true;
  config.detection.min_area = 1;
  config.difference.kernel = MatchingKernel::gaussian;
  for (const double gain : {0.0, 2.0}) {
    config.measurement.gain = gain;
    for (const double fwhm : {0.0, 3.0}) {
      config.difference.reference_fwhm = fwhm;
      config.difference.new_fwhm = fwhm * 1.3;
      EXPECT_GE(expect_same(difference_of(reference, fresh), config, "as they are"), 20);
      EXPECT_GE(expect_same(difference_of(reference, fresh, map), config, "aligned"), 20);
    }
  }
  EXPECT_GT(expect_same(source_of(fresh), Config{}, "an image after differences"), 50);
}

/// Also where there are more sources than there is room for at first, and none.
TEST_F(ImageStages, MeasureLightInApertures) {
  Config config = convolved();
  config.output.columns = {"all"};
  config.measurement.apertures = {3, 8.5, 40};
  config.measurement.gain = 2;
  const Field sky = testing::star_field({700, 513}, 1000, 12, 400, 4);
  for (const MaskNeighbours mask : {MaskNeighbours::correct, MaskNeighbours::blank, MaskNeighbours::none}) {
    config.measurement.mask = mask;
    config.detection.sign = mask == MaskNeighbours::blank ? DetectionSign::both : DetectionSign::positive;
    EXPECT_GT(expect_same(source_of(sky), config, "apertures"), 50);
  }
  config.output.columns = {"NUMBER", "MAG_ISO", "KRON_RADIUS"};
  EXPECT_GT(expect_same(source_of(sky), config, "ellipses alone"), 50);
  Config crowd = testing::above(0.5);
  crowd.output.columns = {"default", "photometry"};
  const Field empty{"empty", {900, 700}, std::vector<float>(900 * 700, 0.25F)};
  expect_same(source_of(empty), crowd, "empty");
  const Field crowded = testing::random_mask({900, 700}, 0.2, 3);
  EXPECT_GT(expect_same(source_of(crowded), crowd, "crowded"), 10'000);
}

/// A star field in which every pixel has a quarter of each of four.
Field resampled_field(const Shape& shape, double mean, unsigned seed) {
  const Field sharp = testing::star_field(shape, mean, 24, 900, seed);
  Field field = sharp;
  const auto width = static_cast<std::size_t>(shape.width);
  for (std::size_t i = 0; i + width + 1 < field.pixels.size(); ++i)
    field.pixels[i] =
        (sharp.pixels[i] + sharp.pixels[i + 1] + sharp.pixels[i + width] + sharp.pixels[i + width + 1]) / 4;
  return field;
}

/// By the mesh, by one sky, by maps with and without gaps, of both signs, and of a difference with photon noise.
TEST_F(ImageStages, TakeTheNoiseOfSumsFromEmptyApertures) {
  const Shape shape{700, 513};
  const Field sky = resampled_field(shape, 1000, 4), reference = resampled_field(shape, 900, 5);
  const Field map{"map", shape, testing::gaps(shape, 0, 5).variances};
  Config config;
  config.output.columns = {"all"};
  config.measurement.noise = NoiseOfSums::apertures;
  config.measurement.gain = 2;
  config.difference.kernel = MatchingKernel::gaussian;
  for (const BackgroundMethod method : {BackgroundMethod::mesh, BackgroundMethod::constant}) {
    config.background.method = method;
    for (const DetectionSign sign : {DetectionSign::positive, DetectionSign::both}) {
      config.detection.sign = sign;
      EXPECT_GT(expect_same(source_of(sky), config, "noise of apertures"), 50);
      const auto noise = extractor_.extract(source_of(sky), config, {}).aperture_noise;
      ASSERT_TRUE(noise && noise->measured);
      EXPECT_GT(noise->law.factor(100), 1.5);
    }
    config.detection.sign = DetectionSign::positive;
    expect_same(difference_of(reference, sky), config, "noise of apertures in a difference");
    Exposure mapped(source_of(sky));
    mapped.weights = source_of(map);
    for (const Interpolate what : {Interpolate::none, Interpolate::all}) {
      Config weighted = config;
      weighted.weights.type = WeightType::variance;
      weighted.weights.interpolate = what;
      weighted.output.check_images = {CheckImage::minus_background};
      expect_same(mapped, weighted, "noise of apertures with a map");
    }
  }
  EXPECT_GT(expect_same(source_of(sky), Config{}, "an image after it"), 50);
}

TEST_F(ImageStages, RecordTheNoiseOfEmptyApertures) {
  const Field sky = resampled_field({400, 300}, 1000, 6);
  Config config;
  config.measurement.noise = NoiseOfSums::apertures;
  StageRecord cpu, cuda;
  Observer of_cpu, of_cuda;
  of_cpu.record = &cpu;
  of_cuda.record = &cuda;
  extract_on_host(source_of(sky), config, Cpu{2}, of_cpu);
  extractor_.extract(source_of(sky), config, of_cuda);
  const auto stage_of = [](const StageRecord& record) {
    const auto found = std::ranges::find(record, "aperture noise", &StageResult::stage);
    return found == record.end() ? StageResult{} : *found;
  };
  const StageResult ours = stage_of(cpu), theirs = stage_of(cuda);
  ASSERT_EQ(ours.fields.size(), 3U + 2 * 7);
  ASSERT_EQ(theirs.fields.size(), ours.fields.size());
  for (std::size_t i = 0; i < ours.fields.size(); ++i) {
    EXPECT_EQ(theirs.fields[i].name, ours.fields[i].name);
    EXPECT_EQ(theirs.fields[i].values, ours.fields[i].values) << ours.fields[i].name;
  }
}

/// Each kind of interpolation after each, so that what an image kept is not taken for what another has.
TEST_F(ImageStages, InterpolateWhatMapsOfWeightsCallBad) {
  const Shape shape{700, 513};
  const Field sky = testing::star_field(shape, 1000, 12, 400, 9);
  std::int64_t sources = 0;
  for (const int kind : {0, 2, 3, 4}) {
    const Field map{"map", shape, testing::gaps(shape, kind, 5).variances};
    Exposure exposure(source_of(sky));
    exposure.weights = source_of(map);
    for (const auto method : {BackgroundMethod::mesh, BackgroundMethod::constant}) {
      for (const auto what : {Interpolate::all, Interpolate::none, Interpolate::variance}) {
        Config config = what == Interpolate::none ? Config{} : convolved();
        config.background.method = method;
        config.weights.type = WeightType::variance;
        config.weights.interpolate = what;
        config.weights.convolve = kind != 3;
        config.output.check_images = {CheckImage::minus_background};
        sources += expect_same(exposure, config, "gaps of kind " + std::to_string(kind));
        const Extraction cpu = testing::extract_on_cpu(exposure, config);
        const Extraction cuda = extractor_.extract(exposure, config, {});
        EXPECT_TRUE(testing::same_bytes(cuda.check.above.pixels, cpu.check.above.pixels));
      }
    }
  }
  EXPECT_GT(sources, 2000);
}

#endif

}  // namespace
}  // namespace srcextract
