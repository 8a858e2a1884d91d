// Measurements in apertures: CPU and CUDA bodies on the same sources, to the last bit. Where no GPU is, the CPU stands
// against itself on another number of threads.
#include <algorithm>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "config/config.hpp"
#include "stages/measure/columns.hpp"
#include "stages/photometry/photometry.hpp"
#include "tests/parity/parity_support.hpp"
#include "tests/support/psf_tables.hpp"
#include "tests/support/star_profiles.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::Field;
using testing::same_bytes;
using testing::StageTest;

struct PhotometryResults {
  std::vector<std::int32_t> owners;
  Photometry<Cpu> families;

  template <class One>
  const auto& rows() const {
    return families.of<One>().rows;
  }
};

template <class Row>
bool same_rows(const Buffer<Row, Cpu>& one, const Buffer<Row, Cpu>& other) {
  return same_bytes(std::vector<Row>(one.begin(), one.end()), std::vector<Row>(other.begin(), other.end()));
}

/// Where variances are known, apertures leave the largest out.
Config everything(MaskNeighbours mask, Overlap overlap, bool leaves_out = false) {
  Config config;
  config.output.columns = {"all"};
  config.resources.has_star_profile = true;
  config.measurement.apertures = {5,  1,   23.7, 41, 8,  8, 12.5,
                                  30, 2.2, 17,   26, 35, 3, 10};  // which a core measures together
  config.measurement.mask = mask;
  config.measurement.overlap = overlap;
  config.measurement.flux_radius = {0.1, 0.5, 1};
  config.measurement.annulus = {3, 24.5};
  config.measurement.gain = 1.7;
  config.measurement.local_sky = 9;
  config.measurement.least_apertures = {14, 11};
  config.weights.scale_gain = true;
  testing::set_psf(
      testing::psf_table(27, 0.7, 3.1, {testing::moffat(1.9, 1.3, 0.4), testing::gaussian(2), testing::gaussian(1.5)}),
      config);
  if (!leaves_out) return config;
  config.weights.type = WeightType::variance;
  config.weights.threshold = 1.8;
  config.weights.beyond = BeyondThreshold::detect;
  return config;
}

/// The same field with the shallower half of its light, and noise of its own.
Field fainter(const Field& field) {
  Field other = field;
  for (std::size_t i = 0; i < other.pixels.size(); ++i)
    other.pixels[i] = 0.5F * other.pixels[i] + 0.125F * static_cast<float>(i * 37 % 101);
  return other;
}

/// What is found over a level, half of it where it is split off from nothing: as if it had been deblended. It is
/// measured in the field, or in another of its shape, which has the variances.
template <class Where>
PhotometryResults run_photometry(const Backend<Where>& backend, const Field& field, const Where& where,
                                 const Config& config, bool mapped, const Field* other = nullptr) {
  const Image<float, Where> image = testing::put_image(backend, field.shape, field.pixels);
  std::vector<float> variances(mapped ? field.pixels.size() : 0);
  for (std::size_t i = 0; i < variances.size(); ++i) variances[i] = 1.0F + 0.01F * static_cast<float>(i % 97);
  const Image<float, Where> variance =
      mapped ? testing::put_image(backend, field.shape, variances) : Image<float, Where>{};
  const Statistics sky = fetch(estimate_background(image, {}, where), where).clipped;
  const auto put_levels = [&](double detection, double background) {
    Levels known;
    known.detection = detection;
    known.background = background;
    known.sigma = sky.sigma;
    return backend.put_value(known);
  };
  const auto levels = put_levels(sky.median + 1.5 * sky.sigma, sky.median);
  DetectionConfig detection;
  detection.min_area = 3;
  const auto runs = find_runs(image, levels, where);
  const auto components = label_components(runs, detection, where);
  const auto sums = measure_sources(image, runs, components, levels, backend.put_value(MaskCounts{.nan = 1}), where);
  const std::int64_t count = fetch(components.counts, where).kept;
  std::vector<Parentage> parents;
  for (const SourceSums& s : testing::get_sums(backend, components, sums))
    parents.push_back({s.xmin + 0.25, s.ymin + 0.5, 1, static_cast<std::int32_t>(parents.size() % 2), 0});
  parents.resize(static_cast<std::size_t>(mapped ? 0 : std::max<std::int64_t>(sums.size(), 0)));
  const auto parentage = backend.put(parents);
  const auto owners = map_owners(runs, components, where);
  const Image<float, Where> elsewhere =
      other != nullptr ? testing::put_image(backend, other->shape, other->pixels) : Image<float, Where>{};
  const auto levels_there = put_levels(0.7 * sky.median + 2 * sky.sigma, 0.5 * sky.median);
  const Image<float, Where> alike;
  const FoundImage<Where> found_in{image, alike, levels, config.weights};
  auto star = testing::gaussian_stars(backend, field.shape, 1.4, 1.3, 0.1);
  star.frames = {testing::put_image(backend, field.shape, field.pixels),
                 testing::put_image(backend, field.shape, std::vector<float>(field.pixels.size(), 0.7F)),
                 testing::put_image(backend, field.shape, std::vector<float>(field.pixels.size(), 0.4F))};
  PhotometryInput<Where> input{image, variance, levels, runs, components, sums, parentage};
  PhotometryInput<Where> input_there{elsewhere, variance,  levels_there, runs,     components,
                                     sums,      parentage, nullptr,      &found_in};
  input.star = input_there.star = star.view();
  input.kernel_rows = mapped ? 3 : 0;
  std::vector<Absorbed> given;
  for (const Run& run : backend.get(runs.runs, testing::count_runs(backend, runs)))
    given.push_back(given.size() % 7 == 3   ? free_from(run.y + 5)
                    : given.size() % 7 == 5 ? Absorbed::hidden
                                            : Absorbed::no);
  const auto absorbed = backend.put(given);
  if (!mapped) input.absorbed = &absorbed;
  const testing::HandedPsf<Where> psf(backend, config);
  input.numbers = input_there.numbers = psf.numbers;
  const Photometry<Where> measured = measure_photometry(other != nullptr ? input_there : input, config, where);
  PhotometryResults results{backend.get(owners.pixels), {}};
  for_each_family([&]<class One>() {
    const auto& from = measured.template of<One>();
    const std::vector<typename One::Row> rows = backend.get(from.rows, count * from.each);
    auto& to = results.families.template of<One>();
    to = {Buffer<typename One::Row, Cpu>(std::ssize(rows), Cpu{}), from.each};
    std::ranges::copy(rows, to.rows.begin());
  });
  return results;
}

/// Where the CPU stands against itself, threads alone can differ: a quarter of the fields does.
template <class Where>
constexpr bool few = testing::sanitized || std::is_same_v<Where, Cpu>;

template <class Where>
class PhotometryParity : public StageTest<Where> {};
TYPED_TEST_SUITE(PhotometryParity, Backends);

void expect_same(const PhotometryResults& other, const PhotometryResults& one, const std::string& name) {
  EXPECT_TRUE(same_bytes(other.owners, one.owners)) << name << ": owners";
  for_each_family([&]<class One>() {
    EXPECT_GT(one.families.of<One>().each, 0) << One::name;
    EXPECT_TRUE(same_rows(other.rows<One>(), one.rows<One>())) << name << ": " << One::name;
  });
}

TYPED_TEST(PhotometryParity, EveryValueEqualsOneThreadToTheLastBit) {
  constexpr MaskNeighbours masks[] = {MaskNeighbours::correct, MaskNeighbours::blank, MaskNeighbours::none};
  std::size_t sources = 0, turn = 0;
  for (const Field& field : testing::parity_fields(300)) {
    for (const bool mapped : {false, true}) {
      if (few<TypeParam> && turn % 4 != (mapped ? 2U : 0U)) continue;
      const Config config = everything(mapped ? MaskNeighbours::correct : masks[turn % std::size(masks)],
                                       turn % 2 == 0 ? Overlap::sub_pixels : Overlap::exact, mapped && turn % 3 == 0);
      const PhotometryResults one = run_photometry(Backend<Cpu>(), field, Cpu{1}, config, mapped);
      const PhotometryResults other = run_photometry(this->backend(), field, this->where(), config, mapped);
      expect_same(other, one, field.name);
      sources += static_cast<std::size_t>(one.rows<KronFamily>().size());
    }
    ++turn;
  }
  EXPECT_GT(sources, few<TypeParam> ? 250U : 2500U);
}

/// Where a file tells the PSF, which a difference does not use.
TYPED_TEST(PhotometryParity, FitsOfThePsfOfAFileEqualOneThreadToTheLastBit) {
  std::size_t turn = 0;
  std::int64_t fitted = 0;
  for (const Field& field : testing::parity_fields(300)) {
    const bool mapped = turn++ % 2 == 0;
    if (few<TypeParam> && turn % 4 != 0) continue;
    Config config =
        everything(turn % 3 == 0 ? MaskNeighbours::none : MaskNeighbours::correct, Overlap::sub_pixels, mapped);
    config.resources.has_star_profile = false;
    config.resources.saturation = turn % 2 == 0 ? 1e4 : 0;
    config.psf.weights = turn % 3 == 0 ? PsfWeights::sky : turn % 3 == 1 ? PsfWeights::data : PsfWeights::model;
    const PhotometryResults one = run_photometry(Backend<Cpu>(), field, Cpu{1}, config, mapped);
    const PhotometryResults other = run_photometry(this->backend(), field, this->where(), config, mapped);
    EXPECT_TRUE(same_rows(other.rows<StarFamily>(), one.rows<StarFamily>())) << field.name;
    EXPECT_TRUE(same_rows(other.rows<SpreadFamily>(), one.rows<SpreadFamily>())) << field.name;
    fitted += std::ranges::count_if(one.rows<StarFamily>(), [](const StarLight& star) { return star.flux > 0; });
  }
  EXPECT_GT(fitted, few<TypeParam> ? 100 : 1000);
}

/// And what looks at both images is not as in either.
TYPED_TEST(PhotometryParity, WhatWasFoundElsewhereEqualsOneThreadToTheLastBit) {
  std::size_t turn = 0, others = 0;
  for (const Field& field : testing::parity_fields(300)) {
    const bool mapped = turn++ % 2 == 0;
    if (few<TypeParam> && turn % 4 != 0) continue;
    const Config config = everything(MaskNeighbours::correct, turn % 4 < 2 ? Overlap::sub_pixels : Overlap::exact);
    const Field there = fainter(field);
    const PhotometryResults one = run_photometry(Backend<Cpu>(), field, Cpu{1}, config, mapped, &there);
    expect_same(run_photometry(this->backend(), field, this->where(), config, mapped, &there), one, field.name);
    const PhotometryResults here = run_photometry(Backend<Cpu>(), field, Cpu{1}, config, mapped);
    others += same_rows(one.rows<KronFamily>(), here.rows<KronFamily>()) ||
                      same_rows(one.rows<CircleFamily>(), here.rows<CircleFamily>())
                  ? 0
                  : 1;
  }
  EXPECT_GT(others, few<TypeParam> ? 1U : 5U);
}

}  // namespace
}  // namespace srcextract
