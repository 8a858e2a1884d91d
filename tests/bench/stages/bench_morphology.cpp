// Erosion of a foreground that is where it is needed, by itself and as the stage that goes from runs to runs; on a
// device the time between events.
#include <memory>

#include "stages/detect/morphology.hpp"
#include "tests/bench/stages/benchmarks.hpp"
#include "tests/bench/stages/timing.hpp"

namespace srcextract::bench {
namespace {

constexpr int repetitions = 25;

/// What is above 5 sigma in the sky of a size.
template <class Where>
struct Foreground {
  explicit Foreground(std::int64_t size) : shape{size, size} {
    const testing::Backend<Where> backend;
    Image<float, Where> image;
    image.shape = shape;
    image.pixels = backend.put(sky(size));
    runs = find_runs(image, testing::put_levels(backend, 5), where);
    mask = to_mask(runs, where);
    synchronize(where);
  }

  Shape shape;
  Where where = place<Where>();
  Runs<Where> runs;
  BitMask<Where> mask;
};

/// The foreground of a size, shared by the benchmarks that follow one another.
template <class Where>
const Foreground<Where>& foreground(std::int64_t size) {
  place<Where>();  // made first, so that it outlives what is kept on it
  static std::unique_ptr<Foreground<Where>> last;
  if (!last || last->shape.width != size) {
    last.reset();
    last = std::make_unique<Foreground<Where>>(size);
  }
  return *last;
}

template <class Where, class Work>
void add(const std::string& backend, const std::string& name, std::int64_t size, const Work& work) {
  add_repeated(backend + "/" + name + "/" + std::to_string(size), repetitions, [=](benchmark::State& state) {
    const Foreground<Where>& input = foreground<Where>(size);
    const auto run = [&] { return work(input); };
    seconds_of(run, input.where);  // what it needs is allocated, and the caches are as they are from now on
    for ([[maybe_unused]] auto unused : state) state.SetIterationTime(seconds_of(run, input.where));
    state.SetBytesProcessed(2 * static_cast<std::int64_t>(sizeof(std::uint32_t)) * input.mask.words.size());
  });
}

template <class Where>
void add_morphology(const std::string& backend) {
  using Input = Foreground<Where>;
  for (const std::int64_t size : {4096, 8192}) {
    add<Where>(backend, "erode cross", size,
               [](const Input& in) { return erode(in.mask, StructuringElement::cross, 1, in.where); });
    add<Where>(backend, "erode square", size,
               [](const Input& in) { return erode(in.mask, StructuringElement::square, 1, in.where); });
    add<Where>(backend, "morphology", size, [](const Input& in) {
      return apply_morphology(in.runs, {MorphologicalOperation::opening, StructuringElement::cross, 1}, in.where);
    });
  }
}

}  // namespace

void add_cpu_morphology() {
  add_morphology<Cpu>("cpu");
}

#if SRCEXTRACT_HAVE_CUDA
void add_cuda_morphology() {
  add_morphology<Gpu>("cuda");
}
#endif

}  // namespace srcextract::bench
