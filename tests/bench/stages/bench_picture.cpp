// The picture of an image that is where it is needed: the whole stage, the equalised one at full size, and its parts.
#include <cmath>
#include <memory>
#include <string>

#include "io/pictures/png_file.hpp"
#include "stages/picture/overlay.hpp"
#include "stages/picture/picture.hpp"
#include "tests/bench/stages/benchmarks.hpp"
#include "tests/bench/stages/timing.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/usual_sources.hpp"

namespace srcextract::bench {
namespace {

constexpr int repetitions = 30;
constexpr std::int64_t picture_size = 1024;
constexpr std::int64_t bins = 4096;

Buffer<float, Cpu> put(const std::vector<float>& pixels, const Cpu&) {
  return testing::Backend<Cpu>().put(pixels);
}
#if SRCEXTRACT_HAVE_CUDA
Buffer<float, Gpu> put(const std::vector<float>& pixels, const Gpu& where) {
  return to_device(put(pixels, Cpu{}), where);
}
#endif

/// Everything that the parts of a picture pass on, made before the clock starts.
template <class Where>
struct Prepared {
  explicit Prepared(std::int64_t size) {
    image.shape = {size, size};
    image.pixels = put(sky(size), where);
    config.limits = Limits::minmax;
    config.stretch = Stretch::equalize;
    config.bins = bins;
    config.size = picture_size;
    range = display_range(image, config, where);
    counts = count_bins(image, range, bins, where);
    table = grey_table(Stretch::equalize, bins, counts, where);
    synchronize(where);
  }

  Where where = place<Where>();
  Image<float, Where> image;
  QuicklookConfig config;
  DisplayRange range;
  Buffer<std::uint32_t, Where> counts;
  Buffer<std::uint8_t, Where> table;
};

/// The input of a size, shared by the benchmarks that follow one another.
template <class Where>
const Prepared<Where>& prepared(std::int64_t size) {
  place<Where>();  // made first, so that it outlives what is kept on it
  static std::unique_ptr<Prepared<Where>> last;
  if (!last || last->image.shape.width != size) {
    last.reset();
    last = std::make_unique<Prepared<Where>>(size);
  }
  return *last;
}

/// Times part(prepared) until its work is complete; freeing what it made is not counted.
template <class Where, class Part>
void add_part(const std::string& backend, const std::string& name, std::int64_t size, const Part& part) {
  add_repeated(backend + "/" + name + "/" + std::to_string(size), repetitions, [=](benchmark::State& state) {
    const Prepared<Where>& input = prepared<Where>(size);
    const auto run = [&] { return part(input); };
    for ([[maybe_unused]] auto unused : state) state.SetIterationTime(wall_seconds_of(run, input.where));
    state.SetBytesProcessed(state.iterations() * input.image.shape.count() * static_cast<std::int64_t>(sizeof(float)));
  });
}

template <class Where>
Image<std::uint8_t, Where> draw_equalized(const Prepared<Where>& in, const DisplayRange& range) {
  const auto counts = count_bins(in.image, range, bins, in.where);
  return draw_grey(in.image, range, grey_table(Stretch::equalize, bins, counts, in.where), in.where);
}

template <class Where>
void add_parts(const std::string& backend, std::int64_t size) {
  using Input = Prepared<Where>;
  add_part<Where>(backend, "picture", size,
                  [](const Input& in) { return render_picture(in.image, in.config, in.where); });
  add_part<Where>(backend, "picture_equalized", size, [](const Input& in) { return draw_equalized(in, in.range); });
  add_part<Where>(backend, "picture_equalized_minmax", size,
                  [](const Input& in) { return draw_equalized(in, display_range(in.image, in.config, in.where)); });
  add_part<Where>(backend, "picture_shrink", size, [](const Input& in) {
    return shrink(in.image, shrink_factor(in.image.shape, picture_size), in.where);
  });
  add_part<Where>(backend, "picture_zscale", size,
                  [](const Input& in) { return display_range(in.image, QuicklookConfig{}, in.where); });
  add_part<Where>(backend, "picture_minmax", size,
                  [](const Input& in) { return display_range(in.image, in.config, in.where); });
  add_part<Where>(backend, "picture_counts", size,
                  [](const Input& in) { return count_bins(in.image, in.range, bins, in.where); });
  add_part<Where>(backend, "picture_counts_of_65536_bins", size,
                  [](const Input& in) { return count_bins(in.image, in.range, 65536, in.where); });
  add_part<Where>(backend, "picture_table", size,
                  [](const Input& in) { return grey_table(Stretch::equalize, bins, in.counts, in.where); });
  add_part<Where>(backend, "picture_grey", size,
                  [](const Input& in) { return draw_grey(in.image, in.range, in.table, in.where); });
}

/// A thousand sources on a million pixels, as large as those of a star field.
Sources sources_of(const Shape& shape) {
  Sources sources = testing::usual_sources();
  for (std::int64_t i = 0; i < shape.count() / pixels_per_star; ++i) {
    const double place = static_cast<double>(i) * 0.6180339887;
    sources[columns::number].push_back(static_cast<std::int32_t>(i + 1));
    sources[columns::x_image].push_back((place - std::floor(place)) * static_cast<double>(shape.width));
    sources[columns::y_image].push_back(static_cast<double>(i * pixels_per_star / shape.width));
    sources[columns::a_image].push_back(2 + static_cast<double>(i % 5));
    sources[columns::b_image].push_back(2);
    sources[columns::theta_image].push_back(static_cast<double>(i % 180) - 90);
  }
  return sources;
}

}  // namespace

void add_cpu_pictures() {
  add_parts<Cpu>("cpu", 4096);
  add_part<Cpu>("cpu", "picture_overlay_and_file", 4096, [](const Prepared<Cpu>& in) {
    static const testing::TemporaryFolder directory;
    static const Picture picture = render_picture(in.image, in.config, in.where);
    static const Sources sources = sources_of(in.image.shape);
    const ColourPicture drawn = draw_ellipses(sources, picture, in.where);
    return write_png(directory / "a.png", drawn.image, drawn.palette);
  });
}

#if SRCEXTRACT_HAVE_CUDA
void add_cuda_pictures() {
  add_parts<Gpu>("cuda", 8192);
}
#endif

}  // namespace srcextract::bench
