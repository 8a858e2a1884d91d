#include "stages/detect/morphology.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <ranges>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::Field;
using testing::StageTest;

/// A foreground on the host, a byte a pixel.
struct Foreground {
  Shape shape;
  std::vector<char> pixels;

  bool at(std::int64_t x, std::int64_t y) const {
    return x >= 0 && x < shape.width && y >= 0 && y < shape.height &&
           pixels[static_cast<std::size_t>(y * shape.width + x)] != 0;
  }
  bool operator==(const Foreground&) const = default;
};

Foreground random_foreground(Shape shape, double probability, unsigned seed) {
  const Field field = testing::random_mask(shape, probability, seed);
  return {shape, {field.pixels.begin(), field.pixels.end()}};
}

/// Discs on a background of single pixels, something to open.
Foreground discs(Shape shape, unsigned seed) {
  Foreground result = random_foreground(shape, 0.02, seed);
  std::mt19937 random(seed);
  for (std::int64_t i = 0; i < shape.count() / 300; ++i) {
    const auto x0 = static_cast<std::int64_t>(random() % static_cast<unsigned>(shape.width));
    const auto y0 = static_cast<std::int64_t>(random() % static_cast<unsigned>(shape.height));
    const std::int64_t radius = random() % 10;
    for (std::int64_t y = std::max<std::int64_t>(0, y0 - radius); y < std::min(shape.height, y0 + radius); ++y) {
      for (std::int64_t x = std::max<std::int64_t>(0, x0 - radius); x < std::min(shape.width, x0 + radius); ++x) {
        const bool inside = (x - x0) * (x - x0) + (y - y0) * (y - y0) < radius * radius;
        if (inside) result.pixels[static_cast<std::size_t>(y * shape.width + x)] = 1;
      }
    }
  }
  return result;
}

/// How many pixels of the element, laid over a pixel, are foreground.
std::int64_t count_under(const Foreground& mask, StructuringElement element, std::int64_t x, std::int64_t y) {
  std::int64_t count = 0;
  for (std::int64_t dy = -1; dy <= 1; ++dy) {
    for (std::int64_t dx = -1; dx <= 1; ++dx) {
      const bool in_element = element == StructuringElement::square || dx == 0 || dy == 0;
      count += in_element && mask.at(x + dx, y + dy);
    }
  }
  return count;
}

/// So many times over, the pixels that have at least `needed` foreground pixels under the element.
Foreground filter(Foreground mask, StructuringElement element, std::int64_t needed, std::int64_t iterations) {
  for (; iterations > 0; --iterations) {
    Foreground result = mask;
    for (std::int64_t y = 0; y < mask.shape.height; ++y) {
      for (std::int64_t x = 0; x < mask.shape.width; ++x) {
        result.pixels[static_cast<std::size_t>(y * mask.shape.width + x)] =
            count_under(mask, element, x, y) >= needed ? 1 : 0;
      }
    }
    mask = std::move(result);
  }
  return mask;
}
Foreground eroded(const Foreground& mask, StructuringElement element, std::int64_t iterations) {
  return filter(mask, element, element == StructuringElement::cross ? 5 : 9, iterations);
}
Foreground dilated(const Foreground& mask, StructuringElement element, std::int64_t iterations) {
  return filter(mask, element, 1, iterations);
}

/// Runs found pixel by pixel.
std::vector<Run> runs_of(const Foreground& mask) {
  std::vector<Run> runs;
  for (std::int64_t y = 0; y < mask.shape.height; ++y) {
    for (std::int64_t x = 0; x < mask.shape.width; ++x) {
      if (!mask.at(x, y)) continue;
      if (!mask.at(x - 1, y)) runs.push_back({static_cast<std::int32_t>(y), static_cast<std::int32_t>(x), 0});
      runs.back().end = static_cast<std::int32_t>(x + 1);
    }
  }
  return runs;
}

std::vector<std::int64_t> row_begins_of(const Shape& shape, const std::vector<Run>& runs) {
  std::vector<std::int64_t> begins;
  for (std::int64_t y = 0; y <= shape.height; ++y) {
    begins.push_back(std::ranges::count_if(runs, [&](const Run& run) { return run.y < y; }));
  }
  return begins;
}

std::vector<Foreground> foregrounds() {
  std::vector<Foreground> all;
  for (const std::int64_t width : {1, 2, 3, 31, 32, 33, 63, 64, 65, 96, 257, 1025, 2100}) {
    for (const std::int64_t height : {1, 2, 8, 9, 37}) {
      const auto seed = static_cast<unsigned>(width + height);
      for (const double probability : {0.0, 0.3, 0.95, 1.0}) {
        all.push_back(random_foreground({width, height}, probability, seed));
      }
      all.push_back(discs({width, height}, seed));
    }
  }
  return all;
}

constexpr std::array both_elements = {StructuringElement::cross, StructuringElement::square};

template <class Where>
class Morphology : public StageTest<Where> {
 protected:
  BitMask<Where> put(const Foreground& mask) const {
    const std::int64_t words_per_row = (mask.shape.width + 31) / 32;
    std::vector<std::uint32_t> words(static_cast<std::size_t>(words_per_row * mask.shape.height), 0);
    for (std::int64_t y = 0; y < mask.shape.height; ++y) {
      for (std::int64_t x = 0; x < mask.shape.width; ++x) {
        if (mask.at(x, y)) words[static_cast<std::size_t>(y * words_per_row + x / 32)] |= 1U << x % 32;
      }
    }
    BitMask<Where> result;
    result.shape = mask.shape;
    result.words = this->backend().put(words);
    return result;
  }

  Runs<Where> put_runs(const Shape& shape, const std::vector<Run>& runs) const {
    return {shape, this->backend().put(runs), this->backend().put(row_begins_of(shape, runs))};
  }

  /// Fails if a bit beyond the end of a row is set.
  Foreground get(const BitMask<Where>& mask) const {
    const std::vector<std::uint32_t> words = this->backend().get(mask.words);
    EXPECT_EQ(static_cast<std::int64_t>(words.size()), mask.words_per_row() * mask.shape.height);
    Foreground result{mask.shape, {}};
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::int64_t x = static_cast<std::int64_t>(i) % mask.words_per_row() * 32;
      const std::int64_t inside = std::min<std::int64_t>(32, mask.shape.width - x);
      for (std::int64_t bit = 0; bit < inside; ++bit) result.pixels.push_back(words[i] >> bit & 1);
      EXPECT_EQ(std::uint64_t{words[i]} >> inside, 0U) << "beyond the end of row " << i;
    }
    return result;
  }

  /// Fails if the runs are not those of the foreground.
  void expect_runs(const Runs<Where>& runs, const Foreground& mask) const {
    const std::vector<Run> expected = runs_of(mask);
    EXPECT_EQ(runs.shape, mask.shape);
    ASSERT_EQ(this->backend().get(runs.row_begin), row_begins_of(mask.shape, expected));
    ASSERT_EQ(testing::get_runs(this->backend(), runs), expected) << mask.shape.width << " x " << mask.shape.height;
  }
};
TYPED_TEST_SUITE(Morphology, Backends);

TYPED_TEST(Morphology, ErodesAndDilatesMasksOfAnyShape) {
  for (const Foreground& mask : foregrounds()) {
    for (const StructuringElement element : both_elements) {
      for (const std::int64_t iterations : {1, 2, 5}) {
        const auto words = this->put(mask);
        ASSERT_EQ(this->get(erode(words, element, iterations, this->where())), eroded(mask, element, iterations))
            << mask.shape.width << " x " << mask.shape.height << ", " << iterations << " times";
        ASSERT_EQ(this->get(dilate(words, element, iterations, this->where())), dilated(mask, element, iterations))
            << mask.shape.width << " x " << mask.shape.height << ", " << iterations << " times";
      }
    }
  }
}

TYPED_TEST(Morphology, TurnsRunsIntoMasksAndBack) {
  for (const Foreground& mask : foregrounds()) {
    ASSERT_EQ(this->get(to_mask(this->put_runs(mask.shape, runs_of(mask)), this->where())), mask)
        << mask.shape.width << " x " << mask.shape.height;
    this->expect_runs(to_runs(this->put(mask), this->where()), mask);
  }
}

/// More than one block, warp or thread takes.
TYPED_TEST(Morphology, CleansALargeForeground) {
  for (const Foreground& mask :
       {discs({1001, 603}, 3), random_foreground({70'001, 9}, 0.999, 5), discs({37, 10'001}, 4)}) {
    const auto runs = this->put_runs(mask.shape, runs_of(mask));
    for (const StructuringElement element : both_elements) {
      MorphologyConfig config{MorphologicalOperation::erosion, element, 2};
      const Foreground left = eroded(mask, element, 2);
      this->expect_runs(apply_morphology(runs, config, this->where()), left);
      config.operation = MorphologicalOperation::opening;
      this->expect_runs(apply_morphology(runs, config, this->where()), dilated(left, element, 2));
    }
  }
}

TYPED_TEST(Morphology, CleansTheForegroundOfAnImage) {
  for (const Field& field : testing::hostile_fields()) {
    Foreground mask{field.shape, {}};
    for (const float pixel : field.pixels) mask.pixels.push_back(pixel > 0.5F ? 1 : 0);
    const auto runs =
        find_runs(this->image(field.shape, field.pixels), testing::put_levels(this->backend(), 0.5), this->where());
    const MorphologyConfig config{MorphologicalOperation::opening, StructuringElement::cross, 1};
    this->expect_runs(apply_morphology(runs, config, this->where()),
                      dilated(eroded(mask, config.element, 1), config.element, 1));
  }
}

TYPED_TEST(Morphology, TakesMasksWithoutPixels) {
  for (const Shape shape : {Shape{0, 0}, Shape{0, 3}, Shape{3, 0}}) {
    const auto runs = this->put_runs(shape, {});
    for (const MorphologicalOperation operation : {MorphologicalOperation::erosion, MorphologicalOperation::opening}) {
      this->expect_runs(apply_morphology(runs, {operation, StructuringElement::square, 2}, this->where()), {shape, {}});
    }
  }
}

TEST(MorphologyOnCpu, DoesNotDependOnTheThreads) {
  const Foreground mask = discs({1001, 1203}, 6);
  const Runs<Cpu> runs{mask.shape, testing::Backend<Cpu>().put(runs_of(mask)),
                       testing::Backend<Cpu>().put(row_begins_of(mask.shape, runs_of(mask)))};
  const MorphologyConfig config{MorphologicalOperation::opening, StructuringElement::square, 2};
  const Runs<Cpu> one = apply_morphology(runs, config, Cpu{1});
  const Runs<Cpu> three = apply_morphology(runs, config, Cpu{3});
  EXPECT_TRUE(std::ranges::equal(one.runs, three.runs));
  EXPECT_TRUE(std::ranges::equal(one.row_begin, three.row_begin));
}

#if SRCEXTRACT_HAVE_CUDA
using MorphologyOnGpu = Morphology<Gpu>;

/// The device counts the runs that there are, and lists those that there is room for.
TEST_F(MorphologyOnGpu, FillsARoomThatIsTooSmall) {
  const Foreground mask = random_foreground({201, 99}, 0.9, 8);
  const Foreground left = eroded(mask, StructuringElement::cross, 1);
  const auto expected = runs_of(left);
  const std::int64_t count = std::ssize(expected);
  for (const std::int64_t room : {std::int64_t{1}, std::int64_t{50}, count - 1, count}) {
    Gpu where = this->where();
    where.capacity.runs = room;
    const Runs<Gpu> runs = to_runs(erode(put(mask), StructuringElement::cross, 1, where), where);
    EXPECT_EQ(backend().get(runs.row_begin), row_begins_of(left.shape, expected));
    EXPECT_TRUE(std::ranges::equal(backend().get(runs.runs), expected | std::views::take(room)));
  }
}

/// What did not fit is not looked for.
TEST_F(MorphologyOnGpu, PaintsTheRunsThatAreThere) {
  const Foreground mask = random_foreground({201, 99}, 0.5, 9);
  Gpu where = this->where();
  where.capacity.runs = 100;
  const Runs<Gpu> runs = to_runs(put(mask), where);
  Foreground painted{mask.shape, std::vector<char>(mask.pixels.size(), 0)};
  for (const auto& run : backend().get(runs.runs)) {
    std::fill_n(painted.pixels.begin() + run.y * mask.shape.width + run.begin, run.end - run.begin, 1);
  }
  EXPECT_EQ(get(to_mask(runs, where)), painted);
}

/// As in the graph of an image: captured once, then launched on what the input is by then.
TEST_F(MorphologyOnGpu, RunsInAGraph) {
  const std::array masks = {discs({301, 203}, 1), discs({301, 203}, 2)};
  const MorphologyConfig config{MorphologicalOperation::opening, StructuringElement::square, 2};
  Image<float, Gpu> image({301, 203}, this->where());
  const Value<Levels, Gpu> levels = testing::put_levels(backend(), 0.5);

  cudaGraph_t graph = nullptr;
  // Relaxed: the workspace may allocate meanwhile.
  check(cudaStreamBeginCapture(this->where().stream, cudaStreamCaptureModeRelaxed));
  const Runs<Gpu> runs = apply_morphology(find_runs(image, levels, this->where()), config, this->where());
  check(cudaStreamEndCapture(this->where().stream, &graph));
  cudaGraphExec_t launchable = nullptr;
  check(cudaGraphInstantiate(&launchable, graph, 0));
  for (const Foreground& mask : masks) {
    const std::vector<float> pixels(mask.pixels.begin(), mask.pixels.end());
    check(cudaMemcpyAsync(image.pixels.data(), pixels.data(), pixels.size() * sizeof(float), cudaMemcpyHostToDevice,
                          this->where().stream));
    check(cudaGraphLaunch(launchable, this->where().stream));
    const Foreground left = eroded(mask, config.element, config.iterations);
    expect_runs(runs, dilated(left, config.element, config.iterations));
  }
  cudaGraphExecDestroy(launchable);
  cudaGraphDestroy(graph);
}
#endif

}  // namespace
}  // namespace srcextract
