// The fitted difference: CPU and CUDA bodies on the same frames, to the last bit. Where no GPU is, the CPU stands
// against itself on another number of threads.

#include <algorithm>
#include <string>

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

FitScene exchanged(FitScene scene) {
  std::swap(scene.reference, scene.fresh);
  return scene;
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
                             {"new convolved", exchanged(with_masks(plain)), {1.5, 0}},
                             {"wide kernel", wide},
                             {"few stamps", testing::expose({.stars = 8, .seed = 3})}};
  cases.push_back({"constant", plain});
  cases.back().config.kernel_order = cases.back().config.flux_order = cases.back().config.background_order = 0;
  cases.push_back({"third order", plain});
  cases.back().config.kernel_order = cases.back().config.flux_order = cases.back().config.background_order = 3;
  return cases;
}

struct FitResults {
  std::vector<float> difference, noise;
  std::int64_t masked;
  FitFacts facts;
};

template <class Where>
FitResults run_fit(const Backend<Where>& backend, const FitCase& one, const Where& where) {
  const auto reference = testing::put_image(backend, one.scene.shape, one.scene.reference);
  const auto fresh = testing::put_image(backend, one.scene.shape, one.scene.fresh);
  const KernelFit fit = fit_kernel(reference, fresh, one.config, {one.light, one.light}, where);
  Pixels<Where> out(one.scene.shape, where);
  subtract_fitted(reference, fresh, fit, out, where);
  return {backend.get(out.image.pixels), backend.get(out.noise.pixels), fetch(out.masked, where).nan, fit.facts};
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
    EXPECT_EQ(host.masked, here.masked) << one.name;
    EXPECT_EQ(host.facts.condition, here.facts.condition) << one.name;
    EXPECT_EQ(host.facts.residual, here.facts.residual) << one.name;
    EXPECT_LT(host.masked, one.scene.shape.count() * 3 / 4) << one.name << ": hardly a pixel was compared";
  }
}

}  // namespace
}  // namespace srcextract
