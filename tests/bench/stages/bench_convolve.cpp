// A convolution by itself on resident images: a Gaussian of 15 x 15 pixels, taken apart and not. The published one, of
// points every 16 pixels, also as one row of as many pixels, and with the way to the device and back.
#include <algorithm>
#include <limits>
#include <memory>

#include "stages/convolve/convolve.hpp"
#include "tests/bench/stages/benchmarks.hpp"
#include "tests/bench/stages/timing.hpp"

namespace srcextract::bench {
namespace {

constexpr int repetitions = 25;
constexpr std::int64_t published_size = 2048;

enum class Field { sky, sky_with_masked, points };
enum class Form { general, separable, row };

struct Case {
  std::string name;
  std::int64_t size;
  Form form;
  Field field = Field::sky;

  Shape shape() const { return form == Form::row ? Shape{size * size, 1} : Shape{size, size}; }
};

std::vector<Case> cases_of(std::int64_t size) {
  return {{"convolve_general_15", size, Form::general},
          {"convolve_general_15_masked", size, Form::general, Field::sky_with_masked},
          {"convolve_separable_15", size, Form::separable},
          {"convolve_separable_15_masked", size, Form::separable, Field::sky_with_masked}};
}

std::vector<Case> published_cases() {
  return {{"convolve_published_general", published_size, Form::general, Field::points},
          {"convolve_published_separable", published_size, Form::separable, Field::points},
          {"convolve_published_row", published_size, Form::row, Field::points}};
}

/// As published: exp(-r^2 / 2) where the kernel reaches from -2 to 2.
Kernel kernel_of(Form form) {
  ConvolveConfig config;
  config.kernel = KernelShape::gaussian;
  config.sigma = 3.5;
  config.size = 15;
  config.normalize = false;
  Kernel kernel = make_kernel(config);
  if (form == Form::general) kernel.along_x.clear(), kernel.along_y.clear();
  if (form == Form::row) {
    kernel.height = 1;
    kernel.weights = kernel.along_x;
    kernel.along_y = {1};
  }
  return kernel;
}

Buffer<float, Cpu> pixels_of(const Case& wanted) {
  constexpr std::int64_t masked_of = 1009, spacing = 16;
  const std::int64_t size = wanted.size;
  Buffer<float, Cpu> pixels(size * size, Cpu{});
  if (wanted.field == Field::points) {
    std::ranges::fill(pixels, 0.0F);
    for (std::int64_t y = spacing / 2; y < size; y += spacing) {
      for (std::int64_t x = spacing / 2; x < size; x += spacing) pixels[y * size + x] = 1;
    }
    return pixels;
  }
  std::ranges::copy(sky(size), pixels.begin());
  if (wanted.field == Field::sky_with_masked) {
    for (std::int64_t i = 0; i < pixels.size(); i += masked_of) pixels[i] = std::numeric_limits<float>::quiet_NaN();
  }
  return pixels;
}

Buffer<float, Cpu> put(const Buffer<float, Cpu>& pixels, const Cpu& where) {
  Buffer<float, Cpu> copy(pixels.size(), where);
  std::ranges::copy(pixels, copy.begin());
  return copy;
}

Value<Background, Cpu> put(const Background& background, const Cpu&) {
  return background;
}

#if SRCEXTRACT_HAVE_CUDA
Buffer<float, Gpu> put(const Buffer<float, Cpu>& pixels, const Gpu& where) {
  return to_device(pixels, where);
}

Value<Background, Gpu> put(const Background& background, const Gpu& where) {
  return to_device(background, where);
}
#endif

/// Several images in turn, so that no cache holds the next one.
template <class Where>
class Convolutions {
 public:
  explicit Convolutions(const Case& wanted)
      : kernel_(kernel_of(wanted.form)), sky_(put(Background{}, where_)), pixels_(pixels_of(wanted)) {
    constexpr std::int64_t more_than_a_cache = std::int64_t{256} << 20;
    const std::int64_t images = std::clamp<std::int64_t>(more_than_a_cache / (pixels_.size() * 4), 2, 16);
    for (std::int64_t i = 0; i < images; ++i) {
      images_.emplace_back();
      images_.back().shape = wanted.shape();
      images_.back().pixels = put(pixels_, where_);
    }
    run();
  }

  /// Seconds that the next takes.
  double run() {
    return seconds_of([this] { return convolve_next(); }, where_);
  }

#if SRCEXTRACT_HAVE_CUDA
  /// The same from pixels in memory that the host may page out, and back to such.
  double run_with_transfers() {
    return wall_seconds_of(
        [this] {
          images_[next_].pixels = put(pixels_, where_);
          return to_host(convolve_next().pixels, where_);
        },
        where_);
  }
#endif

 private:
  Image<float, Where> convolve_next() {
    const Image<float, Where>& image = images_[next_];
    next_ = (next_ + 1) % images_.size();
    return convolve(image, kernel_, Edges::zero, sky_, where_);
  }

  Where where_ = place<Where>();
  Kernel kernel_;
  Value<Background, Where> sky_;
  Buffer<float, Cpu> pixels_;
  std::vector<Image<float, Where>> images_;
  std::size_t next_ = 0;
};

/// `run` is how Convolutions are run. The repetitions of a benchmark share the images.
template <class Where>
void add_convolution(const std::string& backend, const Case& wanted, double (Convolutions<Where>::*run)()) {
  const std::string name = backend + "/" + wanted.name + "/" + std::to_string(wanted.size);
  add_repeated(name, repetitions, [=](benchmark::State& state) {
    place<Where>();  // made first, so that it outlives what is kept on it
    static std::string last;
    static std::unique_ptr<Convolutions<Where>> convolutions;
    if (name != last) {
      convolutions.reset();
      convolutions = std::make_unique<Convolutions<Where>>(wanted);
      last = name;
    }
    for ([[maybe_unused]] auto unused : state) state.SetIterationTime((*convolutions.*run)());
    state.SetItemsProcessed(wanted.shape().count());
  });
}

template <class Where>
void add_convolutions(const std::string& backend, const std::vector<Case>& cases) {
  for (const Case& wanted : cases) add_convolution<Where>(backend, wanted, &Convolutions<Where>::run);
}

}  // namespace

void add_cpu_convolutions() {
  add_convolutions<Cpu>("cpu", cases_of(2048));
  add_convolutions<Cpu>("cpu", published_cases());
}

#if SRCEXTRACT_HAVE_CUDA
void add_cuda_convolutions() {
  for (const std::int64_t size : {2048, 8192}) add_convolutions<Gpu>("cuda", cases_of(size));
  add_convolutions<Gpu>("cuda", published_cases());
  for (Case wanted : published_cases()) {
    wanted.name += "_with_transfers";
    add_convolution<Gpu>("cuda", wanted, &Convolutions<Gpu>::run_with_transfers);
  }
}
#endif

}  // namespace srcextract::bench
