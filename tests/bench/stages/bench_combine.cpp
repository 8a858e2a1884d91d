// Planes combined into one image, on pixels that are where they are needed. The limit is that every plane is read and
// the image written once: bytes_per_second against what the memory can do.
#include <cstring>
#include <limits>
#include <memory>

#include "stages/combine/combine.hpp"
#include "tests/bench/stages/benchmarks.hpp"
#include "tests/bench/stages/timing.hpp"

namespace srcextract::bench {
namespace {

constexpr int repetitions = 25;

struct Combination {
  std::string name;
  CombineMethod method;
  int planes;
  std::int64_t size;
  std::int64_t masked_every = 0;  ///< pixels of a plane; 0 = none are
};

/// The planes, and their skies if they are needed.
template <class Where>
class Prepared {
 public:
  Prepared(const Combination& wanted, const Where& where) : where_(where), out_({wanted.size, wanted.size}, where) {
    config_.method = wanted.method;
    std::vector<float> pixels = sky(wanted.size);
    for (int i = 0; i < wanted.planes; ++i) {
      if (wanted.masked_every > 0) mask(pixels, i, wanted.masked_every);
      planes_.push_back(ingest(source_of(pixels), where_));
      if (needs_skies(wanted.method)) {
        skies_.push_back(estimate_background(planes_.back().image, BackgroundConfig{}, where_));
      }
    }
    synchronize(where_);
    run();
  }

  /// Seconds that it takes.
  double run() {
    const auto combine = [&] {
      combine_planes(planes_, skies_, config_, out_, where_);
      return out_.image.pixels.data();
    };
    return seconds_of(combine, where_);
  }

  std::int64_t bytes() const {
    return (static_cast<std::int64_t>(planes_.size()) + 1) * out_.image.shape.count() *
           static_cast<std::int64_t>(sizeof(float));
  }

 private:
  /// Other pixels in every plane.
  static void mask(std::vector<float>& pixels, int plane, std::int64_t every) {
    for (auto i = static_cast<std::size_t>(plane); i < pixels.size(); i += static_cast<std::size_t>(every)) {
      pixels[i] = std::numeric_limits<float>::quiet_NaN();
    }
  }

  PixelSource source_of(const std::vector<float>& pixels) const {
    return {out_.image.shape, {.big_endian = false}, [&](auto first, auto count, std::byte* to) {
              std::memcpy(to, pixels.data() + first, static_cast<std::size_t>(count) * sizeof(float));
            }};
  }

  Where where_;
  CombineConfig config_;
  std::vector<Pixels<Where>> planes_;
  std::vector<Value<Background, Where>> skies_;
  Pixels<Where> out_;
};

/// The repetitions of a benchmark share one.
template <class Where>
void time_combination(benchmark::State& state, const Combination& wanted) {
  const Where where = place<Where>();  // made first, so that it outlives what is kept on it
  static std::string last;
  static std::unique_ptr<Prepared<Where>> prepared;
  if (wanted.name != last) {
    prepared.reset();
    prepared = std::make_unique<Prepared<Where>>(wanted, where);
    last = wanted.name;
  }
  for ([[maybe_unused]] auto unused : state) state.SetIterationTime(prepared->run());
  state.SetBytesProcessed(state.iterations() * prepared->bytes());
}

template <class Where>
void add_combinations(const std::string& backend, std::int64_t size) {
  constexpr std::int64_t of_medians = 4096;
  for (Combination wanted : {Combination{"luminosity_of_3", CombineMethod::luminosity, 3, size},
                             {"luminosity_of_3_masked", CombineMethod::luminosity, 3, size, 101},
                             {"inverse_variance_of_3", CombineMethod::inverse_variance, 3, size},
                             {"median_of_3", CombineMethod::median, 3, of_medians},
                             {"median_of_9", CombineMethod::median, 9, of_medians}}) {
    wanted.name = backend + "/combine_" + wanted.name + "/" + std::to_string(wanted.size);
    add_repeated(wanted.name, repetitions,
                 [wanted](benchmark::State& state) { time_combination<Where>(state, wanted); });
  }
}

}  // namespace

void add_cpu_combinations() {
  add_combinations<Cpu>("cpu", 4096);
}

#if SRCEXTRACT_HAVE_CUDA
void add_cuda_combinations() {
  add_combinations<Gpu>("cuda", 8192);
}
#endif

}  // namespace srcextract::bench
