// What is above a level where a GPU's clip has left which quads are bright: the runs of the host, which reads all of
// the image, whatever the level.
#include <cmath>
#include <random>
#include <utility>

#include "stages/sky/background.hpp"
#include "tests/parity/parity_support.hpp"

#if SRCEXTRACT_HAVE_CUDA
namespace srcextract {
namespace {

using testing::Backend;
using testing::Field;
using testing::nan;
using testing::same_bytes;
using testing::StageTest;

/// Heights at which the last tile of a mask is full, or nearly empty, or all there is.
std::vector<Field> fields_of_widths() {
  std::vector<Field> fields;
  for (const std::int64_t width : {4, 36, 128, 384, 1024, 1028, 1031, 1056, 1152, 1190, 2048, 4072}) {
    for (const std::int64_t height : {1, 8, 131}) {
      fields.push_back(testing::star_field({width, height}, width % 3 == 0 ? 1000 : 0, 10, 500, 7));
      fields.back().name += " of " + std::to_string(width) + " x " + std::to_string(height);
    }
  }
  return fields;
}

template <class Make>
Field filled_by(const std::string& name, const Shape& shape, const Make& make) {
  Field field{name, shape, {}};
  for (std::int64_t i = 0; i < shape.count(); ++i) field.pixels.push_back(make(i));
  return field;
}

/// Large enough for a sample that is not all of the image.
std::vector<Field> fields_that_mislead() {
  constexpr Shape shape{1024, 300};
  std::mt19937 random(11);
  std::normal_distribution<float> normal;
  std::cauchy_distribution<float> cauchy;
  std::vector<Field> fields = testing::hostile_fields();
  fields.push_back(filled_by("all masked", shape, [](auto) { return nan; }));
  fields.push_back(filled_by("every third masked", shape, [&](auto i) { return i % 3 == 0 ? nan : normal(random); }));
  fields.push_back(filled_by("one masked row", shape, [&](auto i) { return i / 1024 == 7 ? nan : normal(random); }));
  fields.push_back(filled_by("constant", shape, [](auto) { return 5.0F; }));
  fields.push_back(filled_by("constant but for few", shape, [](auto i) { return i % 9973 == 3 ? 6.0F : 5.0F; }));
  fields.push_back(filled_by("zero but for tiny ones", shape, [](auto i) { return i % 9973 == 3 ? 1e-42F : 0.0F; }));
  fields.push_back(filled_by("heavy tails", shape, [&](auto) { return cauchy(random); }));
  fields.push_back(filled_by("bright", shape, [&](auto) { return 1e9F + 1e4F * normal(random); }));
  fields.push_back(filled_by("negative", shape, [&](auto) { return -1e5F + normal(random); }));
  fields.push_back(filled_by("two skies", shape, [&](auto i) {
    const auto step = i / 150'000;
    return static_cast<float>(step) * 100.0F + normal(random);
  }));
  fields.push_back(filled_by("spread evenly", shape, [](auto i) { return static_cast<float>(i * 7919 % 100'003); }));
  return fields;
}

struct Found {
  Background background;
  std::vector<std::int64_t> row_begin;
  std::vector<Run> runs;
};

void expect_same(const Found& a, const Found& b, const std::string& name) {
  EXPECT_EQ(a.background, b.background) << name;
  EXPECT_TRUE(same_bytes(a.row_begin, b.row_begin)) << name << ": row_begin";
  EXPECT_TRUE(same_bytes(a.runs, b.runs)) << name << ": runs";
}

/// Levels of so many sigmas above zero, or above the sky.
std::vector<double> levels_of(const Background& background) {
  std::vector<double> levels;
  for (const double sigmas : {0.5, 1.5, 2.5, 2.6, 3.0, 5.0, 20.0})
    for (const double sky : {0.0, background.clipped.median}) levels.push_back(sky + sigmas * background.clipped.sigma);
  return levels;
}

template <class Where>
Image<float, Where> put(const Backend<Where>& backend, const Field& field) {
  return testing::put_image(backend, field.shape, field.pixels);
}

BrightQuads<Gpu> of_any_size() {
  BrightQuads<Gpu> bright;
  bright.least_pixels = 0;
  return bright;
}

template <class Where>
Found found(const Backend<Where>& backend, const Background& background, const Runs<Where>& runs) {
  return {background, backend.get(runs.row_begin), testing::get_runs(backend, runs)};
}

/// A level, and what was found at it without what is left of a look, by one thread.
using Wanted = std::vector<std::pair<double, Found>>;

Wanted found_by_one_thread(const Field& field, const BackgroundConfig& config) {
  const Backend<Cpu> host;
  const Image<float, Cpu> image = put(host, field);
  const Background background = *estimate_background(image, config, Cpu{1});
  Wanted wanted;
  for (const double level : levels_of(background))
    wanted.emplace_back(level, found(host, background, find_runs(image, testing::put_levels(host, level), Cpu{1})));
  return wanted;
}

class BrightParity : public StageTest<Gpu> {
 protected:
  /// Returns how many levels there were at which quads tell where to look.
  std::size_t expect_same_as_one_thread(const Field& field, const BackgroundConfig& config) {
    const Image<float, Gpu> image = put(backend(), field);
    BrightQuads<Gpu> bright = of_any_size();
    const Background background = fetch(estimate_background(image, config, where(), bright), where());
    expect_quads_above_limit(field, image, bright);
    std::size_t told = 0;
    for (const auto& [level, wanted] : found_by_one_thread(field, config)) {
      const auto levels = testing::put_levels(backend(), level);
      const std::string name = field.name + " above " + std::to_string(level);
      expect_same(found(backend(), background, find_runs(image, levels, bright, where())), wanted, name);
      if (tells(bright, level)) ++told;
    }
    return told;
  }

 private:
  bool tells(const BrightQuads<Gpu>& bright, double level) {
    return bright.of != nullptr && level >= static_cast<double>(fetch(bright.limit, where()));
  }

  /// Pixel by pixel.
  void expect_quads_above_limit(const Field& field, const Image<float, Gpu>& image, const BrightQuads<Gpu>& bright) {
    ASSERT_EQ(bright.of, image.pixels.data()) << field.name;
    const float limit = fetch(bright.limit, where());
    const std::vector<std::uint32_t> quads = backend().get(bright.quads);
    std::vector<std::uint32_t> wanted(quads.size());
    ASSERT_GE(wanted.size() * 128, field.pixels.size()) << field.name;
    for (std::size_t i = 0; i < field.pixels.size(); ++i) {
      if (field.pixels[i] > limit) wanted[i / 128] |= 1U << i / 4 % 32;
    }
    EXPECT_EQ(quads, wanted) << field.name;
  }
};

TEST_F(BrightParity, RunsAreThoseOfAllPixelsWhateverTheWidth) {
  std::size_t told = 0;
  const std::vector<Field> fields = fields_of_widths();
  for (std::size_t i = 0; i < fields.size(); i += testing::sanitized ? 5 : 1)
    told += expect_same_as_one_thread(fields[i], {});
  EXPECT_GT(told, static_cast<std::size_t>(testing::sanitized ? 10 : 50));
}

TEST_F(BrightParity, RunsAreThoseOfAllPixelsWhereTheSampleMisleads) {
  std::size_t told = 0;
  const std::vector<Field> fields = fields_that_mislead();
  for (std::size_t i = 0; i < fields.size(); i += testing::sanitized ? 5 : 1) {
    for (const BackgroundConfig& config : {BackgroundConfig{.kappa = 3}, BackgroundConfig{.kappa = 1.5},
                                           BackgroundConfig{.kappa = 5, .max_iterations = 1}})
      told += expect_same_as_one_thread(fields[i], config);
  }
  EXPECT_GT(told, static_cast<std::size_t>(testing::sanitized ? 10 : 50));
}

/// What was left of one image is of no use in another, nor what was left before in the same.
TEST_F(BrightParity, AnotherImageIsReadAsAWhole) {
  const Field one = testing::star_field({1024, 200}, 0, 10, 500, 3);
  const Field other = testing::star_field({1024, 200}, 100, 10, 500, 4);
  const Image<float, Gpu> image = put(backend(), one), second = put(backend(), other);
  const auto levels = testing::put_levels(backend(), 60);
  BrightQuads<Gpu> bright = of_any_size();
  estimate_background(image, {}, where(), bright);
  const auto expect_all = [&](const Image<float, Gpu>& in) {
    const auto runs = find_runs(in, levels, bright, where());
    const auto wanted = find_runs(in, levels, where());
    expect_same(found(backend(), {}, runs), found(backend(), {}, wanted), "60");
    EXPECT_FALSE(testing::get_runs(backend(), runs).empty());
  };
  expect_all(image);
  expect_all(second);
  estimate_background(second, {}, where(), bright);
  expect_all(second);
  expect_all(image);
}

/// With the size from which on it is done by itself.
TEST_F(BrightParity, ALargeImageHasTheSameRuns) {
  const Field field = testing::star_field({4096, testing::sanitized ? 200 : 2050}, 0, 10, 1000, 9);
  const Image<float, Gpu> image = put(backend(), field);
  BrightQuads<Gpu> bright;
  const Background background = fetch(estimate_background(image, {}, where(), bright), where());
  EXPECT_EQ(bright.of == image.pixels.data(), !testing::sanitized);
  for (const auto& [level, wanted] : found_by_one_thread(field, {})) {
    const auto levels = testing::put_levels(backend(), level);
    expect_same(found(backend(), background, find_runs(image, levels, bright, where())), wanted, std::to_string(level));
  }
}

}  // namespace
}  // namespace srcextract
#endif
