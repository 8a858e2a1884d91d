// What Thrust and CUB take where kernels of our own are used (the table in docs/architecture.md).
#include <cstring>

#include "tests/bench/stages/benchmarks.hpp"

#if SRCEXTRACT_HAVE_CUDA
#include "stages/difference/difference.hpp"
#include "stages/ingest/ingest.hpp"
#include "stages/sky/background.hpp"
#include "stages/sky/sky_sample.hpp"
#include "tests/bench/stages/library_kernels.hpp"
#include "tests/bench/stages/timing.hpp"

namespace srcextract::bench {
namespace {

constexpr int repetitions = 25;

/// Something queued `times` over, so that launching is not what is measured.
template <class Work>
void time_queued(benchmark::State& state, const Gpu& where, const Work& work) {
  constexpr int times = 20;
  const auto all = [&] {
    for (int i = 0; i < times; ++i) work();
    return times;
  };
  for ([[maybe_unused]] auto unused : state) state.SetIterationTime(seconds_of(all, where) / times);
}

Image<float, Gpu> image_of(std::int64_t size, const Gpu& where) {
  const PixelSource source{{size, size}, {.big_endian = false}, [&](auto first, auto count, std::byte* to) {
                             std::memcpy(to, sky(size).data() + first, static_cast<std::size_t>(count) * sizeof(float));
                           }};
  return std::move(ingest(source, where).image);
}

/// work(image, where) on an image of that size.
template <class Work>
void add(const std::string& name, std::int64_t size, const Work& work) {
  add_repeated("cuda/library/" + name + "/" + std::to_string(size), repetitions, [size, work](benchmark::State& state) {
    const Gpu where = place<Gpu>();
    Image<float, Gpu> image = image_of(size, where);
    time_queued(state, where, [&] { work(image, where); });
  });
}

void add_element_wise(std::int64_t size) {
  add("negate_ours", size, [](Image<float, Gpu>& image, const Gpu& where) { negate(image, where); });
  add("negate_thrust", size, [](Image<float, Gpu>& image, const Gpu& where) {
    thrust_negate(image.pixels.data(), image.shape.count(), where.stream);
  });
  add("weigh_ours", size, [](Image<float, Gpu>& image, const Gpu& where) {
    static const Value<Background, Gpu> level = estimate_background(image, {}, where);
    weigh_pixels(image, image, level, where);
  });
  add("weigh_thrust", size, [](Image<float, Gpu>& image, const Gpu& where) {
    Image<float, Gpu> out(image.shape, where);
    thrust_weigh(image.pixels.data(), image.pixels.data(), image.shape.count(), 0, out.pixels.data(), where.stream);
  });
}

/// Of ours the guess that the clip begins with is made as well.
void add_samples(std::int64_t size) {
  add("sample_sorted_and_guess_ours", size,
      [](Image<float, Gpu>& image, const Gpu& where) { draw_sample(image, where); });
  const auto sorting = [&](const std::string& name, const auto& sort) {
    add(name, size, [sort](Image<float, Gpu>& image, const Gpu& where) {
      const int samples = sample_size(image.shape.count());
      Buffer<float, Gpu> sorted(samples, where);
      sort(image.pixels.data(), image.shape.count(), samples, sorted.data(), where.stream);
    });
  };
  sorting("sample_sorted_cub", [](auto... arguments) { cub_sort_sample(arguments...); });
  sorting("sample_chunks_cub", [](auto... arguments) { cub_sort_chunks(arguments...); });
}

}  // namespace

void add_cuda_library() {
  add_element_wise(8192);
  for (const std::int64_t size : {2048, 8192}) add_samples(size);
}

}  // namespace srcextract::bench
#endif
