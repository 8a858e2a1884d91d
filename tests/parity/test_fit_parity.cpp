// The fitted difference: CPU and CUDA bodies on the same frames, to the last bit. Where no GPU is, the CPU stands
// against itself on another number of threads.

#include <algorithm>
#include <string>

#include "stages/difference/difference.hpp"
#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/subtract_fitted.hpp"
#include "tests/parity/parity_support.hpp"
#include "tests/support/fit_scene.hpp"

namespace srcextract {
namespace {

using testing::Backend;
using testing::Backends;
using testing::FitScene;
using testing::same_bytes;
using testing::StageTest;

/// How a pair is subtracted.
struct FitCase {
  std::string name;
  FitScene scene;
  FrameLight light = {};
  DifferenceConfig config = {};
  std::vector<float> reference_map = {}, fresh_map = {};  ///< variances of pixels; empty: none
};

/// Masked pixels here and there, a masked column, and a block.
FitScene with_masks(FitScene scene) {
  for (std::size_t i = 5; i < scene.reference.size(); i += 211) scene.reference[i] = masked_pixel;
  for (std::size_t i = 3; i < scene.fresh.size(); i += 173) scene.fresh[i] = masked_pixel;
  for (std::int64_t y = 0; y < scene.shape.height; ++y)
    scene.reference[static_cast<std::size_t>(y * scene.shape.width + 77)] = masked_pixel;
  for (std::int64_t y = 30; y < 60; ++y)
    std::fill_n(scene.fresh.begin() + y * scene.shape.width + 200, 30, masked_pixel);
  return scene;
}

/// The detector holds no more than so much.
FitScene with_limit(FitScene scene, float most) {
  for (std::vector<float>* frame : {&scene.reference, &scene.fresh})
    for (float& pixel : *frame) pixel = std::min(pixel, most);
  return scene;
}

FitScene exchanged(FitScene scene) {
  std::swap(scene.reference, scene.fresh);
  return scene;
}

/// Variances that grow along rows, some of them not known.
std::vector<float> map_of_noise(const Shape& shape, std::size_t step) {
  std::vector<float> map(static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i < map.size(); ++i)
    map[i] = i % step == 0 ? masked_pixel : 4 + 0.1F * static_cast<float>(i % static_cast<std::size_t>(shape.width));
  return map;
}

/// Shapes that are no multiple of a tile, either direction, all orders, saturation.
std::vector<FitCase> fit_cases() {
  const FitScene plain = testing::expose({});
  const FitScene odd = testing::expose({.shape = {331, 257}, .seed = 7});
  const FitScene wide = testing::expose({.shape = {300, 300}, .reference_sigma = 2.6, .seed = 9});
  std::vector<FitCase> cases{{"plain", plain},
                             {"odd", odd, {1.5, 0}},
                             {"masks", with_masks(odd), {1.5, 0}},
                             {"saturated", with_masks(plain), {1.5, 2500}},
                             {"unknown saturation", with_limit(with_masks(plain), 1000), {1.5, 0}},
                             {"new convolved", exchanged(with_masks(plain)), {1.5, 0}},
                             {"wide kernel", wide},
                             {"few stamps", testing::expose({.stars = 8, .seed = 3})}};
  cases.push_back({"constant", plain});
  cases.back().config.kernel_order = cases.back().config.flux_order = cases.back().config.background_order = 0;
  cases.push_back({"third order", plain});
  cases.back().config.kernel_order = cases.back().config.flux_order = cases.back().config.background_order = 3;
  static const Square shared{1, {0.1, 0.2, 0.1, 0.2, 0.6, 0.2, 0.1, 0.2, 0.1}};
  cases.push_back({"resampled", odd, {.gain = 1.5, .shared = &shared}});
  FitCase mapped{
      "maps of both", with_masks(odd), {1.5, 0, true}, {}, map_of_noise(odd.shape, 60), map_of_noise(odd.shape, 90)};
  cases.push_back(mapped);
  mapped.name = "a map of the new frame";
  mapped.scene = exchanged(mapped.scene);
  mapped.light.rescales = false;
  mapped.reference_map.clear();
  cases.push_back(mapped);
  return cases;
}

struct FitResults {
  std::vector<float> difference, noise, noise_of_stars;
  std::vector<std::vector<float>> frames;  ///< StarFrames
  std::int64_t masked;
  FitFacts facts;
};

template <class Where>
FitResults run_fit(const Backend<Where>& backend, const FitCase& one, const Where& where) {
  const auto reference = testing::put_image(backend, one.scene.shape, one.scene.reference);
  const auto fresh = testing::put_image(backend, one.scene.shape, one.scene.fresh);
  const auto map_on = [&](const std::vector<float>& map) {
    return map.empty() ? Image<float, Where>() : testing::put_image(backend, one.scene.shape, map);
  };
  const Image<float, Where> of_reference = map_on(one.reference_map), of_fresh = map_on(one.fresh_map);
  const FrameMaps<Where> maps{map_of(of_reference), map_of(of_fresh)};
  const KernelFit fit = fit_kernel(reference, fresh, one.config, {one.light, one.light}, where, maps);
  Pixels<Where> out(one.scene.shape, where);
  subtract_fitted(reference, fresh, fit, out, where, maps, true);
  if (maps.any()) multiply(out.variance, 0.7, where);
  const StarFrames<Where>& frames = out.star.frames;
  return {backend.get(out.image.pixels),
          backend.get(out.noise.pixels),
          maps.any() ? backend.get(out.variance.pixels) : std::vector<float>{},
          {backend.get(frames.reference.pixels), backend.get(frames.noise_of_new.pixels),
           backend.get(frames.noise_of_reference.pixels)},
          fetch(out.masked, where).nan,
          fit.facts};
}

template <class Where>
class FitParity : public StageTest<Where> {};
TYPED_TEST_SUITE(FitParity, Backends);

TYPED_TEST(FitParity, EveryPixelEqualsOneThreadToTheLastBit) {
  for (const FitCase& one : fit_cases()) {
    const FitResults host = run_fit(Backend<Cpu>(), one, Cpu{1});
    const FitResults here = run_fit(this->backend(), one, this->where());
    EXPECT_TRUE(same_bytes(host.difference, here.difference)) << one.name << ": difference";
    EXPECT_TRUE(same_bytes(host.noise, here.noise)) << one.name << ": noise";
    EXPECT_TRUE(same_bytes(host.noise_of_stars, here.noise_of_stars)) << one.name << ": noise of stars";
    for (std::size_t i = 0; i < host.frames.size(); ++i)
      EXPECT_TRUE(same_bytes(host.frames[i], here.frames.at(i))) << one.name << ": frame " << i;
    EXPECT_EQ(host.masked, here.masked) << one.name;
    EXPECT_EQ(host.facts.candidates, here.facts.candidates) << one.name;
    EXPECT_EQ(host.facts.reference_pile_up, here.facts.reference_pile_up) << one.name;
    EXPECT_EQ(host.facts.reference_pile_up, one.name == "unknown saturation" ? 1000 : 0) << one.name;
    EXPECT_EQ(host.facts.condition, here.facts.condition) << one.name;
    EXPECT_EQ(host.facts.residual, here.facts.residual) << one.name;
    EXPECT_LT(host.masked, one.scene.shape.count() * 3 / 4) << one.name << ": hardly a pixel was compared";
  }
}

}  // namespace
}  // namespace srcextract
