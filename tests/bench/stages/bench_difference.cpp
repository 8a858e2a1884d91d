// A difference with a fitted kernel of frames that are resident: the fit with the shape of the stars, and the image.
#include <memory>
#include <utility>

#include "stages/difference/fit/fit_kernel.hpp"
#include "stages/difference/fit/subtract_fitted.hpp"
#include "tests/bench/stages/benchmarks.hpp"
#include "tests/bench/stages/timing.hpp"
#include "tests/support/fit_scene.hpp"

namespace srcextract::bench {
namespace {

constexpr std::int64_t size = 4096;

template <class Where>
struct Frames {
  Image<float, Where> reference, fresh;
};

/// Frames of 400 stars per 1024 x 1024 pixels, where they are subtracted.
template <class Where>
Frames<Where> expose_on(const Where& where) {
  const testing::FitScene scene = testing::expose({.shape = {size, size}, .stars = 6400, .reference_sigma = 1.3});
  const auto put = [&](const std::vector<float>& pixels) {
    Image<float, Where> image;
    image.shape = scene.shape;
    Buffer<float, Cpu> copy(scene.shape.count(), Cpu{});
    std::ranges::copy(pixels, copy.begin());
    if constexpr (std::is_same_v<Where, Cpu>) {
      image.pixels = std::move(copy);
    } else {
      image.pixels = to_device(copy, where);
    }
    return image;
  };
  return {put(scene.reference), put(scene.fresh)};
}

template <class Where>
void time_difference(benchmark::State& state, const Where& where) {
  static const Frames<Where> frames = expose_on(where);
  const FrameLights lights{{.gain = 1.5}, {.gain = 1.5}};
  const auto subtract = [&] {
    Pixels<Where> out(frames.fresh.shape, where);
    const KernelFit fit = fit_kernel(frames.reference, frames.fresh, {}, lights, where);
    subtract_fitted(frames.reference, frames.fresh, fit, out, where);
    return out;
  };
  for (int warm_up = 0; warm_up < 2; ++warm_up) subtract();
  for ([[maybe_unused]] auto unused : state) state.SetIterationTime(wall_seconds_of(subtract, where));
  state.counters["fit"] =
      wall_seconds_of([&] { return fit_kernel(frames.reference, frames.fresh, {}, lights, where); }, where);
}

}  // namespace

void add_cpu_differences() {
  for (const int threads : thread_counts())
    add_repeated("cpu/difference/" + std::to_string(size) + "/threads:" + std::to_string(threads), 5,
                 [threads](benchmark::State& state) { time_difference(state, Cpu{threads}); });
}

#if SRCEXTRACT_HAVE_CUDA
void add_cuda_differences() {
  add_repeated("cuda/difference/" + std::to_string(size), 25, [](benchmark::State& state) {
    static const Stream stream(0, available_threads());
    time_difference(state, stream.where());
  });
}
#endif

}  // namespace srcextract::bench
