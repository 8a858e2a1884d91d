#include "stages/measure/measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "stages/measure/columns.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/rounds.hpp"

namespace srcextract {
namespace {

using testing::Backends;
using testing::Field;
using testing::StageTest;

template <class Where>
class Measure : public StageTest<Where> {
 protected:
  std::vector<SourceSums> measured(const Field& field, double level, double background) {
    const auto image = this->image(field.shape, field.pixels);
    DetectionConfig config;
    config.connectivity = 8;
    config.min_area = 1;
    const auto& backend = this->backend();
    const auto levels = testing::put_levels(backend, level, background);
    const auto runs = find_runs(image, levels, this->where());
    const auto components = label_components(runs, config, this->where());
    runs_ = testing::get_runs(backend, runs);
    label_ = testing::get_labels(backend, runs, components);
    const auto masked = backend.put_value(MaskCounts{.nan = 1});  // that there may be masked pixels
    return testing::get_sums(backend, components,
                             measure_sources(image, runs, components, levels, masked, this->where()));
  }
  Sources columns(const Field& field, double level, double background, double sigma, double gain = 0) {
    const auto sums = testing::Backend<Cpu>().put(this->measured(field, level, background));
    MeasurementConfig config;
    config.gain = gain;
    return derive_columns({sums}, field.shape, {level, background, sigma}, config);
  }
  std::vector<Run> runs_;
  std::vector<std::int32_t> label_;
};
TYPED_TEST_SUITE(Measure, Backends);

/// Sums over a label map, pixel by pixel, in long double.
struct SlowSums {
  long double v = 0, vx = 0, vy = 0, vxx = 0, vyy = 0, vxy = 0;
  std::int64_t npix = 0;
  float peak = -std::numeric_limits<float>::infinity();
  std::int64_t xpeak = 0, ypeak = 0, xmin = 1 << 30, xmax = -1, ymin = 1 << 30, ymax = -1;
};

std::vector<SlowSums> slow_sums(const Field& field, const std::vector<Run>& runs,
                                const std::vector<std::int32_t>& label, double background) {
  std::vector<SlowSums> sources;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (static_cast<std::size_t>(label[i]) > sources.size()) sources.resize(static_cast<std::size_t>(label[i]));
    SlowSums& s = sources[static_cast<std::size_t>(label[i]) - 1];
    for (std::int64_t x = runs[i].begin; x < runs[i].end; ++x) {
      const float pixel = field.pixels[static_cast<std::size_t>(runs[i].y * field.shape.width + x)];
      const long double v = static_cast<long double>(pixel) - background;
      s.v += v;
      s.vx += v * x;
      s.vy += v * runs[i].y;
      s.vxx += v * x * x;
      s.vyy += v * runs[i].y * runs[i].y;
      s.vxy += v * x * runs[i].y;
      ++s.npix;
      if (pixel > s.peak) {
        s.peak = pixel;
        s.xpeak = x;
        s.ypeak = runs[i].y;
      }
      s.xmin = std::min(s.xmin, x);
      s.xmax = std::max(s.xmax, x);
      s.ymin = std::min<std::int64_t>(s.ymin, runs[i].y);
      s.ymax = std::max<std::int64_t>(s.ymax, runs[i].y);
    }
  }
  return sources;
}

TYPED_TEST(Measure, EqualsSlowSumsOnEveryField) {
  std::size_t sources = 0;
  auto fields = testing::hostile_fields();
  fields.push_back(testing::star_field({1000, 800}, 5, 1, 400, 21));
  for (const Field& field : fields) {
    const double background = field.name == "star field" ? 5 : 0;
    const auto got = this->measured(field, background + 0.5, background);
    const auto want = slow_sums(field, this->runs_, this->label_, background);
    ASSERT_EQ(got.size(), want.size()) << field.name;
    for (std::size_t k = 0; k < got.size(); ++k) {
      const SourceSums& g = got[k];
      const SlowSums& w = want[k];
      ASSERT_EQ(g.npix, w.npix) << field.name << " source " << k + 1;
      ASSERT_EQ(g.peak, w.peak);
      ASSERT_EQ(g.xpeak, w.xpeak);
      ASSERT_EQ(g.ypeak, w.ypeak);
      ASSERT_EQ(g.xmin, w.xmin);
      ASSERT_EQ(g.xmax, w.xmax);
      ASSERT_EQ(g.ymin, w.ymin);
      ASSERT_EQ(g.ymax, w.ymax);
      const auto near = [&](double value, long double expected, const char* what) {
        ASSERT_NEAR(value, static_cast<double>(expected), 1e-11 * (1 + std::abs(static_cast<double>(expected))))
            << field.name << " source " << k + 1 << " " << what;
      };
      const auto x = g.xmin + g.vx / g.v;
      const auto y = g.ymin + g.vy / g.v;
      near(g.v / static_cast<double>(w.v), 1, "flux");
      near(x, w.vx / w.v, "x");
      near(y, w.vy / w.v, "y");
      // Second moments about the centre, to a part of the extent squared.
      const double dx = g.vx / g.v;
      const double dy = g.vy / g.v;
      const double extent = std::max({g.xmax - g.xmin, g.ymax - g.ymin, 1});
      const auto near_moment = [&](double value, long double expected, const char* what) {
        ASSERT_NEAR(value, static_cast<double>(expected), 1e-10 * extent * extent)
            << field.name << " source " << k + 1 << " " << what;
      };
      near_moment(g.vxx / g.v - dx * dx, w.vxx / w.v - (w.vx / w.v) * (w.vx / w.v), "xx");
      near_moment(g.vyy / g.v - dy * dy, w.vyy / w.v - (w.vy / w.v) * (w.vy / w.v), "yy");
      near_moment(g.vxy / g.v - dx * dy, w.vxy / w.v - (w.vx / w.v) * (w.vy / w.v), "xy");
    }
    sources += got.size();
  }
  EXPECT_GT(sources, 10'000U);
}

/// Sources of a label map need not be connected: this one has a run in every 70th row, at columns in no order.
TYPED_TEST(Measure, FindsTheBoxOfASourceWhoseRowsLieFarApart) {
  for (const std::int64_t apart : {1, 69, 70, 71}) {
    constexpr std::int64_t count = 70, width = 100;
    Field field{"scattered", {width, apart * (count - 1) + 1}, {}};
    field.pixels.assign(static_cast<std::size_t>(field.shape.count()), 0);
    for (std::int64_t k = 0; k < count; ++k)
      field.pixels[static_cast<std::size_t>(k * apart * width + 10 + 37 * k % 83)] = 1;
    const auto& backend = this->backend();
    const auto levels = testing::put_levels(backend, 0.5);
    const auto image = this->image(field.shape, field.pixels);
    const auto runs = find_runs(image, levels, this->where());
    DetectionConfig each;
    each.min_area = 1;
    auto components = label_components(runs, each, this->where());
    const std::vector<std::int32_t> label(count, 1);
    components.label = backend.put(label);
    components.counts = backend.put_value(ComponentCounts{1, 1});
    const auto masked = backend.put_value(MaskCounts());
    const auto sums =
        testing::get_sums(backend, components, measure_sources(image, runs, components, levels, masked, this->where()));
    const auto want = slow_sums(field, testing::get_runs(backend, runs), label, 0);
    ASSERT_EQ(sums.size(), 1);
    EXPECT_EQ(sums[0].npix, count);
    EXPECT_EQ(sums[0].xmin, want[0].xmin) << apart;
    EXPECT_EQ(sums[0].xmax, want[0].xmax) << apart;
    EXPECT_EQ(sums[0].ymin, want[0].ymin) << apart;
    EXPECT_EQ(sums[0].ymax, want[0].ymax) << apart;
    EXPECT_NEAR(sums[0].vx / sums[0].v + sums[0].xmin, static_cast<double>(want[0].vx / want[0].v), 1e-9) << apart;
  }
}

/// More sources than caches hold the sums of: single pixels, or pairs of them, one below the other.
TYPED_TEST(Measure, SumsAnyNumberOfSources) {
  for (const std::int64_t pixels : {1, 2}) {
    const std::int64_t columns = testing::share(800), rows = 500;
    Field field{"grid", {2 * columns, (pixels + 1) * rows}, {}};
    field.pixels.assign(static_cast<std::size_t>(field.shape.count()), 0);
    const auto value = [](std::int64_t k, std::int64_t pixel) { return static_cast<float>(k % 1009 + 2 * pixel + 1); };
    for (std::int64_t k = 0; k < columns * rows; ++k) {
      for (std::int64_t pixel = 0; pixel < pixels; ++pixel) {
        const std::int64_t y = k / columns * (pixels + 1) + pixel;
        field.pixels[static_cast<std::size_t>(y * field.shape.width + k % columns * 2)] = value(k, pixel);
      }
    }
    const auto got = this->measured(field, 0, 0);
    ASSERT_EQ(std::ssize(got), columns * rows);
    for (std::int64_t k = 0; k < columns * rows; ++k) {
      const auto x = static_cast<std::int32_t>(k % columns * 2);
      const auto y = static_cast<std::int32_t>(k / columns * (pixels + 1)), last = y + static_cast<int>(pixels) - 1;
      const double lower = pixels > 1 ? value(k, 1) : 0;
      const SourceSums want{
          pixels, value(k, 0) + lower, 0, lower, 0, lower, 0, value(k, pixels - 1), x, last, x, x, y, last, 0};
      ASSERT_EQ(got[static_cast<std::size_t>(k)], want) << "source " << k + 1;
    }
  }
}

TYPED_TEST(Measure, FindsThePositionAndShapeOfAGaussian) {
  // An elliptical Gaussian far above the threshold: its moments are its parameters.
  const double x0 = 40.3;
  const double y0 = 35.6;
  const double a = 5.0;
  const double b = 3.0;
  const double theta = 30 * std::acos(-1.0) / 180;
  Field field{"gaussian", {81, 75}, {}};
  for (int y = 0; y < 75; ++y) {
    for (int x = 0; x < 81; ++x) {
      const double u = (x - x0) * std::cos(theta) + (y - y0) * std::sin(theta);
      const double v = -(x - x0) * std::sin(theta) + (y - y0) * std::cos(theta);
      field.pixels.push_back(static_cast<float>(100 + 1e6 * std::exp(-(u * u / (a * a) + v * v / (b * b)) / 2)));
    }
  }
  const Sources s = this->columns(field, 101, 100, 10, 4);
  ASSERT_EQ(s.size(), 1);
  EXPECT_NEAR(s[columns::x_image][0], x0 + 1, 1e-4);
  EXPECT_NEAR(s[columns::y_image][0], y0 + 1, 1e-4);
  EXPECT_NEAR(s[columns::a_image][0], a, 1e-3);
  EXPECT_NEAR(s[columns::b_image][0], b, 1e-3);
  EXPECT_NEAR(s[columns::theta_image][0], 30, 0.01);
  const double flux = 1e6 * 2 * std::acos(-1.0) * a * b;
  EXPECT_NEAR(s[columns::flux_iso][0], flux, 1e-4 * flux);
  const auto brightest = std::max_element(field.pixels.begin(), field.pixels.end()) - field.pixels.begin();
  EXPECT_EQ(s[columns::xpeak_image][0], brightest % 81 + 1);
  EXPECT_EQ(s[columns::ypeak_image][0], brightest / 81 + 1);
  EXPECT_EQ(s[columns::background][0], 100);
  EXPECT_EQ(s[columns::threshold][0], 1);
  EXPECT_EQ(s[columns::flags][0], 0);
}

TYPED_TEST(Measure, GivesTheErrorOfTheFluxFromNoiseAndPhotons) {
  // Four pixels of 9 counts on a noise of 2 at 4 electrons a count: 4 * 2^2 + 36 / 4 = 25.
  const Sources s = this->columns({"square", {4, 4}, {0, 0, 0, 0, 0, 9, 9, 0, 0, 9, 9, 0, 0, 0, 0, 0}}, 1, 0, 2, 4);
  ASSERT_EQ(s.size(), 1);
  EXPECT_EQ(s[columns::fluxerr_iso][0], 5);
  EXPECT_EQ(s[columns::snr][0], 7.2);
}

TYPED_TEST(Measure, CountsFromOneAndWidensASinglePixelByAPixel) {
  Field field{"pixel", {9, 7}, std::vector<float>(63, 0)};
  field.pixels[3 * 9 + 4] = 12;
  const Sources s = this->columns(field, 1, 0, 2);
  ASSERT_EQ(s.size(), 1);
  EXPECT_EQ(s[columns::x_image][0], 5);
  EXPECT_EQ(s[columns::y_image][0], 4);
  EXPECT_EQ(s[columns::flux_iso][0], 12);
  EXPECT_EQ(s[columns::fluxerr_iso][0], 2);
  EXPECT_EQ(s[columns::snr][0], 6);
  EXPECT_NEAR(s[columns::a_image][0], 0.288675134594813, 1e-15);  // sqrt(1/12): a pixel is a unit square
  EXPECT_NEAR(s[columns::b_image][0], 0.288675134594813, 1e-15);
}

TYPED_TEST(Measure, FlagsTheEdgeAndMaskedNeighbours) {
  const float masked = std::numeric_limits<float>::quiet_NaN();
  Field field{"flags", {20, 20}, std::vector<float>(400, 0)};
  const auto at = [&](int x, int y) -> float& { return field.pixels[static_cast<std::size_t>(y * 20 + x)]; };
  at(5, 0) = 9;                       // 1: on the lower edge
  at(19, 4) = 9;                      // 2: on the right edge
  at(5, 5) = 9, at(6, 6) = masked;    // 3: masked at a corner
  at(10, 5) = 9, at(12, 5) = masked;  // 4: masked two pixels away: free
  at(0, 10) = 9, at(0, 11) = masked;  // 5: both
  for (int x = 13; x < 16; ++x) at(x, 13) = at(x, 15) = at(13, x) = at(15, x) = 9;
  at(14, 14) = masked;  // 6: a ring around a masked pixel
  const Sources s = this->columns(field, 1, 0, 1);
  EXPECT_EQ(s[columns::flags], (std::vector<std::int16_t>{8, 8, 256, 0, 264, 256}));
}

TYPED_TEST(Measure, FlagsMaskedNeighboursAllAlongALongRun) {
  // One source a row, from pixel 1 to the last but one, and at most one masked pixel beside it.
  constexpr std::int64_t width = 4500;
  const std::vector<std::pair<std::int64_t, std::int64_t>> masked = {
      {0, 0}, {0, 1}, {width - 1, 1}, {1, -1}, {width - 1, -1}, {2222, 1}, {4097, -1}};
  Field field{"long rows", {width, 4 * std::ssize(masked) + 3}, {}};
  field.pixels.assign(static_cast<std::size_t>(field.shape.count()), 0);
  const auto at = [&](std::int64_t x, std::int64_t y) -> float& {
    return field.pixels[static_cast<std::size_t>(y * width + x)];
  };
  for (std::int64_t y = 1; y < field.shape.height; y += 4) {
    for (std::int64_t x = 1; x < width - 1; ++x) at(x, y) = 9;
  }
  for (std::size_t k = 0; k < masked.size(); ++k) {
    const auto y = static_cast<std::int64_t>(4 * k + 1);
    at(masked[k].first, y + masked[k].second) = std::numeric_limits<float>::quiet_NaN();
  }
  const Sources s = this->columns(field, 1, 0, 1);
  std::vector<std::int16_t> flags(masked.size(), 256);
  flags.push_back(0);
  EXPECT_EQ(s[columns::flags], flags);
}

TEST(Columns, TakeFluxesFromTheImageThatIsMeasured) {
  // Two pixels found in a convolved image, where they are 1 and 3 above the sky; 10 and 20 in the image itself.
  SourceSums found{}, measured{};
  found.npix = measured.npix = 2;
  found.v = 4;
  found.vx = found.vxx = 3;
  found.peak = 103;
  found.xpeak = found.xmax = measured.xmax = 1;
  measured.v = 30;
  measured.vx = measured.vxx = 20;
  measured.peak = 120;
  const Sources s = derive_columns({std::span(&found, 1), std::span(&measured, 1)}, {9, 9}, {105, 100, 2}, {});
  EXPECT_EQ(s[columns::flux_iso][0], 30);
  EXPECT_EQ(s[columns::flux_max][0], 20);
  EXPECT_EQ(s[columns::snr][0], 30 / std::sqrt(8.0));
  EXPECT_EQ(s[columns::x_image][0], 1.75);
  EXPECT_EQ(s[columns::xpeak_image][0], 2);
}

TEST(Columns, TakeTheErrorFromTheVariancesOfThePixels) {
  // Of 2 pixels, whose noise has 4 and 7 times the variance of the sky's, 3 squared; 10 is subtracted as from any
  // pixel.
  SourceSums found{}, variances{};
  found.npix = variances.npix = 2;
  found.v = 30;
  variances.v = (4 - 10) + (7 - 10);
  MeasurementConfig config;
  config.gain = 0.5;
  const Sources s = derive_columns({std::span(&found, 1), {}, std::span(&variances, 1)}, {9, 9}, {15, 10, 3}, config);
  EXPECT_DOUBLE_EQ(s[columns::fluxerr_iso][0], std::sqrt((4 + 7) * 9.0));
  EXPECT_DOUBLE_EQ(s[columns::snr][0], 30 / std::sqrt(99.0));
}

TYPED_TEST(Measure, SurvivesASourceWhoseFluxIsZero) {
  // An absolute threshold below the background can give a source of no net flux: no position, but no failure.
  const Sources s = this->columns({"zero", {4, 1}, {-9, 1, -1, -9}}, -5, 0, 1);
  ASSERT_EQ(s.size(), 1);
  EXPECT_EQ(s[columns::flux_iso][0], 0);
  for (const double undefined : {s[columns::x_image][0], s[columns::y_image][0], s[columns::x2_image][0],
                                 s[columns::a_image][0], s[columns::b_image][0], s[columns::theta_image][0]}) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &undefined, sizeof(bits));
    EXPECT_EQ(bits, 0x7ff8000000000000U);  // one NaN on every processor, for catalogues are compared by bytes
  }
  EXPECT_EQ(s[columns::npix][0], 2);
}

}  // namespace
}  // namespace srcextract
