#include "stages/detect/label.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::Field;
using testing::StageTest;

/// Labels by flood fill from each pixel in raster order: nothing in common with runs and forests.
std::vector<std::int32_t> flood_fill(const Field& field, float level, std::int64_t connectivity) {
  const auto [width, height] = field.shape;
  std::vector<std::int32_t> label(field.pixels.size(), 0);
  std::int32_t next = 0;
  std::vector<std::int64_t> stack;
  for (std::int64_t start = 0; start < field.shape.count(); ++start) {
    if (!(field.pixels[static_cast<std::size_t>(start)] > level) || label[static_cast<std::size_t>(start)] != 0)
      continue;
    label[static_cast<std::size_t>(start)] = ++next;
    stack.push_back(start);
    while (!stack.empty()) {
      const std::int64_t x = stack.back() % width;
      const std::int64_t y = stack.back() / width;
      stack.pop_back();
      for (std::int64_t dy = -1; dy <= 1; ++dy) {
        for (std::int64_t dx = -1; dx <= 1; ++dx) {
          if (connectivity == 4 && dx != 0 && dy != 0) continue;
          if (x + dx < 0 || x + dx >= width || y + dy < 0 || y + dy >= height) continue;
          const auto neighbour = static_cast<std::size_t>((y + dy) * width + x + dx);
          if (!(field.pixels[neighbour] > level) || label[neighbour] != 0) continue;
          label[neighbour] = next;
          stack.push_back(static_cast<std::int64_t>(neighbour));
        }
      }
    }
  }
  return label;
}

/// Renumbers labels of at least min_area pixels 1, 2, ... in their order; the others become 0.
std::vector<std::int32_t> without_small(std::vector<std::int32_t> label, std::int64_t min_area) {
  std::map<std::int32_t, std::int64_t> area;
  for (const std::int32_t l : label) ++area[l];
  std::map<std::int32_t, std::int32_t> number;
  std::int32_t next = 0;
  for (const auto& [l, pixels] : area) number[l] = l != 0 && pixels >= min_area ? ++next : 0;
  for (std::int32_t& l : label) l = number[l];
  return label;
}

/// Renumbers labels that have a pixel above the seed; the others become 0.
std::vector<std::int32_t> with_a_seed(std::vector<std::int32_t> label, const Field& field, float seed) {
  std::map<std::int32_t, std::int32_t> number;  // in the order of the labels
  for (std::size_t i = 0; i < label.size(); ++i)
    if (label[i] != 0 && field.pixels[i] > seed) number[label[i]] = 0;
  std::int32_t next = 0;
  for (auto& [l, numbered] : number) numbered = ++next;
  for (std::int32_t& l : label) l = number.contains(l) ? number[l] : 0;
  return label;
}

template <class Where>
class Label : public StageTest<Where> {
 protected:
  /// The label map that the stage makes.
  std::vector<std::int32_t> labelled(const Field& field, float level, const DetectionConfig& config) {
    const auto runs =
        find_runs(this->image(field.shape, field.pixels), testing::put_levels(this->backend(), level), this->where());
    return painted(field, runs, label_components(runs, config, this->where()));
  }
  /// The same where components need a pixel above the seed.
  std::vector<std::int32_t> seeded(const Field& field, float level, float seed, const DetectionConfig& config) {
    const auto image = this->image(field.shape, field.pixels);
    const auto runs = find_runs(image, testing::put_levels(this->backend(), level), this->where());
    const auto seeds = find_runs(image, testing::put_levels(this->backend(), seed), this->where());
    return painted(field, runs, label_components(runs, config, this->where(), &seeds));
  }
  std::vector<std::int32_t> painted(const Field& field, const Runs<Where>& runs, const Components<Where>& components) {
    const ComponentCounts counts = fetch(components.counts, this->where());
    count_ = counts.kept;
    found_ = counts.found;
    const auto host_runs = testing::get_runs(this->backend(), runs);
    const auto labels = testing::get_labels(this->backend(), runs, components);
    std::vector<std::int32_t> map(field.pixels.size(), 0);
    for (std::size_t i = 0; i < host_runs.size(); ++i) {
      for (std::int64_t x = host_runs[i].begin; x < host_runs[i].end; ++x) {
        map.at(static_cast<std::size_t>(host_runs[i].y * field.shape.width + x)) = labels[i];
      }
    }
    return map;
  }
  std::int64_t count_ = -1;
  std::int64_t found_ = -1;
};
TYPED_TEST_SUITE(Label, Backends);

DetectionConfig config_of(std::int64_t connectivity, std::int64_t min_area) {
  DetectionConfig config;
  config.connectivity = connectivity;
  config.min_area = min_area;
  return config;
}

TYPED_TEST(Label, NumbersRandomMasksAsAFloodFillDoes) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 20'000; ++trial) {
    const Shape shape{1 + static_cast<std::int64_t>(random() % 40), 1 + static_cast<std::int64_t>(random() % 20)};
    const Field field = testing::random_mask(shape, 0.1 + 0.8 * (trial % 97) / 97.0, random());
    const std::int64_t connectivity = trial % 2 == 0 ? 4 : 8;
    ASSERT_EQ(this->labelled(field, 0.5F, config_of(connectivity, 1)), flood_fill(field, 0.5F, connectivity))
        << "trial " << trial;
  }
}

TYPED_TEST(Label, NumbersHostileFieldsAsAFloodFillDoes) {
  for (const Field& field : testing::hostile_fields()) {
    for (const std::int64_t connectivity : {4, 8}) {
      ASSERT_EQ(this->labelled(field, 0.5F, config_of(connectivity, 1)), flood_fill(field, 0.5F, connectivity))
          << field.name;
      ASSERT_EQ(this->count_, this->found_);
    }
  }
}

TYPED_TEST(Label, JoinsACheckerboardByItsCornersOnly) {
  Field board{"board", {64, 64}, {}};
  for (int i = 0; i < 64 * 64; ++i) board.pixels.push_back((i + i / 64) % 2 == 0 ? 1.0F : 0.0F);
  this->labelled(board, 0.5F, config_of(4, 1));
  EXPECT_EQ(this->count_, 64 * 64 / 2);
  this->labelled(board, 0.5F, config_of(8, 1));
  EXPECT_EQ(this->count_, 1);
}

TYPED_TEST(Label, DropsSmallComponentsAndClosesTheGaps) {
  //  1 1 . 2 . 3 3     areas: 3, 1, 4
  //  1 . . . . 3 3
  const Field field{"three", {7, 2}, {1, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1}};
  EXPECT_EQ(this->labelled(field, 0.5F, config_of(8, 2)),
            (std::vector<std::int32_t>{1, 1, 0, 0, 0, 2, 2, 1, 0, 0, 0, 0, 2, 2}));
  EXPECT_EQ(this->count_, 2);
  EXPECT_EQ(this->found_, 3);
  this->labelled(field, 0.5F, config_of(8, 4));
  EXPECT_EQ(this->count_, 1);
  this->labelled(field, 0.5F, config_of(8, 5));
  EXPECT_EQ(this->count_, 0);
  EXPECT_EQ(this->found_, 3);
}

TYPED_TEST(Label, DropsSmallComponentsOfTallImagesAsAFloodFillDoes) {
  std::int64_t kept = 0;
  for (const double probability : {0.05, 0.4, 0.5, 0.6, 0.7}) {
    const Field field = testing::random_mask({53, 1100}, probability, 31);
    for (const std::int64_t connectivity : {4, 8}) {
      const auto all = flood_fill(field, 0.5F, connectivity);
      for (const std::int64_t min_area : {1, 2, 3, 10, 300}) {
        ASSERT_EQ(this->labelled(field, 0.5F, config_of(connectivity, min_area)), without_small(all, min_area))
            << probability << " connectivity " << connectivity << " min_area " << min_area;
        ASSERT_EQ(this->found_, *std::max_element(all.begin(), all.end()));
        kept += this->count_;
      }
    }
  }
  EXPECT_GT(kept, 10'000);
}

/// Noise with blobs in it, so that components have several seeds, or one at their ends, or none.
Field hilly_field(Shape shape, unsigned seed) {
  Field field{"hills", shape, {}};
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> any(0, 1);
  const auto width = static_cast<std::size_t>(shape.width);
  std::vector<float> noise;
  for (std::int64_t i = 0; i < shape.count(); ++i) noise.push_back(any(random));
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const float left = i % width > 0 ? noise[i - 1] : 0, above = i >= width ? noise[i - width] : 0;
    field.pixels.push_back(noise[i] + left + above);
  }
  return field;
}

TYPED_TEST(Label, KeepsWhatHasASeedAsAFloodFillDoes) {
  std::mt19937 random(4);
  std::int64_t kept = 0, dropped = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const Shape shape{1 + static_cast<std::int64_t>(random() % 70), 1 + static_cast<std::int64_t>(random() % 25)};
    const Field field = hilly_field(shape, random());
    const std::int64_t connectivity = trial % 2 == 0 ? 4 : 8, min_area = 1 + trial % 3 * 2;
    const auto all = flood_fill(field, 1.9F, connectivity);
    const auto true_map = with_a_seed(all, field, 2.4F);
    ASSERT_EQ(this->seeded(field, 1.9F, 2.4F, config_of(connectivity, min_area)), without_small(true_map, min_area))
        << "trial " << trial;
    ASSERT_EQ(this->found_, *std::max_element(true_map.begin(), true_map.end()));
    kept += this->count_;
    dropped += *std::max_element(all.begin(), all.end()) - this->found_;
  }
  EXPECT_GT(kept, 10'000);
  EXPECT_GT(dropped, 10'000);
}

TYPED_TEST(Label, KeepsSeededComponentsThatSpanTheImage) {
  for (const Shape shape : {Shape{67, 1500}, Shape{3000, 300}}) {
    const Field field = hilly_field(shape, 8);
    for (const float level : {1.5F, 1.7F, 1.9F, 2.2F}) {
      const auto true_map = with_a_seed(flood_fill(field, level, 8), field, 2.6F);
      ASSERT_EQ(this->seeded(field, level, 2.6F, config_of(8, 1)), true_map) << level;
      ASSERT_GT(this->count_, 0) << level;
      ASSERT_EQ(this->seeded(field, level, 3.0F, config_of(8, 1)), std::vector<std::int32_t>(true_map.size(), 0));
      ASSERT_EQ(this->found_, 0);
    }
  }
}

/// What is left of a component once it was eroded need not have the pixels that seeded it.
TYPED_TEST(Label, SeedsCountWhereTheForegroundStillIs) {
  const Field field{"two", {9, 1}, {3, 9, 9, 3, 0, 9, 9, 9, 3}};
  const Field eroded{"eroded", {9, 1}, {1, 0, 1, 1, 0, 0, 0, 0, 1}};
  const auto put = [&](const Field& of, float level) {
    return find_runs(this->image(of.shape, of.pixels), testing::put_levels(this->backend(), level), this->where());
  };
  const auto seeds = put(field, 5), runs = put(eroded, 0.5F);
  EXPECT_EQ(this->painted(field, runs, label_components(runs, config_of(8, 1), this->where(), &seeds)),
            (std::vector<std::int32_t>{0, 0, 1, 1, 0, 0, 0, 0, 0}));
}

TYPED_TEST(Label, FindsNothingWhereNothingIs) {
  EXPECT_EQ(this->labelled({"dark", {50, 40}, std::vector<float>(2000, 0)}, 0.5F, config_of(8, 1)),
            std::vector<std::int32_t>(2000, 0));
  EXPECT_EQ(this->count_, 0);
}

TEST(LabelLimits, TooManyRunsAreRefusedInWords) {
  EXPECT_NO_THROW(check_run_count(2'147'483'647));
  EXPECT_THROW(check_run_count(2'147'483'648), Error);
}

}  // namespace
}  // namespace srcextract
