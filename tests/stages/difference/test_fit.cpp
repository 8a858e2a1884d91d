// The fitted kernel: what is known of a pair of frames is found again, on any number of threads, and what cannot be
// fitted is refused with a reason.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "stages/core/error.hpp"
#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/subtract_fitted.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/fit_scene.hpp"
#include "tests/support/same_bits.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::FitScene;
using testing::nan;
using testing::same_bits;
using testing::StageTest;

constexpr FrameLight no_light{};

DifferenceConfig fitted() {
  DifferenceConfig config;
  config.kernel = MatchingKernel::fitted;
  return config;
}

/// The results of the stages for a scene, on the host.
struct FittedScene {
  FitFacts facts;
  std::vector<float> difference, noise;
  std::int64_t masked;
};

template <class Where>
FittedScene subtract(const Backend<Where>& backend, const FitScene& scene, const DifferenceConfig& config,
                     const FrameLight& light, const Where& where) {
  const Image<float, Where> reference = testing::put_image(backend, scene.shape, scene.reference);
  const Image<float, Where> fresh = testing::put_image(backend, scene.shape, scene.fresh);
  const KernelFit fit = fit_kernel(reference, fresh, config, {light, light}, where);
  Pixels<Where> out(scene.shape, where);
  subtract_fitted(reference, fresh, fit, out, where);
  return {fit.facts, backend.get(out.image.pixels), backend.get(out.noise.pixels), fetch(out.masked, where).nan};
}

FittedScene subtract_on_host(const FitScene& scene, const DifferenceConfig& config = fitted(),
                             const FrameLight& light = no_light, int threads = 1) {
  return subtract(Backend<Cpu>(), scene, config, light, Cpu{threads});
}

/// The scatter of the pixels that are not masked.
double scatter(const std::vector<float>& pixels) {
  double sum = 0, count = 0;
  for (const float pixel : pixels)
    if (pixel == pixel) sum += static_cast<double>(pixel) * static_cast<double>(pixel), count += 1;
  return std::sqrt(sum / count);
}

/// The message of the error that a pair of frames causes.
std::string refusal(const FitScene& scene) {
  try {
    subtract_on_host(scene);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "none";
}

template <class Where>
class FittedDifference : public StageTest<Where> {};
TYPED_TEST_SUITE(FittedDifference, Backends);

TYPED_TEST(FittedDifference, FindsTheKernelThatMadeTheNewFrame) {
  const FitScene scene = testing::expose({});
  const FittedScene made = subtract(this->backend(), scene, fitted(), no_light, this->where());
  const FitFacts& facts = made.facts;
  EXPECT_FALSE(facts.convolved_new);
  EXPECT_NEAR(facts.mean_sum, 0.825, 0.004);
  EXPECT_NEAR(facts.most_sum - facts.least_sum, 0.05 * 7 / 8, 0.012);
  EXPECT_NEAR(facts.reference_fwhm, 1.3 * 2.3548, 0.1);
  EXPECT_NEAR(facts.new_fwhm, std::sqrt(1.69 + 1.5) * 2.3548, 0.15);
  EXPECT_NEAR(facts.most_background - facts.least_background, 6 * 7.0 / 8, 1);
  EXPECT_NEAR(facts.shift_x, 0, 0.02);
  EXPECT_NEAR(facts.shift_y, 0, 0.02);
  // Only noise is left: the new frame's, and the reference's after the kernel has smoothed it.
  EXPECT_NEAR(scatter(made.difference), std::sqrt(facts.sky_variance), 0.05 * scene.noise);
}

TYPED_TEST(FittedDifference, IsTheSameOnAnyNumberOfThreads) {
  FitScene scene = testing::expose({});
  for (std::size_t i = 0; i < scene.reference.size(); i += 97) scene.reference[i] = nan;
  for (std::size_t i = 11; i < scene.fresh.size(); i += 131) scene.fresh[i] = nan;
  const FrameLight light{2, 3000};
  const FittedScene made = subtract(this->backend(), scene, fitted(), light, this->where());
  for (const int threads : {1, 8}) {
    const FittedScene other = subtract_on_host(scene, fitted(), light, threads);
    EXPECT_TRUE(same_bits(made.difference, other.difference)) << threads;
    EXPECT_TRUE(same_bits(made.noise, other.noise)) << threads;
    EXPECT_EQ(made.masked, other.masked);
    EXPECT_EQ(made.facts.condition, other.facts.condition);
  }
}

TEST(FittedDifferenceOnHost, AShiftIsReported) {
  FitScene scene;
  scene.shift = 0.15;
  EXPECT_NEAR(subtract_on_host(testing::expose(scene)).facts.shift_x, 0.15, 0.02);
}

TEST(FittedDifferenceOnHost, ConvolvesTheSharperFrameInCountsOfTheNewOne) {
  FitScene scene = testing::expose({});
  const FittedScene forth = subtract_on_host(scene);
  std::swap(scene.reference, scene.fresh);
  const FittedScene back = subtract_on_host(scene);
  EXPECT_FALSE(forth.facts.convolved_new);
  EXPECT_TRUE(back.facts.convolved_new);
  // The frames were exchanged, so the sign is turned, and the counts have the unit of the other frame.
  const auto pixel = static_cast<std::size_t>(140 * scene.shape.width + 160);
  EXPECT_NEAR(back.difference[pixel], -forth.difference[pixel] / 0.825F, 0.2F);
  DifferenceConfig config = fitted();
  config.convolve = Convolved::reference;
  EXPECT_FALSE(subtract_on_host(scene, config).facts.convolved_new);
}

TEST(FittedDifferenceOnHost, MasksWhatBadPixelsAndEdgesHide) {
  FitScene scene = testing::expose({});
  const auto at = [&](std::int64_t x, std::int64_t y) { return static_cast<std::size_t>(y * scene.shape.width + x); };
  scene.fresh[at(150, 150)] = nan;
  scene.reference[at(200, 200)] = nan;
  const FittedScene made = subtract_on_host(scene);
  const auto masked = [&](std::int64_t x, std::int64_t y) { return std::isnan(made.difference[at(x, y)]); };
  EXPECT_TRUE(masked(150, 150) && masked(200, 200) && masked(3, 150));
  EXPECT_FALSE(masked(151, 150) || masked(205, 200) || masked(100, 100));
  EXPECT_EQ(made.masked, std::ranges::count_if(made.difference, [](float pixel) { return pixel != pixel; }));
}

TEST(FittedDifferenceOnHost, RefusesWhatCannotBeFitted) {
  using ::testing::HasSubstr;
  FitScene few = testing::expose({.stars = 2});
  EXPECT_THAT(refusal(few), HasSubstr("needs 3 stars"));
  FitScene flat = testing::expose({});
  std::ranges::fill(flat.reference, 7.0F);
  EXPECT_THAT(refusal(flat), HasSubstr("the reference are all masked or nearly all equal"));
  FitScene apart = testing::expose({});
  const auto half = static_cast<std::ptrdiff_t>(apart.fresh.size() / 2);
  std::fill(apart.fresh.begin(), apart.fresh.begin() + half, nan);
  std::fill(apart.reference.begin() + half, apart.reference.end(), nan);
  EXPECT_THAT(refusal(apart), HasSubstr("no pixel is good in both frames"));
}

/// Stars that pile up at a value that no header tells are masked; where too few are left the message has the value.
TEST(FittedDifferenceOnHost, SaysThatASaturationWasSeenWhereTheFitFails) {
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  using ::testing::Not;
  FitScene scene = testing::expose({.stars = 0, .noise = 1});
  for (const double x : {80.0, 160.0, 240.0}) {
    testing::add_gaussian(scene.reference, scene.shape, x, 140, 20000, 1.69);
    testing::add_gaussian(scene.fresh, scene.shape, x, 140, 16000, 3.2);
  }
  EXPECT_EQ(refusal(scene), "none");
  EXPECT_THAT(refusal(testing::expose({.stars = 2})), Not(HasSubstr("greatest value")));
  for (float& pixel : scene.fresh) pixel = std::min(pixel, 400.5F);
  EXPECT_THAT(refusal(scene), AllOf(HasSubstr("pixels of the new frame share its greatest value, 400.5,"),
                                    HasSubstr("set measurement.saturation")));
}

TEST(FittedDifferenceOnHost, AVariableStarDoesNotPullTheFit) {
  FitScene scene = testing::expose({});
  testing::add_gaussian(scene.fresh, scene.shape, 160, 144, 50000, 3);
  const FittedScene made = subtract_on_host(scene);
  EXPECT_NEAR(made.facts.mean_sum, 0.825, 0.004);
}

/// Frames of equal seeing: Gaussian stars of these variances, and white noise.
FitScene equal_seeing(unsigned seed, double before, double after) {
  FitScene scene{.shape = {420, 400}, .stars = 90, .noise = 40, .seed = seed};
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, scene.noise);
  std::uniform_real_distribution<double> uniform;
  for (std::vector<float>* frame : {&scene.reference, &scene.fresh})
    for (std::int64_t i = 0; i < scene.shape.count(); ++i) frame->push_back(static_cast<float>(normal(random)));
  for (int star = 0; star < scene.stars; ++star) {
    const double x = 400 * uniform(random), y = 380 * uniform(random),
                 flux = 3000 * std::pow(uniform(random) + 0.01, -0.8);
    testing::add_gaussian(scene.reference, scene.shape, x, y, flux, before);
    testing::add_gaussian(scene.fresh, scene.shape, x, y, flux, after);
  }
  return scene;
}

/// The flux of a star of the reference after the fitted kernel, by the shape that it should have, over the truth.
double matched_flux(const FitScene& scene, double before, double after) {
  const auto reference = testing::put_image(Backend<Cpu>(), scene.shape, scene.reference);
  const auto fresh = testing::put_image(Backend<Cpu>(), scene.shape, scene.fresh);
  const KernelFit fit = fit_kernel(reference, fresh, fitted(), {}, Cpu{2}, {}, false);
  EXPECT_FALSE(fit.convolves_new);
  const std::vector<double> kernel = kernel_in_middle(fit, scene.shape);
  const int half = fit.basis.half, side = fit.basis.width();
  const auto star = [](int x, int y, double variance) {
    return std::exp(-(x * x + y * y) / (2 * variance)) / variance;
  };
  double light = 0, square = 0;
  for (int y = -half; y <= half; ++y) {
    for (int x = -half; x <= half; ++x) {
      double model = 0;
      for (int v = -half; v <= half; ++v)
        for (int u = -half; u <= half; ++u)
          model += kernel[static_cast<std::size_t>((v + half) * side + u + half)] * star(x - u, y - v, before);
      light += star(x, y, after) * model;
      square += star(x, y, after) * star(x, y, after);
    }
  }
  return light / square;
}

/// Least squares that take the convolved frame for free of noise lose 1.1 to 1.2 % of the flux here.
TEST(FittedDifferenceOnHost, NoiseOfTheConvolvedFrameHardlyWidensTheKernel) {
  constexpr int scenes = 12;
  for (const auto& [before, after] : {std::pair(1.5, 1.55), std::pair(2.0, 2.15)}) {
    double sum = 0;
    for (unsigned seed = 1; seed <= scenes; ++seed)
      sum += matched_flux(equal_seeing(seed, before, after), before, after);
    EXPECT_NEAR(sum / scenes, 0.997, 0.006) << before;
  }
}

/// Noise that was smoothed is in the products with fewer fine structures than white noise, of which too much would be
/// taken away.
TEST(FittedDifferenceOnHost, SmoothedNoiseIsNotTakenForWhiteNoise) {
  FitScene scene = testing::expose({.noise = 12});
  std::vector<float> smooth = scene.reference;
  for (std::int64_t y = 1; y + 1 < scene.shape.height; ++y)
    for (std::int64_t x = 1; x + 1 < scene.shape.width; ++x) {
      float sum = 0;
      for (int k = 0; k < 9; ++k)
        sum += scene.reference[static_cast<std::size_t>((y + k / 3 - 1) * scene.shape.width + x + k % 3 - 1)];
      smooth[static_cast<std::size_t>(y * scene.shape.width + x)] = sum / 9;
    }
  scene.reference = smooth;
  const FittedScene made = subtract_on_host(scene);
  EXPECT_NEAR(made.facts.mean_sum, 0.825, 0.02);
  EXPECT_LT(made.facts.chi_p95, 1.6 * made.facts.chi_median);
  EXPECT_LT(scatter(made.difference), 1.3 * scene.noise);
}

/// The stars of the new frame are Gaussians that grow wider to the right.
TEST(StarProfileOfAFit, IsTheShapeOfTheStarsAllOverTheField) {
  const FitScene scene = testing::expose({.shape = {640, 512}, .stars = 220, .noise = 1});
  const auto reference = testing::put_image(Backend<Cpu>(), scene.shape, scene.reference);
  const auto fresh = testing::put_image(Backend<Cpu>(), scene.shape, scene.fresh);
  const KernelFit fit = fit_kernel(reference, fresh, fitted(), {}, Cpu{2});
  const StarView star = fit.star.view();
  for (const double x : {60.0, 320.0, 580.0}) {
    const double variance = scene.reference_sigma * scene.reference_sigma + scene.kernel_variance(x);
    const double peak = 1 / (2 * 3.14159265358979 * variance);
    const FieldTerms at = star.at(x, 256);
    double light = 0;
    for (int v = -star.light.half; v <= star.light.half; ++v) {
      for (int u = -star.light.half; u <= star.light.half; ++u) {
        light += star.light.node(u, v, at);
        EXPECT_NEAR(star.light.node(u, v, at) / peak, std::exp(-(u * u + v * v) / (2 * variance)), 0.03)
            << x << ": " << u << ", " << v;
      }
    }
    EXPECT_NEAR(light, 1, 0.01) << x;
  }
  EXPECT_GE(star.light.terms, 3);
}

TEST(StarProfileOfAFit, IsLeftOutIfNobodyAsksForIt) {
  const FitScene scene = testing::expose({});
  const auto reference = testing::put_image(Backend<Cpu>(), scene.shape, scene.reference);
  const auto fresh = testing::put_image(Backend<Cpu>(), scene.shape, scene.fresh);
  const KernelFit with = fit_kernel(reference, fresh, fitted(), {}, Cpu{1});
  const KernelFit without = fit_kernel(reference, fresh, fitted(), {}, Cpu{1}, {}, false);
  EXPECT_TRUE(without.star.empty());
  EXPECT_EQ(without.coefficients.values, with.coefficients.values);
  Pixels<Cpu> out(scene.shape, Cpu{1});
  subtract_fitted(reference, fresh, without, out, Cpu{1});
  EXPECT_TRUE(out.star.empty());
}

TEST(StarProfileOfAFit, IsTheSameOnAnyNumberOfThreads) {
  const FitScene scene = testing::expose({});
  const auto reference = testing::put_image(Backend<Cpu>(), scene.shape, scene.reference);
  const auto fresh = testing::put_image(Backend<Cpu>(), scene.shape, scene.fresh);
  const KernelFit one = fit_kernel(reference, fresh, fitted(), {}, Cpu{1});
  const KernelFit eight = fit_kernel(reference, fresh, fitted(), {}, Cpu{8});
  EXPECT_TRUE(std::ranges::equal(one.star.values, eight.star.values));
  EXPECT_EQ(one.star.in_middle, eight.star.in_middle);
}

}  // namespace
}  // namespace srcextract
